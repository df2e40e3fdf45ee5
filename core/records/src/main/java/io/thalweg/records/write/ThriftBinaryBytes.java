package io.thalweg.records.write;

import io.thalweg.records.schema.Struct;

/** Thrift's binary protocol: fixed widths, big-endian. */
final class ThriftBinaryBytes extends ThriftBytes {
    ThriftBinaryBytes(Struct schema, ThriftLayout layout) {
        super(schema, layout);
    }

    @Override
    public int textSize(int length) {
        return 4 + length;
    }

    @Override
    public int bytesSize(int length) {
        return 4 + length;
    }

    @Override
    void fieldHeader(int slot, int previous, int flag) {
        out.put(wire[slot]);
        out.int16(ids[slot]);
    }

    @Override
    void itemHeader(int slot, int ordinal, int flag) {}

    @Override
    void writeBool(int slot, boolean value) {
        out.put(value ? 1 : 0);
    }

    @Override
    void writeInteger(byte type, long value) {
        switch (type) {
            case I8 -> out.put((int) value);
            case I16 -> out.int16((int) value);
            case I32 -> out.int32((int) value);
            default -> out.int64(value);
        }
    }

    @Override
    void writeFloat64(int slot, double value) {
        out.int64(Double.doubleToRawLongBits(value));
    }

    @Override
    void writeBinary(byte[] data, int from, int length) {
        noteLength(out.at, out.at + 4);
        out.int32(length);
        out.bytes(data, from, length);
    }

    @Override
    void writeHugeLength() {
        out.int32(Integer.MAX_VALUE);
    }

    @Override
    void openList(int slot) {
        out.put(wire[slot + 1]);
        out.int32(0);
    }

    @Override
    void closeList(int slot, int head, int elements) {
        out.setInt32(head + 1, elements);
    }

    @Override
    void openMap(int slot) {
        out.put(wire[slot + 1]);
        out.put(wire[slot + 2]);
        out.int32(0);
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        out.setInt32(head + 2, entries);
    }
}
