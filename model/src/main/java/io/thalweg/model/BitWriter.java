package io.thalweg.model;

/** Appends bits, highest first, to a byte buffer. */
final class BitWriter {
    private final Bytes out;
    private long pending;
    private int count;

    BitWriter(Bytes out) {
        this.out = out;
    }

    /** The lowest {@code bits} (0 to 64) of a value. */
    void write(long value, int bits) {
        int room = Long.SIZE - count;
        if (bits < room) {
            pending = pending << bits | (value & ((1L << bits) - 1));
            count += bits;
        } else {
            int rest = bits - room;
            // Shifting by 64 is shifting by 0 in Java: where nothing is pending, nothing need be kept.
            long high = room == Long.SIZE ? 0 : pending << room;
            long mask = room == Long.SIZE ? -1 : (1L << room) - 1;
            out.u64(high | (value >>> rest & mask));
            pending = value & ((1L << rest) - 1);
            count = rest;
        }
    }

    /** Bits written so far, since the buffer began. */
    long written() {
        return 8L * out.size() + count;
    }

    /** The bits from {@code from} to {@code to} of an array. */
    void copy(byte[] bits, int from, int to) {
        int at = from;
        while (at < to) {
            int take = Math.min(to - at, Long.SIZE - Byte.SIZE);
            write(Bytes.bits(bits, at) >>> (Long.SIZE - take), take);
            at += take;
        }
    }

    /** Writes what is pending; the last byte is filled up with zeros. */
    void finish() {
        int bytes = (count + 7) / 8;
        long aligned = pending << (8 * bytes - count);
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            out.u8((int) (aligned >>> shift));
        }
        pending = 0;
        count = 0;
    }
}
