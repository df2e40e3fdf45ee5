package io.thalweg.model;

/** Reads what {@link BitWriter} wrote, to an end that stands elsewhere. */
final class BitReader {
    private final byte[] array;
    private final long end;
    private long at;

    BitReader(byte[] array, int fromByte, int toByte) {
        this.array = array;
        this.end = 8L * toByte;
        this.at = 8L * fromByte;
    }

    IllegalArgumentException wrong(String what) {
        return BytesReader.wrong((int) (at >>> 3), what);
    }

    /** The next {@code bits} (0 to 64). */
    long read(int bits) {
        if (at + bits > end) {
            throw wrong("the bytes end early");
        }
        long value = 0;
        int left = bits;
        while (left > 0) {
            int here = (int) (8 - (at & 7));
            int take = Math.min(here, left);
            int octet = array[(int) (at >>> 3)] & 0xFF;
            value = (value << take) | ((octet >>> (here - take)) & ((1 << take) - 1));
            at += take;
            left -= take;
        }
        return value;
    }

    /** How many zeros precede the next one, which stays unread; at most {@code limit}. */
    int zeros(int limit) {
        int zeros = 0;
        while (read(1) == 0) {
            if (++zeros > limit) {
                throw wrong("a length must have at most " + limit + " leading zeros");
            }
        }
        at--;
        return zeros;
    }

    /** Fewer than eight bits, all zero, must be left. */
    void end() {
        long left = end - at;
        if (left >= 8) {
            throw wrong(left / 8 + " bytes are left over");
        }
        if (read((int) left) != 0) {
            throw wrong("the last bits must be zero");
        }
    }
}
