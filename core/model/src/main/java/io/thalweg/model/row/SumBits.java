package io.thalweg.model.row;

import io.thalweg.kernel.hex.RowBits;
import io.thalweg.kernel.hex.RowSink;
import io.thalweg.model.bytes.BitReader;
import io.thalweg.model.bytes.BitWriter;
import io.thalweg.model.bytes.Bytes;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the sums of rows as bits, as specified in {@code docs/reference/packed.md} under "Sums".
 *
 * <p>Disks nest and windows nest, so the second difference of the sums along both axes is itself a count: that of a ring's
 * annulus in the panes that a window adds. These counts are small and similar to their neighbours. Each is written as its width
 * in bits, encoded as the difference from the neighbour's width (Elias gamma of the zigzag), and its bits without the leading
 * one.
 *
 * <p><b>Errors.</b> Reading throws IllegalArgumentException that names the offset, whatever the bytes are.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
final class SumBits {
    /** Non-negative differences of at most this width cannot overflow a sum, however many a row contains. */
    private static final int SURE_WIDTH = 48;
    /** The maximum number of zeros before the leading one of a width's code. */
    private static final int MOST_ZEROS = 7;

    /** Nearly all codes are at most this long. */
    private static final int STEP_BITS = 7;
    /** At {@code expected << STEP_BITS | next bits}: the {@link #step} that they encode, or 0 if they are too few. */
    private static final short[] STEP = new short[(SURE_WIDTH + 1) << STEP_BITS];

    static {
        for (int i = 0; i < STEP.length; i++) {
            long word = (long) i << (Long.SIZE - STEP_BITS);
            boolean whole = 2 * Long.numberOfLeadingZeros(word) < STEP_BITS;
            STEP[i] = (short) (whole ? step(word, i >> STEP_BITS) : 0);
        }
    }

    private final int rings;
    private final int windows;
    private final int features;
    /** The shared encoder of the usual rows; created on first use, because most codecs only read. */
    private volatile @Nullable RowBits usual;

    /** Creates an encoder of rows of {@code rings * windows} sums. */
    SumBits(int rings, int windows) {
        this.rings = rings;
        this.windows = windows;
        this.features = rings * windows;
    }

    /** Returns the encoder of the usual rows for one thread; null if there are too many windows. */
    private @Nullable RowBits usual() {
        if (windows > RowSink.WINDOWS) {
            return null;
        }
        RowBits made = usual;
        if (made == null) {
            made = RowBits.fastest(rings, windows);
            usual = made;
        }
        return made.another();
    }

    /**
     * Packs rows.
     *
     * @param sums row by row
     * @throws IllegalArgumentException if a sum is negative
     */
    PackedSums pack(long[] sums, int rows) {
        PackedSums packed = pack(sums, rows, false);
        return packed != null ? packed : Objects.requireNonNull(pack(sums, rows, true));
    }

    /**
     * Packs rows. The job never produces a negative second difference, but one can be encoded losslessly: it needs
     * {@code signed}, for all rows.
     *
     * @return null if {@code signed} is needed and not set
     */
    private @Nullable PackedSums pack(long[] sums, int rows, boolean signed) {
        Bytes bytes = new Bytes(64 + rows * features);
        BitWriter bits = new BitWriter(bytes);
        Appender appender = new Appender(bits);
        int[] ends = new int[rows];
        for (int row = 0; row < rows; row++) {
            if (!appender.append(sums, row * features, signed)) {
                return null;
            }
            ends[row] = Math.toIntExact(bits.written());
        }
        bits.finish();
        return new PackedSums(signed, bytes.copy(), ends);
    }

    /** Writes rows one after the other. */
    final class Appender {
        private final BitWriter bits;
        private final @Nullable RowBits own = usual();
        private final int[] steps = new int[rings * RowSink.LANES];
        private final long[] differences = new long[features];

        Appender(BitWriter bits) {
            this.bits = bits;
        }

        /**
         * Writes a row, if it can be encoded in this mode.
         *
         * @param from where its sums begin
         * @return false, with nothing written, if {@code signed} is needed and not set
         * @throws IllegalArgumentException if a sum is negative
         */
        boolean append(long[] sums, int from, boolean signed) {
            return (!signed && areSteps(sums, from) && append(steps, 0, RowSink.LANES))
                    || appendWide(sums, from, signed);
        }

        /** Writes a row that is not a usual one, in the same way. */
        boolean appendWide(long[] sums, int from, boolean signed) {
            requireNotNegative(sums, from);
            if (differences(sums, from, differences) < 0 && !signed) {
                return false;
            }
            wide(differences, signed, bits);
            return true;
        }

        /** Writes a row from its steps; returns false, with nothing written, if a difference is negative or not small. */
        boolean append(int[] steps, int at, int ringStride) {
            RowBits some = own;
            return some != null
                    && bits.append(
                            RowBits.mostBytes(rings), (into, bit) -> some.append(steps, at, ringStride, into, bit));
        }

