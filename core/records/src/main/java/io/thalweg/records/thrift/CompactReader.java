package io.thalweg.records.thrift;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordWriter;

/**
 * Reads Thrift's compact protocol.
 *
 * <p>Implementations disagree on booleans in lists: their type is 1 or 2, and {@code false} is 0 or 2. All variants are read.
 */
final class CompactReader extends ThriftReader {
    /** For a field: the type and the value {@code true} in one. For elements: an alternative code of {@link #BOOL}. */
    private static final int TRUE = 1;

    /** For a field: the type and the value {@code false}. */
    private static final int BOOL = 2;

    private static final int I8 = 3;
    private static final int I16 = 4;
    private static final int I32 = 5;
    private static final int I64 = 6;
    private static final int DOUBLE = 7;
    private static final int STRING = 8;
    private static final int LIST = 9;
    private static final int SET = 10;
    private static final int MAP = 11;
    private static final int STRUCT = 12;
    private static final int UUID = 13;

    /** In the header of a list: the size follows. */
    private static final int LONG_LIST = 15;

    /** The maximum of a varint's fifth byte, and of its tenth. */
    private static final int LAST_OF_32_BITS = 0x0F;

    private static final int LAST_OF_64_BITS = 0x01;

    CompactReader(StructNode root, Limits limits) {
        super(root, Protocol.COMPACT, limits);
    }

    @Override
    void struct(StructNode node, RecordWriter writer) {
        enter();
        node.plan.begin();
        int fields = 0;
        int id = 0;
        for (int header = header(); header != ThriftWireType.STOP; header = header()) {
            if (node.union && ++fields > 1) {
                throw severalInUnion(node);
            }
            id = id(header, id);
            Node field = node.find(id);
            if (field == null) {
                unknown++;
                skipField(header & 0x0F);
            } else {
                node.plan.see(field.index);
                field(field, header & 0x0F, writer);
            }
        }
        node.plan.end(writer);
        leave();
    }

    private int header() {
        return nextByte() & 0xFF;
    }

    private int id(int header, int previous) {
        int delta = header >>> 4;
        int id = delta == 0 ? i16() : previous + delta;
        if (id == 0) {
            throw fieldZero();
        }
        if (id != (short) id) {
            throw bad("the id of a field must be at most 32767, was " + id);
        }
        return id;
    }

    private void field(Node field, int type, RecordWriter writer) {
        if (field.wire >= 0) {
            checkType(field, type == TRUE ? BOOL : type, "");
        }
        if (field.op == Node.SKIP) {
            skipField(type);
            return;
        }
        int begin = at;
        long before = unknown;
        for (Node use = field; use != null; use = use.also) {
            at = begin;
            unknown = before;
            if (use.op == Node.BOOL) {
                writer.bool(use.slot, type == TRUE);
            } else {
                value(use, writer);
            }
        }
    }

    private void value(Node node, RecordWriter writer) {
        switch (node.op) {
            case Node.BOOL -> writer.bool(node.slot, element());
            case Node.I8 -> writer.int64(node.slot, nextByte());
            case Node.I16 -> writer.int64(node.slot, i16());
            case Node.I32 -> writer.int64(node.slot, i32());
            case Node.I64 -> writer.int64(node.slot, i64());
            case Node.DOUBLE -> writer.float64(node.slot, Double.longBitsToDouble(Long.reverseBytes(nextLong())));
            case Node.TEXT -> text(node, length(), writer);
            case Node.BYTES -> bytes(node, length(), writer);
            case Node.SYMBOL -> node.symbols().write(i32(), node.slot, writer);
            case Node.SCALED -> scaled(node, i64(), writer);
            default -> composite(node, writer);
        }
    }

    private void composite(Node node, RecordWriter writer) {
        switch (node.op) {
            case Node.STRUCT -> {
                writer.beginStruct(node.slot);
                struct(node.struct(), writer);
                writer.endStruct(node.slot);
            }
            case Node.PARTS -> struct(node.struct(), writer);
            case Node.LIST -> list(node, writer);
            case Node.MAP -> map(node, writer);
            case Node.ENTRIES -> entries(node, writer);
            case Node.UUID -> uuid(node, writer);
            case Node.UUID_IN_BYTES -> uuidInBytes(node, length(), writer);
            // A key or value of an entry that is left out; fields are skipped before.
            case Node.SKIP -> skip(node.wire);
            default -> throw new AssertionError(node.op);
        }
    }

    /** Reads a boolean in a list, set or map. */
    private boolean element() {
        byte value = nextByte();
        if (value < 0 || value > 2) {
            throw bad("a bool must be 0, 1 or 2, was " + value);
        }
        return value == 1;
    }

