package io.thalweg.records.write;

/**
 * A writer whose texts may get their values after the message, when its size is known. No length in the message but their own
 * depends on them.
 */
public interface FillableWriter extends ByteRecordWriter {
    /** Gives texts their values. */
    interface Values {
        /** The next value, at the begin of an array. */
        byte[] next(int length);
    }

    /**
     * Reports a value of {@code Text} or {@code Bytes} that is empty for now. In a message with such values, the fields must be
     * reported in the order of the schema.
     */
    void leaveOpen(int slot);

    /**
     * Replaces the values that were left open, after {@link #end}.
     *
     * @param lengths of the values, in the order of their calls
     */
    void fill(int[] lengths, Values values);
}