        /** Computes the steps of a row; returns whether its sums are ints that do not decrease from window to window. */
        private boolean areSteps(long[] sums, int from) {
            if (own == null) {
                return false;
            }
            long every = 0;
            for (int ring = 0; ring < rings; ring++) {
                long before = 0;
                for (int window = 0; window < windows; window++) {
                    long sum = sums[from + ring * windows + window];
                    every |= sum | (sum - before);
                    steps[ring * RowSink.LANES + window] = (int) (sum - before);
                    before = sum;
                }
            }
            return every >>> (Integer.SIZE - 1) == 0;
        }
    }

    /** Decodes the sums of all rows. */
    long[] unpack(PackedSums packed) {
        BitReader bits = new BitReader(packed.bits(), 0, packed.bits().length);
        return read(bits, packed.signed(), packed.ends().length);
    }

    /**
     * Finds the bits of rows in an array from byte {@code from} to its end; null if only decoding shows whether they
     * are sums.
     */
    @Nullable
    PackedSums find(byte[] bytes, int from, int rows) {
        if (bytes.length > Integer.MAX_VALUE / Byte.SIZE) {
            return null;
        }
        int[] ends = new int[rows];
        int at = Byte.SIZE * from;
        for (int row = 0; row < rows; row++) {
            at = behindSums(bytes, at);
            if (at < 0) {
                return null;
            }
            ends[row] = at - Byte.SIZE * from;
        }
        int rest = Byte.SIZE * bytes.length - at;
        if (rest < 0 || rest >= Byte.SIZE || Bytes.bits(bytes, at) != 0) {
            return null;
        }
        return new PackedSums(false, Arrays.copyOfRange(bytes, from, bytes.length), ends);
    }

    /** Returns the bit after the sums of one row; negative if that is not certain, or a difference is wide. */
    private int behindSums(byte[] bytes, int from) {
        int at = from;
        long word = Bytes.bits(bytes, at);
        int left = Bytes.SURE_BITS;
        int firstWidth = 0;
        for (int ringAt = 0; ringAt < features; ringAt += windows) {
            int width = firstWidth;
            for (int i = 0; i < windows; i++) {
                int step = STEP[width << STEP_BITS | (int) (word >>> (Long.SIZE - STEP_BITS))];
                if (step == 0) {
                    step = step(word, width);
                }
                if (step == 0) {
                    return -1;
                }
                width = step >>> Byte.SIZE;
                int taken = step & 0xFF;
                at += taken;
                left -= taken;
                if (left > 2 * MOST_ZEROS) { // the next code is whole
                    word <<= taken;
                } else {
                    word = Bytes.bits(bytes, at);
                    left = Bytes.SURE_BITS;
                }
                firstWidth = i == 0 ? width : firstWidth;
            }
        }
        return at;
    }

    /**
     * Decodes the header of the difference that a word begins with.
     *
     * @param expected width
     * @return its width, shifted left by eight bits, and in the lowest eight bits the bits that it takes; 0 if it is
     *     wide or invalid
     */
    private static int step(long word, int expected) {
        int zeros = Long.numberOfLeadingZeros(word);
        if (zeros > MOST_ZEROS) {
            return 0;
        }
        int codeBits = 2 * zeros + 1;
        int width = width(expected, (int) (word >>> (Long.SIZE - codeBits)));
        return width < 0 || width > SURE_WIDTH ? 0 : width << Byte.SIZE | (codeBits + Math.max(0, width - 1));
    }

    private static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    private static int code(int expected, int width) {
        return (int) zigzag(width - expected) + 1;
    }

    /** Returns the width that {@link #code} encoded. */
    private static int width(int expected, int code) {
        int zigzag = code - 1;
        return expected + ((zigzag >>> 1) ^ -(zigzag & 1));
    }

