package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A cursor over a message that reads the primitives of Avro's binary encoding. Each read is first checked against the end of the
 * message; failures name the offset in the message.
 */
final class AvroInput {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long CONTINUES = 0x8080808080808080L;
    private static final byte[] NONE = {};

    byte[] data = NONE;
    int at;
    private int start;
    private int end;

    /** The byte size of the block whose count was read last, or -1 if the block does not state it. */
    private long blockSize;

    void open(byte[] message, int from, int to) {
        data = message;
        at = from;
        start = from;
        end = to;
    }

    void close() {
        data = NONE;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    boolean readBool() {
        require(1);
        byte value = data[at++];
        if ((value & ~1) != 0) {
            throw malformed(at - 1, "a boolean must be 0 or 1, was " + value);
        }
        return value != 0;
    }

    float readFloat() {
        require(4);
        int bits = (int) INTS.get(data, at);
        at += 4;
        return Float.intBitsToFloat(bits);
    }

    double readDouble() {
        require(8);
        long bits = (long) LONGS.get(data, at);
        at += 8;
        return Double.longBitsToDouble(bits);
    }

    int readInt() {
        if (at < end && data[at] >= 0) {
            byte value = data[at++];
            return (value >>> 1) ^ -(value & 1);
        }
        int from = at;
        long value = readUnsigned();
        if (at - from > 5 || value >>> 32 != 0) {
            throw malformed(from, "an int must fit 32 bits");
        }
        return (int) (value >>> 1) ^ -(int) (value & 1);
    }

    long readLong() {
        if (at < end && data[at] >= 0) {
            long value = data[at++];
            return (value >>> 1) ^ -(value & 1);
        }
        long value = readUnsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    /** Reads a variable-length number of at most 64 bits, before its sign is unfolded. */
    private long readUnsigned() {
        if (end - at >= 8) {
            long bytes = (long) LONGS.get(data, at);
            long ends = ~bytes & CONTINUES;
            if (ends != 0) {
                at += (Long.numberOfTrailingZeros(ends) >>> 3) + 1;
                return gather(bytes & (ends ^ (ends - 1)));
            }
        }
        return readBytewise();
    }

    /** Joins the lower seven bits of eight bytes, little-endian: pairs, pairs of pairs, and both halves. */
    private static long gather(long bytes) {
        long pairs = (bytes & 0x007F007F007F007FL) | ((bytes & 0x7F007F007F007F00L) >>> 1);
        long quads = (pairs & 0x00003FFF00003FFFL) | ((pairs & 0x3FFF00003FFF0000L) >>> 2);
        return (quads & 0x000000000FFFFFFFL) | ((quads & 0x0FFFFFFF00000000L) >>> 4);
    }

    private long readBytewise() {
        int from = at;
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            require(1);
            byte next = data[at++];
            if (shift == 63 && (next & ~1) != 0) {
                break;
            }
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed(from, "a number must fit 64 bits");
    }

    /** Reads the length of text or bytes and checks that the message contains them. */
    int readLength() {
        int from = at;
        long length = readLong();
        if (length < 0 || length > end - at) {
            throw malformed(
                    from,
                    "a length must be between 0 and the %d bytes left, was %s"
                            .formatted(end - at, length < 0 ? "negative" : ClaimedSize.text(length)));
        }
        return (int) length;
    }

    /** Reads an index below {@code bound}. */
    int readIndex(int bound, String of) {
        int from = at;
        int index = readInt();
        if (index < 0 || index >= bound) {
            throw malformed(from, "the index of '%s' must be below %d, was %d".formatted(of, bound, index));
        }
        return index;
    }

    /**
     * Reads the count of a block of an array or map; 0 ends the array or map.
     *
     * @param smallest bytes that each element takes at least
     */
    long readCount(int smallest) {
        int from = at;
        long count = readLong();
        blockSize = -1;
        if (count < 0) {
            count = -count;
            blockSize = readLength();
        }
        if (count < 0 || (smallest > 0 && count > (end - at) / smallest)) {
            throw malformed(
                    from,
                    "a block of %s elements of at least %d bytes does not fit the %d bytes left"
                            .formatted(ClaimedSize.text(count), smallest, end - at));
        }
        return count;
    }

    /** The end of the block whose count was read last, or -1 if the block does not state its size. */
    int blockEnd() {
        return blockSize < 0 ? -1 : at + (int) blockSize;
    }

    void skip(long bytes) {
        if (bytes > end - at) {
            throw cutOff(bytes);
        }
        at += (int) bytes;
    }

    void skipNumbers(int count) {
        for (int i = 0; i < count; i++) {
            if (at < end && data[at] >= 0) {
                at++;
            } else {
                readUnsigned();
            }
        }
    }

    /** Skips {@code count} lengths, each with its bytes. */
    void skipLengths(int count) {
        for (int i = 0; i < count; i++) {
            int length = readLength();
            at += length;
        }
    }

    void require(int bytes) {
        if (bytes > end - at) {
            throw cutOff(bytes);
        }
    }

    private BadRecordException cutOff(long wanted) {
        return malformed(at, "%d bytes must follow, but only %d are left".formatted(wanted, end - at));
    }

    BadRecordException malformed(int position, String problem) {
        return BadRecordException.undecodable("at byte " + (position - start) + ": " + problem);
    }
}
