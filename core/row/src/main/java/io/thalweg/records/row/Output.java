package io.thalweg.records.row;

/**
 * Receives the answer to one event: rows, none, or the reason that the event is bad.
 *
 * <p><b>Errors.</b> Emitting rows and dropping the event contradict each other and throw an {@link IllegalStateException}. After
 * this or any other exception the event is a dead letter of reason {@code failed}, whether or not the function catches the exception.
 *
 * <p><b>Threads.</b> Only the thread that calls the function, during the call.
 */
public interface Output {
    /** Creates a row with the columns of the table, without values. */
    Row row();

    /**
     * Writes a row to the table. May be called several times. The row is copied, so it may be changed and emitted again.
     *
     * @param row its values are written to the columns of the same names; columns that it does not have stay empty, and fields
     *     that the table does not have are ignored
     * @throws IllegalArgumentException if a value does not fit its column, or a required one is missing; the message names it
     */
    void emit(Row row);

    /** Drops the event; it counts as filtered. */
    void drop();

    /**
     * Makes the event a dead letter of reason {@code rejected}. Rows already emitted for it are withdrawn.
     *
     * @param why the letter's {@code detail}; cut after 1,000 characters
     */
    void reject(String why);
}
