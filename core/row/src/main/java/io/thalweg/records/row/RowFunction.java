package io.thalweg.records.row;

import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.Map;

/**
 * Transforms each event between the source and the table into one row, several rows, none, or a dead letter.
 *
 * <p><b>Use.</b> {@code transform: {class: example.Trips, jars: [trips.jar]}} of an ingest. The class is public and has a public
 * constructor without parameters.
 *
 * <p><b>Order of calls.</b> {@link #open}, {@link #schema}, then {@link #apply} for each event that {@code where} keeps, then {@link
 * #close}. {@code validate} and the start of a job call all but {@code apply}, to learn the columns of the table.
 *
 * <p><b>State.</b> An instance may keep state in memory, but that state is lost with the instance. After a failure, events since
 * the last checkpoint are passed to new instances again, so side effects of the first call happen twice.
 *
 * <p><b>Threads.</b> Each subtask has its own instance, which one thread calls. Static fields are shared by the subtasks of a job
 * in one process.
 */
public interface RowFunction {
    /**
     * Prepares for events.
     *
     * @param config {@code transform.config} of the definition
     * @throws Exception to refuse the configuration; the message is reported
     */
    default void open(Map<String, String> config) throws Exception {}

    /**
     * Returns the columns of the table. By default they are the fields of the event.
     *
     * @param event the fields that {@code fields} of the definition selects
     * @throws SchemaException if the function cannot use such events
     */
    default Struct schema(Struct event) {
        return event;
    }

    /**
     * Transforms one event by calling {@code out}.
     *
     * <p>An exception, a {@link StackOverflowError}, a {@link LinkageError} or a call without an answer makes the event a dead
     * letter of reason {@code failed}; rows already emitted for it are withdrawn.
     *
     * @param event the event's own row, which may be changed and emitted. It has the fields of the event and, without values,
     *     those that only the table has
     * @param out receives the answer during the call
     */
    void apply(Row event, Output out) throws Exception;

    /** Releases the resources that {@link #open} acquired. */
    default void close() throws Exception {}
}
