package io.thalweg.model.bytes;

/** Reads what {@link BitWriter} wrote, up to a given end. */
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

    /** Reads the next {@code bits} (0 to 64). */
    public long read(int bits) {
        if (bits > Bytes.SURE_BITS) {
            int rest = bits - Integer.SIZE;
            return read(rest) << Integer.SIZE | read(Integer.SIZE);
        }
        long value = bits == 0 ? 0 : peek() >>> (Long.SIZE - bits);
        skip(bits);
        return value;
    }

    /**
     * Returns the next {@link Bytes#SURE_BITS} bits or more, highest first, without consuming them; bits past the end are
     * undefined.
     */
    public long peek() {
        return peek(0);
    }

    /** Returns what {@link #peek()} would return after {@code bits} more. */
    public long peek(long bits) {
        return Bytes.bits(array, at + bits);
    }

    /** Consumes {@code bits} if there are as many; otherwise none. */
    public boolean skipIfPresent(long bits) {
        if (at + bits > end) {
            return false;
        }
        at += bits;
        return true;
    }

    /** Consumes {@code bits} that {@link #peek} returned. */
    public void skip(int bits) {
        if (at + bits > end) {
            throw wrong("the bytes end early");
        }
        at += bits;
    }

    /**
     * Consumes the zeros before the next one bit and returns their number, at most {@code limit}, which is less than
     * 56.
     */
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

    /** Checks that fewer than eight bits are left, all of them zero. */
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