    private int i16() {
        int value = i32();
        if (value != (short) value) {
            throw bad("a number of 16 bits was " + value);
        }
        return value;
    }

    private int i32() {
        int zigzag = varint32();
        return zigzag >>> 1 ^ -(zigzag & 1);
    }

    private long i64() {
        long zigzag = varint64();
        return zigzag >>> 1 ^ -(zigzag & 1);
    }

    private int length() {
        return checkedLength(varint32());
    }

    private int varint32() {
        byte first = nextByte();
        return first >= 0 ? first : (int) longer(first, 28, LAST_OF_32_BITS);
    }

    private long varint64() {
        byte first = nextByte();
        return first >= 0 ? first : longer(first, 63, LAST_OF_64_BITS);
    }

    /** Reads the rest of a varint whose byte at {@code lastShift} can be at most {@code last}. */
    private long longer(byte first, int lastShift, int last) {
        long value = first & 0x7F;
        for (int shift = 7; shift < lastShift; shift += 7) {
            byte next = nextByte();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        int next = nextByte() & 0xFF;
        if (next > last) {
            throw bad("a number has more bits than its type");
        }
        return value | (long) next << lastShift;
    }

    private void list(Node node, RecordWriter writer) {
        enter();
        Node element = node.element();
        writer.beginList(node.slot);
        int header = header();
        int size = listSize(header);
        if (size > 0) {
            checkType(element, elementType(header), "[]");
        }
        for (int i = size; i > 0; i--) {
            value(element, writer);
        }
        writer.endList(node.slot);
        leave();
    }

    /** Reads the size of a list or set. The element type of an empty one does not matter. */
    private int listSize(int header) {
        int size = header >>> 4;
        if (size == LONG_LIST) {
            size = varint32();
        }
        return size == 0 ? 0 : checkedSize(size, elementType(header));
    }

    private static int elementType(int header) {
        int type = header & 0x0F;
        return type == TRUE ? BOOL : type;
    }

    private void map(Node node, RecordWriter writer) {
        enter();
        Node key = node.key();
        Node value = node.element();
        writer.beginMap(node.slot);
        for (int i = mapHeader(key, value); i > 0; i--) {
            value(key, writer);
            value(value, writer);
        }
        writer.endMap(node.slot);
        leave();
    }

    private void entries(Node node, RecordWriter writer) {
        enter();
        Node key = node.key();
        Node value = node.element();
        writer.beginList(node.slot);
        for (int i = mapHeader(key, value); i > 0; i--) {
            writer.beginStruct(node.entrySlot);
            value(key, writer);
            value(value, writer);
            writer.endStruct(node.entrySlot);
        }
        writer.endList(node.slot);
        leave();
    }

    /** Reads the size of a map; an empty one has no types. */
    private int mapHeader(Node key, Node value) {
        int size = varint32();
        if (size == 0) {
            return 0;
        }
        int types = header();
        checkType(key, elementType(types >>> 4), "[key]");
        checkType(value, elementType(types), "[value]");
        return checkedSize(size, key.wire, value.wire);
    }

    private void skipField(int type) {
        if (type != TRUE && type != BOOL) {
            skip(type);
        }
    }

    private void skip(int type) {
        switch (type) {
            case BOOL, I8 -> advance(1);
            case I16, I32 -> varint32();
            case I64 -> varint64();
            case DOUBLE -> advance(8);
            case UUID -> advance(16);
            case STRING -> advance(length());
            case STRUCT -> skipStruct();
            case LIST, SET -> skipList();
            case MAP -> skipMap();
            default -> throw unknownType(type);
        }
    }

    @Override
    int structs() {
        int header = header();
        int size = listSize(header);
        if (size > 0) {
            requireStructs(elementType(header));
        }
        return size;
    }

    @Override
    void skipStruct() {
        enter();
        int id = 0;
        for (int header = header(); header != ThriftWireType.STOP; header = header()) {
            id = id(header, id);
            skipField(header & 0x0F);
        }
        leave();
    }

    private void skipList() {
        enter();
        int header = header();
        int type = elementType(header);
        for (int i = listSize(header); i > 0; i--) {
            skip(type);
        }
        leave();
    }

    private void skipMap() {
        enter();
        int size = varint32();
        if (size != 0) {
            int types = header();
            int keyType = elementType(types >>> 4);
            int valueType = elementType(types);
            for (int i = checkedSize(size, keyType, valueType); i > 0; i--) {
                skip(keyType);
                skip(valueType);
            }
        }
        leave();
    }
}
