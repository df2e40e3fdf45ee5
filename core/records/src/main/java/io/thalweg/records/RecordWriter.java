package io.thalweg.records;

/**
 * Receives the fields of messages from a {@link RecordReader}.
 *
 * <p><b>Slots.</b> A slot numbers a node of the target schema, depth first: each field of the root, then, if it is a struct, its
 * fields; if a list, its element; if a map, its key and its value. See {@link io.thalweg.records.schema.Struct#slots}.
 *
 * <p><b>Order.</b> Calls are well nested. Fields of a struct may come in any order. The elements of a list are calls with the
 * slot of its element, between {@link #beginList} and {@link #endList}; the entries of a map are pairs of calls, first the key,
 * between {@link #beginMap} and {@link #endMap}.
 */
public interface RecordWriter {
    /** Reports a value of {@code Bool}. */
    void bool(int slot, boolean value);

    /** Reports a value of {@code Int}, {@code Date} (days), {@code Time} or {@code Timestamp} (microseconds). */
    void int64(int slot, long value);

    /** Reports a value of {@code Real}. */
    void float64(int slot, double value);

    /**
     * Reports a value of {@code Text} or {@code Symbols} (UTF-8), {@code Bytes}, {@code Uuid} (16 bytes) or {@code Decimal}
     * (unscaled, two's complement, big-endian, 1 to 16 bytes).
     *
     * @param data holds the value in {@code [from, from + length)}; valid during the call only
     */
    void bytes(int slot, byte[] data, int from, int length);

    /** Reports that a field or an element has no value. */
    void absent(int slot);

    /** Enters a struct. */
    void beginStruct(int slot);

    /** Leaves the struct entered last. */
    void endStruct(int slot);

    /** Enters a list. */
    void beginList(int slot);

    /** Leaves the list entered last. */
    void endList(int slot);

    /** Enters a map. */
    void beginMap(int slot);

    /** Leaves the map entered last. */
    void endMap(int slot);
}
