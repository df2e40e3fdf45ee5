package io.thalweg.records.thrift;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordWriter;

/** Reads Thrift's binary protocol. */
final class BinaryReader extends ThriftReader {
    private static final int BOOL = 2;
    private static final int I8 = 3;
    private static final int DOUBLE = 4;
    private static final int I16 = 6;
    private static final int I32 = 8;
    private static final int I64 = 10;
    private static final int STRING = 11;
    private static final int STRUCT = 12;
    private static final int MAP = 13;
    private static final int SET = 14;
    private static final int LIST = 15;
    private static final int UUID = 16;

    BinaryReader(StructNode root, Limits limits) {
        super(root, Protocol.BINARY, limits);
    }

    @Override
    void struct(StructNode node, RecordWriter writer) {
        enter();
        node.plan.begin();
        int fields = 0;
        for (int type = type(); type != ThriftWireType.STOP; type = type()) {
            if (node.union && ++fields > 1) {
                throw severalInUnion(node);
            }
            Node field = node.find(id());
            if (field == null) {
                unknown++;
                skip(type);
            } else {
                node.plan.see(field.index);
                field(field, type, writer);
            }
        }
        node.plan.end(writer);
        leave();
    }

    private int type() {
        return nextByte() & 0xFF;
    }

    private int id() {
        int id = nextShort();
        if (id == 0) {
            throw fieldZero();
        }
        return id;
    }

    private void field(Node field, int type, RecordWriter writer) {
        if (field.wire >= 0) {
            checkType(field, type, "");
        }
        if (field.op == Node.SKIP) {
            skip(type);
            return;
        }
        int begin = at;
        value(field, writer);
        long before = unknown;
        for (Node also = field.also; also != null; also = also.also) {
            at = begin;
            value(also, writer);
        }
        unknown = before;
    }

    private void value(Node node, RecordWriter writer) {
        switch (node.op) {
            case Node.BOOL -> writer.bool(node.slot, bool());
            case Node.I8 -> writer.int64(node.slot, nextByte());
            case Node.I16 -> writer.int64(node.slot, nextShort());
            case Node.I32 -> writer.int64(node.slot, nextInt());
            case Node.I64 -> writer.int64(node.slot, nextLong());
            case Node.DOUBLE -> writer.float64(node.slot, Double.longBitsToDouble(nextLong()));
            case Node.TEXT -> text(node, length(), writer);
            case Node.BYTES -> bytes(node, length(), writer);
            case Node.SYMBOL -> node.symbols().write(nextInt(), node.slot, writer);
            case Node.SCALED -> scaled(node, nextLong(), writer);
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

    private boolean bool() {
        byte value = nextByte();
        if (value >>> 1 != 0) {
            throw bad("a bool must be 0 or 1, was " + value);
        }
        return value == 1;
    }

    private int length() {
        return checkedLength(nextInt());
    }

    private void list(Node node, RecordWriter writer) {
        enter();
        Node element = node.element();
        writer.beginList(node.slot);
        for (int i = listHeader(element); i > 0; i--) {
            value(element, writer);
        }
        writer.endList(node.slot);
        leave();
    }

    /** Reads the size of a list or set. The element type of an empty one does not matter. */
    private int listHeader(Node element) {
        int type = type();
        int size = nextInt();
        if (size == 0) {
            return 0;
        }
        checkType(element, type, "[]");
        return checkedSize(size, type);
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

    private int mapHeader(Node key, Node value) {
        int keyType = type();
        int valueType = type();
        int size = nextInt();
        if (size == 0) {
            return 0;
        }
        checkType(key, keyType, "[key]");
        checkType(value, valueType, "[value]");
        return checkedSize(size, keyType, valueType);
    }

    private void skip(int type) {
        switch (type) {
            case BOOL, I8 -> advance(1);
            case I16 -> advance(2);
            case I32 -> advance(4);
            case I64, DOUBLE -> advance(8);
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
        int type = type();
        int size = nextInt();
        if (size == 0) {
            return 0;
        }
        requireStructs(type);
        return checkedSize(size, type);
    }

    @Override
    void skipStruct() {
        enter();
        for (int type = type(); type != ThriftWireType.STOP; type = type()) {
            id();
            skip(type);
        }
        leave();
    }

    private void skipList() {
        enter();
        int type = type();
        int size = nextInt();
        for (int i = size == 0 ? 0 : checkedSize(size, type); i > 0; i--) {
            skip(type);
        }
        leave();
    }

    private void skipMap() {
        enter();
        int keyType = type();
        int valueType = type();
        int size = nextInt();
        for (int i = size == 0 ? 0 : checkedSize(size, keyType, valueType); i > 0; i--) {
            skip(keyType);
            skip(valueType);
        }
        leave();
    }
}
