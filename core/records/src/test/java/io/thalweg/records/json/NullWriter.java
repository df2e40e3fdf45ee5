package io.thalweg.records.json;

import io.thalweg.records.RecordWriter;

/** Keeps nothing, but sums the values, so that no call can be optimized away. */
final class NullWriter implements RecordWriter {
    long sum;

    @Override
    public void bool(int slot, boolean value) {
        sum += value ? slot : 1;
    }

    @Override
    public void int64(int slot, long value) {
        sum += value;
    }

    @Override
    public void float64(int slot, double value) {
        sum += Double.doubleToRawLongBits(value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        sum += length == 0 ? 0 : data[from] + data[from + length - 1];
    }

    @Override
    public void absent(int slot) {
        sum += slot;
    }

    @Override
    public void beginStruct(int slot) {}

    @Override
    public void endStruct(int slot) {}

    @Override
    public void beginList(int slot) {}

    @Override
    public void endList(int slot) {}

    @Override
    public void beginMap(int slot) {}

    @Override
    public void endMap(int slot) {}
}
