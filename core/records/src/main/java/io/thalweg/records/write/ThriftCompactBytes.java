package io.thalweg.records.write;

import io.thalweg.records.schema.Struct;

/** Thrift's compact protocol: variable-length numbers; ids as the distance from the previous field. */
final class ThriftCompactBytes extends ThriftBytes {
    private static final int TRUE = 1;
    private static final int FALSE = 2;

    /** The compact protocol's code of a type, by that of the binary protocol; 0 if there is none. */
    private static final byte[] COMPACT = {0, 0, TRUE, 3, 7, 0, 4, 0, 5, 0, 6, 8, 12, 11, 10, 9, 13};

    /** Lists of up to this many elements have their size in the first byte of the head. */
    private static final int SHORT_LIST = 14;

    ThriftCompactBytes(Struct schema, ThriftLayout layout) {
        super(schema, layout);
    }

    @Override
    public int textSize(int length) {
        return GrowingBytes.varintSize(length) + length;
    }

    @Override
    public int bytesSize(int length) {
        return textSize(length);
    }

    @Override
    void fieldHeader(int slot, int previous, int flag) {
        byte type = wire[slot];
        int code = type == BOOL ? (flag == 1 ? TRUE : FALSE) : COMPACT[type];
        int delta = ids[slot] - (previous < 0 ? 0 : ids[previous]);
        if (delta > 0 && delta <= 15) {
            out.put(delta << 4 | code);
        } else {
            out.put(code);
            out.zigzag(ids[slot]);
        }
    }

    @Override
    void itemHeader(int slot, int ordinal, int flag) {}

    /** Writes an element as one byte. The value of a field is in its header. */
    @Override
    void writeBool(int slot, boolean value) {
        if (tree.role[slot] != SlotTree.FIELD) {
            out.put(value ? TRUE : FALSE);
        }
    }

    @Override
    void writeInteger(byte type, long value) {
        if (type == I8) {
            out.put((int) value);
        } else {
            out.zigzag(value);
        }
    }

    @Override
    void writeFloat64(int slot, double value) {
        out.littleInt64(Double.doubleToRawLongBits(value));
    }

    @Override
    void writeBinary(byte[] data, int from, int length) {
        int at = out.at;
        out.varint(length);
        noteLength(at, out.at);
        out.bytes(data, from, length);
    }

    @Override
    void writeHugeLength() {
        out.varint(Integer.MAX_VALUE);
    }

    @Override
    void openList(int slot) {
        out.put(0);
    }

    @Override
    void closeList(int slot, int head, int elements) {
        int type = COMPACT[wire[slot + 1]];
        if (elements <= SHORT_LIST) {
            out.data[head] = (byte) (elements << 4 | type);
            return;
        }
        out.data[head] = (byte) (0xF0 | type);
        insertCount(head + 1, elements);
    }

    @Override
    void openMap(int slot) {
        out.put(0);
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        if (entries > 0) {
            out.data[head] = (byte) (COMPACT[wire[slot + 1]] << 4 | COMPACT[wire[slot + 2]]);
            insertCount(head, entries);
        }
    }

    private void insertCount(int position, int count) {
        shift(position, GrowingBytes.varintSize(count));
        int end = out.at;
        out.at = position;
        out.varint(count);
        out.at = end;
    }
}
