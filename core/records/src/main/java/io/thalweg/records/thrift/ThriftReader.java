package io.thalweg.records.thrift;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The common part of the protocols: the position in the message, its bounds, and values with the same bytes in both.
 *
 * <p>The loops over fields and elements are written once per protocol, so that no call in them is dispatched at run time.
 */
abstract sealed class ThriftReader implements RecordReader permits BinaryReader, CompactReader {
    /** Bounds the stack whatever the limits are: a level takes up to 1.5 KB of it once compiled. */
    private static final int DEEPEST = 128;

    private static final int UUID_BYTES = 16;
    private static final byte[] NO_MESSAGE = {};
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final StructNode root;
    private final Protocol protocol;
    private final int[] leastBytes;
    private final int deepest;
    private int depth;
    /** The number of fields that are not in the schema, in all messages. */
    long unknown;

    private int start;

    byte[] data = NO_MESSAGE;
    int at;
    int end;

    ThriftReader(StructNode root, Protocol protocol, Limits limits) {
        this.root = root;
        this.protocol = protocol;
        this.leastBytes = ThriftWireType.leastBytes(protocol);
        this.deepest = Math.min(limits.depth(), DEEPEST);
    }

    @Override
    public final void read(byte[] data, int from, int to, RecordWriter writer) {
        if (from == to) {
            throw new BadRecordException(RecordFault.EMPTY, "the message has no bytes");
        }
        open(data, from, to);
        try {
            struct(root, writer);
            if (at != end) {
                throw bad((end - at) + " bytes follow the end of the message");
            }
        } finally {
            this.data = NO_MESSAGE;
        }
    }

    /** Opens bytes for reading; keeps a reference to them. */
    final void open(byte[] data, int from, int to) {
        this.data = data;
        this.start = from;
        this.at = from;
        this.end = to;
        this.depth = 0;
    }

    @Override
    public final long unknownFields() {
        return unknown;
    }

    /** Reads a struct, from its first field to its end. */
    abstract void struct(StructNode node, RecordWriter writer);

    /** Skips a struct of any type. */
    abstract void skipStruct();

    /** Skips the next of several structs. */
    final void nextStruct() {
        depth = 0;
        skipStruct();
    }

    /** Reads the head of a list, which must be of structs; returns its size. */
    abstract int structs();

    final void requireStructs(int type) {
        if (type != ThriftWireType.STRUCT.code(protocol)) {
            throw bad("the record must be a list of structs, was one of " + ThriftWireType.label(protocol, type));
        }
    }

    final void enter() {
        if (++depth > deepest) {
            throw bad("structs, lists and maps are nested more than " + deepest + " levels");
        }
    }

    final void leave() {
        depth--;
    }

    final void advance(int bytes) {
        need(bytes);
        at += bytes;
    }

    /** Checks that the message has {@code bytes} more bytes. */
    final void need(int bytes) {
        if (bytes > end - at) {
            throw cutOff(bytes);
        }
    }

    final byte nextByte() {
        if (at == end) {
            throw cutOff(1);
        }
        return data[at++];
    }

    final int nextShort() {
        need(Short.BYTES);
        short value = (short) SHORTS.get(data, at);
        at += Short.BYTES;
        return value;
    }

    final int nextInt() {
        need(Integer.BYTES);
        int value = (int) INTS.get(data, at);
        at += Integer.BYTES;
        return value;
    }

    final long nextLong() {
        need(Long.BYTES);
        long value = (long) LONGS.get(data, at);
        at += Long.BYTES;
        return value;
    }

    /** Checks the length of bytes, which must follow. */
    final int checkedLength(int length) {
        if (length < 0 || length > end - at) {
            throw bad("a string of " + ClaimedSize.text(length) + " bytes does not fit into the " + (end - at)
                    + " that are left");
        }
        return length;
    }

    /** Checks the size of a list or set whose elements are of a type, by its code. */
    final int checkedSize(int size, int type) {
        return checkedSize(size, (long) least(type));
    }

    /** Checks the size of a map, by the codes of its types. */
    final int checkedSize(int size, int keyType, int valueType) {
        return checkedSize(size, (long) least(keyType) + least(valueType));
    }

    private int checkedSize(int size, long least) {
        if (size < 0 || size * least > end - at) {
            throw bad(ClaimedSize.text(size) + " elements do not fit into the " + (end - at) + " bytes that are left");
        }
        return size;
    }

    private int least(int type) {
        int least = leastBytes[type];
        if (least == 0) {
            throw unknownType(type);
        }
        return least;
    }

    final void text(Node node, int length, RecordWriter writer) {
        int malformed = Utf8.firstMalformed(data, at, length);
        if (malformed >= 0) {
            throw BadRecordException.invalidText(node.path(), "not UTF-8 at its byte " + (malformed - at));
        }
        bytes(node, length, writer);
    }

    final void bytes(Node node, int length, RecordWriter writer) {
        writer.bytes(node.slot, data, at, length);
        at += length;
    }

    final void uuid(Node node, RecordWriter writer) {
        need(UUID_BYTES);
        bytes(node, UUID_BYTES, writer);
    }

    final void uuidInBytes(Node node, int length, RecordWriter writer) {
        if (length != UUID_BYTES) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE, "'" + node.path() + "' must be a UUID of 16 bytes, was " + length);
        }
        bytes(node, length, writer);
    }

    final void scaled(Node node, long value, RecordWriter writer) {
        long micros = value * node.micros;
        if (Math.multiplyHigh(value, node.micros) != micros >> 63) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE, "'" + node.path() + "' must be a time within 292,000 years of 1970");
        }
        writer.int64(node.slot, micros);
    }

    /** Checks the type of a value by its code; {@code what} completes the path in the message. */
    final void checkType(Node node, int type, String what) {
        if (type != node.wire) {
            throw wrongType(node, type, what);
        }
    }

    private BadRecordException wrongType(Node node, int type, String what) {
        if (leastBytes[type] == 0) {
            return unknownType(type);
        }
        return BadRecordException.wrongType(
                node.path() + what, ThriftWireType.label(protocol, node.wire), ThriftWireType.label(protocol, type));
    }

    final BadRecordException unknownType(int type) {
        return bad("there is no type " + type + " in protocol " + protocol);
    }

    final BadRecordException severalInUnion(StructNode node) {
        return bad("union " + node.name + " has several fields");
    }

    /** Creates the fault of a field 0. Thrift has no such field, but messages of another protocol seem to contain one. */
    final BadRecordException fieldZero() {
        return bad("there is no field 0 in protocol " + protocol);
    }

    private BadRecordException cutOff(int wanted) {
        return bad("the message is cut off: " + wanted + " more bytes expected, " + (end - at) + " are left");
    }

    final BadRecordException bad(String detail) {
        return BadRecordException.undecodable(detail + ", at byte " + (at - start) + " of " + (end - start));
    }
}
