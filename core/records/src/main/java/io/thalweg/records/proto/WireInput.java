package io.thalweg.records.proto;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A cursor over the wire format: varints, fixed-width numbers, lengths and groups. Each call receives the end of the message that
 * encloses the value and does not read beyond it.
 */
final class WireInput {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int LENGTH = 2;
    static final int FIXED32 = 5;
    static final int START_GROUP = 3;
    private static final int END_GROUP = 4;

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int LONGEST_VARINT = 10;
    private static final long CONTINUES = 0x8080_8080_8080_8080L;

    /** The index of the next byte. */
    int at;

    private byte[] data = {};
    private int begin;
    private final int depth;
    private int[] groups = new int[8];

    /** Creates a cursor over messages of at most {@code depth} levels. */
    WireInput(int depth) {
        this.depth = depth;
    }

    /** Moves to the first byte of a message. */
    void over(byte[] message, int from) {
        data = message;
        begin = from;
        at = from;
    }

    byte[] data() {
        return data;
    }

    /** Reads a tag: a field number, which is not 0, above the three bits of a wire type. */
    int tag(int end) {
        long tag = varint(end);
        if (tag >>> 32 != 0 || tag < 8) {
            throw bad("a field has a number that is not 1 to 536870911");
        }
        return (int) tag;
    }

    long varint(int end) {
        if (at < end) {
            byte only = data[at];
            if (only >= 0) {
                at++;
                return only;
            }
        }
        return longVarint(end);
    }

    /** Reads all bytes at once. The lowest byte without a continuation bit ends the number; then the gaps of one bit are closed. */
    private long longVarint(int end) {
        if (data.length - at >= Long.BYTES) {
            long word = (long) LONGS.get(data, at);
            long ends = ~word & CONTINUES;
            int length = (Long.numberOfTrailingZeros(ends) >>> 3) + 1;
            if (ends != 0 && length <= end - at) {
                at += length;
                long bits = word & (ends ^ (ends - 1)) & ~CONTINUES;
                bits = (bits & 0x007F_007F_007F_007FL) | ((bits & 0x7F00_7F00_7F00_7F00L) >>> 1);
                bits = (bits & 0x0000_3FFF_0000_3FFFL) | ((bits & 0x3FFF_0000_3FFF_0000L) >>> 2);
                return (bits & 0x0FFF_FFFFL) | ((bits & 0x0FFF_FFFF_0000_0000L) >>> 4);
            }
        }
        return varintByByte(end);
    }

    private long varintByByte(int end) {
        long value = 0;
        int last = at + Math.min(end - at, LONGEST_VARINT);
        int shift = 0;
        for (int i = at; i < last; i++) {
            byte b = data[i];
            value |= (b & 0x7FL) << shift;
            if (b >= 0 && (shift < Long.SIZE - 1 || b <= 1)) {
                at = i + 1;
                return value;
            }
            shift += 7;
        }
        throw last - at < LONGEST_VARINT ? cutOff("a varint") : bad("a varint has more than 64 bits");
    }

    int fixed32(int end) {
        if (end - at < Integer.BYTES) {
            throw cutOff("a number of 4 bytes");
        }
        int value = (int) INTS.get(data, at);
        at += Integer.BYTES;
        return value;
    }

    long fixed64(int end) {
        if (end - at < Long.BYTES) {
            throw cutOff("a number of 8 bytes");
        }
        long value = (long) LONGS.get(data, at);
        at += Long.BYTES;
        return value;
    }

    /** Reads a length, checks it against the end of the message, and skips the bytes that follow; returns their range. */
    long bytes(int end) {
        long length = varint(end);
        if (length < 0 || length > end - at) {
            throw bad("a length is " + ClaimedSize.text(length) + " where " + (end - at) + " bytes are left");
        }
        int from = at;
        at += (int) length;
        return Ranges.of(from, at);
    }

    /** Skips the value that follows a tag of a message at level {@code level}, which is 1 for the root. */
    void skip(int tag, int end, int level) {
        if ((tag & 7) == START_GROUP) {
            skipGroup(tag, end, level);
        } else {
            skipValue(tag, end);
        }
    }

    private void skipValue(int tag, int end) {
        switch (tag & 7) {
            case VARINT -> varint(end);
            case FIXED64 -> fixed64(end);
            case LENGTH -> bytes(end);
            case FIXED32 -> fixed32(end);
            case END_GROUP -> throw bad("field " + (tag >>> 3) + " ends a group that was not started");
            default -> throw bad("field " + (tag >>> 3) + " has wire type " + (tag & 7) + ", which does not exist");
        }
    }

    /** Skips a group without recursion, because the sender controls the depth of groups. */
    private void skipGroup(int tag, int end, int level) {
        int open = 0;
        checkLevel(level + 1);
        push(open++, tag);
        while (open > 0) {
            if (at == end) {
                throw cutOff("group " + (groups[open - 1] >>> 3));
            }
            int next = tag(end);
            if ((next & 7) == START_GROUP) {
                checkLevel(level + open + 1);
                push(open++, next);
            } else if ((next & 7) == END_GROUP && next >>> 3 == groups[open - 1] >>> 3) {
                open--;
            } else {
                skipValue(next, end);
            }
        }
    }

    /** Refuses a level of nesting that is beyond the limit. */
    void checkLevel(int level) {
        if (level > depth) {
            throw bad("messages are nested in more than " + depth + " levels");
        }
    }

    private void push(int open, int tag) {
        if (open == groups.length) {
            groups = Arrays.copyOf(groups, open * 2);
        }
        groups[open] = tag;
    }

    private BadRecordException cutOff(String what) {
        return bad("the message ends within " + what);
    }

    private BadRecordException bad(String what) {
        return BadRecordException.undecodable("at byte " + (at - begin) + ", " + what);
    }
}
