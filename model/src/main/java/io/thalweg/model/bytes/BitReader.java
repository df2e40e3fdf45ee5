package io.thalweg.model.bytes;

/** Reads what {@link BitWriter} wrote, to an end that stands elsewhere. */
public final class BitReader {
    private final byte[] array;
    private final long end;
    private long at;

    public BitReader(byte[] array, int fromByte, int toByte) {
        this.array = array;
        this.end = 8L * toByte;
        this.at = 8L * fromByte;
    }

    public IllegalArgumentException wrong(String what) {
        return BytesReader.wrong((int) (at >>> 3), what);
    }

    /** The next {@code bits} (0 to 64). */
    public long read(int bits) {
        if (bits > Bytes.SURE_BITS) {
            int rest = bits - Integer.SIZE;
            return read(rest) << Integer.SIZE | read(Integer.SIZE);
        }
        long value = bits == 0 ? 0 : peek() >>> (Long.SIZE - bits);
        skip(bits);
        return value;
    }

    /** The next {@link Bytes#SURE_BITS} or more, highest first, which stay unread; those behind the end may be anything. */
    public long peek() {
        return Bytes.bits(array, at);
    }

    /** Takes {@code bits} that {@link #peek} has shown. */
    public void skip(int bits) {
        if (at + bits > end) {
            throw wrong("the bytes end early");
        }
        at += bits;
    }

    /** How many zeros precede the next one, which stays unread; at most {@code limit}, which is less than 56. */
    public int zeros(int limit) {
        int zeros = Long.numberOfLeadingZeros(peek());
        if (zeros > limit && at + limit < end) {
            throw wrong("a length must have at most " + limit + " leading zeros");
        }
        if (at + zeros >= end) {
            throw wrong("the bytes end early");
        }
        at += zeros;
        return zeros;
    }

    /** Fewer than eight bits, all zero, must be left. */
    public void end() {
        long left = end - at;
        if (left >= 8) {
            throw wrong(left / 8 + " bytes are left over");
        }
        if (read((int) left) != 0) {
            throw wrong("the last bits must be zero");
        }
    }
}