    private static int codeBits(int code) {
        return 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(code)) - 1;
    }

    /** Computes the second differences of a row's sums; returns all of them ORed. */
    private long differences(long[] sums, int from, long[] differences) {
        long every = 0;
        for (int i = 0; i < features; i++) {
            differences[i] = difference(sums, from, i);
            every |= differences[i];
        }
        return every;
    }

    private long difference(long[] sums, int from, int i) {
        long above = i < windows ? 0 : sums[from + i - windows];
        if (i % windows == 0) {
            return sums[from + i] - above;
        }
        long corner = i < windows ? 0 : sums[from + i - windows - 1];
        return sums[from + i] - sums[from + i - 1] - above + corner;
    }

    private void requireNotNegative(long[] sums, int from) {
        long least = Arrays.stream(sums, from, from + features).min().orElseThrow();
        if (least < 0) {
            throw new IllegalArgumentException("a sum must be at least 0, was " + least);
        }
    }

    private void wide(long[] differences, boolean signed, BitWriter out) {
        int firstWidth = 0;
        int expected = 0;
        for (int i = 0; i < features; i++) {
            long value = signed ? zigzag(differences[i]) : differences[i];
            int width = Long.SIZE - Long.numberOfLeadingZeros(value);
            boolean first = i % windows == 0;
            int code = code(first ? firstWidth : expected, width);
            out.write(code, codeBits(code));
            out.write(value, Math.max(0, width - 1)); // without its leading one, which the width implies
            expected = width;
            firstWidth = first ? width : firstWidth;
        }
    }

    /** Reads the sums of rows, up to the end of the bits. */
    long[] read(BitReader in, boolean signed, int rows) {
        long[] sums = new long[rows * features];
        for (int row = 0; row < rows; row++) {
            if (signed || !readUsual(in, sums, row * features)) {
                read(in, signed, sums, row * features);
            }
        }
        in.end();
        return sums;
    }

    /**
     * Reads a row, if no difference is wide; otherwise nothing is consumed.
     *
     * @return false if only {@link #read(BitReader, boolean, long[], int)} can read it, or report what is wrong with it
     */
    /*
     * The next code is found by a lookup in the bits that are at hand, which takes as long as its chain of a load and some shifts.
     * Everything else, above all the words from memory and the sums, is not on that chain.
     */
    private boolean readUsual(BitReader in, long[] sums, int from) {
        long taken = 0;
        long word = in.peek(0);
        int left = Bytes.SURE_BITS;
        int firstWidth = 0;
        for (int ringAt = from; ringAt < from + features; ringAt += windows) {
            int width = firstWidth;
            long outermost = 0; // the ring's annulus, in all panes so far
            for (int i = 0; i < windows; i++) {
                int step = STEP[width << STEP_BITS | (int) (word >>> (Long.SIZE - STEP_BITS))];
                if (step == 0) {
                    step = step(word, width);
                }
                int bits = step & 0xFF;
                if (bits > left) {
                    word = in.peek(taken);
                    left = Bytes.SURE_BITS;
                }
                if (step == 0 || bits > left) {
                    return false;
                }
                width = step >>> Byte.SIZE;
                outermost += ledOrZero(word << (bits - width + 1), width);
                sums[ringAt + i] = outermost + (ringAt == from ? 0 : sums[ringAt + i - windows]);
                firstWidth = i == 0 ? width : firstWidth;
                taken += bits;
                left -= bits;
                word <<= bits;
                if (left <= 2 * MOST_ZEROS) { // the next code may not be whole
                    word = in.peek(taken);
                    left = Bytes.SURE_BITS;
                }
            }
        }
        return in.skipIfPresent(taken);
    }

    private void read(BitReader in, boolean signed, long[] sums, int from) {
        int firstWidth = 0;
        for (int ringAt = from; ringAt < from + features; ringAt += windows) {
            int width = firstWidth;
            long outermost = 0; // the ring's annulus, in all panes so far
            for (int i = 0; i < windows; i++) {
                long word = in.peek();
                int step = width > SURE_WIDTH ? 0 : STEP[width << STEP_BITS | (int) (word >>> (Long.SIZE - STEP_BITS))];
                long value;
                if (step != 0) {
                    width = step >>> Byte.SIZE;
                    int taken = step & 0xFF;
                    value = width == 0 ? 0 : led(word << (taken - width + 1), width);
                    in.skip(taken);
                } else {
                    width = readWidth(in, width);
                    value = width == 0 ? 0 : led(in.read(width - 1) << (Long.SIZE - width + 1), width);
                }
                outermost += signed ? (value >>> 1) ^ -(value & 1) : value;
                long sum = outermost + (ringAt == from ? 0 : sums[ringAt + i - windows]);
                if (sum < 0) {
                    throw in.wrong("a sum must be at least 0, was " + sum);
                }
                sums[ringAt + i] = sum;
                firstWidth = i == 0 ? width : firstWidth;
            }
        }
    }

    /** Returns the same as {@link #led}, or 0 if the width is 0, without a branch. */
    private static long ledOrZero(long word, int width) {
        return (word >>> 1 | Long.MIN_VALUE) >>> 1 >>> (Long.SIZE - 1 - width);
    }

    /** Returns the number of {@code width} bits whose leading one is omitted and whose other bits begin a word. */
    private static long led(long word, int width) {
        return (word >>> 1 | Long.MIN_VALUE) >>> (Long.SIZE - width);
    }

    private static int readWidth(BitReader in, int expected) {
        int width = width(expected, (int) in.read(in.zeros(MOST_ZEROS) + 1));
        if (width < 0 || width > 64) {
            throw in.wrong("a width must be 0 to 64 bits, was " + width);
        }
        return width;
    }
}
