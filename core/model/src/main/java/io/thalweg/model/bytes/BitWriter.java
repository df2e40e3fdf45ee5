package io.thalweg.model.bytes;

/** Appends bits, highest first, to a byte buffer. */
public final class BitWriter {
    /** The bits that a word can hold after those of an incomplete byte. */
    private static final int MOST = Long.SIZE - Byte.SIZE;

    private final Bytes out;
    /** The bits of the last, incomplete byte: the highest of a word whose other bits are zero. */
    private long pending;

    private int count;

    public BitWriter(Bytes out) {
        this.out = out;
    }

    /** Writes the lowest {@code bits} (0 to 64) of a value. */
    public void write(long value, int bits) {
        if (bits > MOST) {
            write(value >>> Integer.SIZE, bits - Integer.SIZE);
            write(value, Integer.SIZE);
        } else if (bits > 0) {
            out.room(Long.BYTES);
            pending |= value << (Long.SIZE - bits) >>> count;
            Bytes.word(out.array(), out.size(), pending);
            count += bits;
            state(out.size() + (count >>> 3), count & (Byte.SIZE - 1), pending << (count & -Byte.SIZE));
        }
    }

    /** Writes bits directly into an array. */
    public interface Writing {
        /**
         * Writes, starting at a bit.
         *
         * @param into its byte at that position contains zeros from that bit on
         * @return the bit after the last one, from which on its byte contains zeros; negative if nothing was written
         */
        int to(byte[] into, int bit);
    }

    /**
     * Appends what a callback writes.
     *
     * @param most bytes past the last one that the callback may touch
     * @return whether anything was written
     */
    public boolean append(int most, Writing writing) {
        out.room(most + Long.BYTES);
        byte[] into = out.array();
        Bytes.word(into, out.size(), pending);
        int bit = writing.to(into, Math.toIntExact(written()));
        if (bit >= 0) {
            int size = bit >>> 3;
            state(size, bit & (Byte.SIZE - 1), (long) into[size] << MOST);
        }
        return bit >= 0;
    }

    private void state(int size, int count, long pending) {
        out.size(size);
        this.count = count;
        this.pending = pending;
    }

    /** Returns the number of bits written since the beginning of the buffer. */
    public long written() {
        return 8L * out.size() + count;
    }

    /** Writes the bits from {@code from} to {@code to} of an array. */
    public void copy(byte[] bits, int from, int to) {
        out.room(((to - from) >>> 3) + 2 * Long.BYTES);
        byte[] into = out.array();
        int size = out.size();
        int pendingBits = count;
        long word = pending;
        for (int at = from; at < to; at += MOST) {
            int take = Math.min(to - at, MOST);
            word |= Bytes.bits(bits, at) >>> (Long.SIZE - take) << (Long.SIZE - take) >>> pendingBits;
            Bytes.word(into, size, word);
            pendingBits += take;
            size += pendingBits >>> 3;
            word <<= pendingBits & -Byte.SIZE;
            pendingBits &= Byte.SIZE - 1;
        }
        state(size, pendingBits, word);
    }

    /** Discards everything that was written, including the earlier contents of the buffer. */
    public void clear() {
        state(0, 0, 0);
    }

    /** Writes the pending bits and fills the last byte with zeros. */
    public void finish() {
        if (count > 0) {
            out.u8((int) (pending >>> MOST));
        }
        pending = 0;
        count = 0;
    }
}
