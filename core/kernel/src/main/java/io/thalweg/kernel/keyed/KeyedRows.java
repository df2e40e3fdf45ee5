package io.thalweg.kernel.keyed;

import java.util.Arrays;

/**
 * Rows as reusable columns: {@link #clear} them before the next use. Their window end is not recorded.
 *
 * <p><b>Shape.</b> A row has a key and one value for each measure and window, measures outer, windows inner; {@link
 * KeyedMeasure#form} defines the form of a value.
 *
 * <p><b>Threads.</b> One.
 */
public final class KeyedRows {
    private static final int CAPACITY = 16;

    private final KeyForm form;
    private final int features;
    private int rows;
    private long[] keyHigh;
    private long[] keyLow;
    private byte[][] keyBytes;
    private long[] events;
    private long[] high;
    private long[] low;
    private boolean[] nulls;

    /** Creates empty rows. */
    public KeyedRows(KeyedSpec spec) {
        this(spec, CAPACITY);
    }

    /** Creates empty rows with an initial capacity. */
    public KeyedRows(KeyedSpec spec, int capacity) {
        int room = Math.max(1, capacity);
        this.form = spec.keys();
        this.features = spec.features();
        this.keyHigh = new long[room];
        this.keyLow = new long[room];
        this.keyBytes = new byte[room][];
        this.events = new long[room];
        this.high = new long[room * features];
        this.low = new long[room * features];
        this.nulls = new boolean[room * features];
    }

    /** Removes all rows. */
    public void clear() {
        rows = 0;
    }

    public int rows() {
        return rows;
    }

    /** The form of the keys. */
    public KeyForm form() {
        return form;
    }

    /** The number of values of a row. */
    public int features() {
        return features;
    }

    /** The upper half of a row's key of 128 bits. */
    public long keyHigh(int row) {
        return keyHigh[row];
    }

    /** A row's key of 64 bits, or its lower half. */
    public long keyLow(int row) {
        return keyLow[row];
    }

    /** A row's byte key; may be retained. */
    public byte[] keyBytes(int row) {
        return keyBytes[row];
    }

    /** The number of accepted events in the largest window; 0 for the closing row. */
    public long events(int row) {
        return events[row];
    }

    /** Whether a value is absent. */
    public boolean isNull(int row, int feature) {
        return nulls[row * features + feature];
    }

    /** The upper word of an integer of 128 bits. */
    public long high(int row, int feature) {
        return high[row * features + feature];
    }

    /** The value, its lower word, or its raw bits. */
    public long low(int row, int feature) {
        return low[row * features + feature];
    }

    /** Begins a row. */
    void add(long keyHighBits, long keyLowBits, byte[] bytes, long eventCount) {
        if (rows == events.length) {
            grow();
        }
        keyHigh[rows] = keyHighBits;
        keyLow[rows] = keyLowBits;
        if (form == KeyForm.BYTES) {
            keyBytes[rows] = bytes;
        }
        events[rows++] = eventCount;
    }

    /** Sets a value of the row begun last. */
    void set(int feature, long highBits, long lowBits) {
        int at = (rows - 1) * features + feature;
        high[at] = highBits;
        low[at] = lowBits;
        nulls[at] = false;
    }

    void setNull(int feature) {
        int at = (rows - 1) * features + feature;
        high[at] = 0;
        low[at] = 0;
        nulls[at] = true;
    }

    private void grow() {
        int capacity = 2 * rows;
        keyHigh = Arrays.copyOf(keyHigh, capacity);
        keyLow = Arrays.copyOf(keyLow, capacity);
        keyBytes = Arrays.copyOf(keyBytes, capacity);
        events = Arrays.copyOf(events, capacity);
        high = Arrays.copyOf(high, capacity * features);
        low = Arrays.copyOf(low, capacity * features);
        nulls = Arrays.copyOf(nulls, capacity * features);
    }
}
