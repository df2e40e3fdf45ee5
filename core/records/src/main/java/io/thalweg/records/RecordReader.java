package io.thalweg.records;

/**
 * Reads messages of one format and schema along a compiled {@link io.thalweg.records.translate.Translation}.
 *
 * <p><b>Contract.</b> For each struct that it enters, a reader reports every selected field exactly once, in the order of the
 * message; fields that the message lacks follow as {@link RecordWriter#absent} or as their default. Text is valid UTF-8. A
 * message is read to its last byte.
 *
 * <p><b>Errors.</b> {@link BadRecordException}; the writer then holds a part of the message, which the caller rolls back. No
 * input causes another exception, an allocation in proportion to a length that the message merely claims, or a stack deeper than
 * {@link Limits#depth}.
 *
 * <p><b>Threads.</b> A reader belongs to one thread.
 */
public interface RecordReader {
    /**
     * Reads one message.
     *
     * @param data holds the message in {@code [from, to)}; not kept
     */
    void read(byte[] data, int from, int to, RecordWriter writer);

    /**
     * Returns how many fields that are not in the schema were skipped in all messages so far. Fields within skipped values do not
     * count. Always 0 for formats whose messages do not name their fields.
     */
    default long unknownFields() {
        return 0;
    }
}
