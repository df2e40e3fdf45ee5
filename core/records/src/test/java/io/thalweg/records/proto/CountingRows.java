package io.thalweg.records.proto;

import io.thalweg.records.RecordWriter;

/** Counts values and reads each, without allocating memory. */
final class CountingRows implements RecordWriter {
    private long values;
    private long sum;

    long values() {
        return values;
    }

    /** Depends on all values, so that none can be optimised away. */
    long sum() {
        return sum;
    }

    private void add(long value) {
        values++;
        sum = 31 * sum + value;
    }

    @Override
    public void bool(int slot, boolean value) {
        add(value ? 1 : 0);
    }

    @Override
    public void int64(int slot, long value) {
        add(value);
    }

    @Override
    public void float64(int slot, double value) {
        add(Double.doubleToRawLongBits(value));
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        add(length == 0 ? 0 : data[from + length - 1]);
    }

    @Override
    public void absent(int slot) {
        add(slot);
    }

    @Override
    public void beginStruct(int slot) {
        add(slot);
    }

    @Override
    public void endStruct(int slot) {
        add(slot);
    }

    @Override
    public void beginList(int slot) {
        add(slot);
    }

    @Override
    public void endList(int slot) {
        add(slot);
    }

    @Override
    public void beginMap(int slot) {
        add(slot);
    }

    @Override
    public void endMap(int slot) {
        add(slot);
    }
}
