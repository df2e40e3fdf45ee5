package io.thalweg.records.write;

/**
 * A writer whose texts may receive their values after the rest of the message, when its size is known. Only their own lengths
 * depend on them.
 */
public interface FillableWriter extends ByteRecordWriter {
    /** Supplies the values of texts. */
    interface Values {
        /** Returns the next value, at the start of an array. */
        byte[] next(int length);
    }

    /**
     * Reports a value of {@code Text} or {@code Bytes} that is filled in later. In a message with such values, the fields must be
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
