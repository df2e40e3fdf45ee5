package io.thalweg.records.row;

/**
 * Takes the answer to one event: rows, or that there is none, or why it is bad.
 *
 * <p><b>Errors.</b> To emit rows and to drop the event contradict each other: {@link IllegalStateException}. The event is then a
 * dead letter of reason {@code failed}, whether or not the function catches it, and so it is after any other exception.
 *
 * <p><b>Threads.</b> Only the thread that calls the function, during the call.
 */
public interface Output {
    /** A row with the columns of the table, without values. */
    Row row();

    /**
     * Writes a row to the table. May be called several times. The row is copied, so it may be changed and emitted again.
     *
     * @param row its values go to the columns of the same names; columns that it does not have stay empty, and fields that the
     *     table does not have are left out
     * @throws IllegalArgumentException if a value does not fit its column, or a required one is missing; the message names it
     */
    void emit(Row row);

    /** Leaves the event out of the table; it counts as filtered. */
    void drop();

    /**
     * Makes the event a dead letter of reason {@code rejected}. Rows that were emitted for it before are withdrawn.
     *
     * @param why the letter's {@code detail}; cut after 1,000 characters
     */
    void reject(String why);
}
