package io.thalweg.kernel.hex;

import static io.thalweg.kernel.hex.LatticeKernel.LANES;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** The implementation with the Vector API. */
/*
 * All windows of a ring are processed at once. A width is the exponent of the count as a float. Each lane becomes a field of at
 * most 32 bits. Adjacent fields are joined twice, so that a ring yields two words, nearly all of which have room for four counts.
 * Rows with a word that does not are left to plain Java.
 */
final class VectorRowBits implements RowBits {
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_256;
    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_256;
    private static final VectorShuffle<Integer> BEFORE =
            VectorShuffle.fromArray(INTS, new int[] {0, 0, 1, 2, 3, 4, 5, 6}, 0);
    private static final VectorMask<Integer> FIRST = VectorMask.fromLong(INTS, 1);
    private static final VectorShuffle<Long> ODD = VectorShuffle.fromArray(LONGS, new int[] {1, 1, 3, 3}, 0);
    private static final int[] NONE = new int[LANES];
    /** The shift that makes the length of a word with a count that is too wide exceed a word. */
    private static final int TOO_LONG = 6;

    private static final long LOW = 0xFFFFFFFFL;
    /** The number of fraction bits of a float. */
    private static final int FRACTION_BITS = 23;

    private static final int EXPONENT_OF_ONE = 127;
    private static final int WORDS_OF_RING = LANES / 2;
    /** The number of bits that a word can hold after a partial byte. */
    private static final int MOST_BITS = Long.SIZE - Byte.SIZE;

    private final RowBits plain;
    private final int rings;
    private final int windows;
    /** All bits of the lanes that are windows. */
    private final int[] windowLanes = new int[LANES];

    /** Words and their lengths; every second element is used. */
    private final long[] words;

    private final long[] lengths;

    VectorRowBits(int rings, int windows) {
        this.plain = new ScalarRowBits(rings, windows);
        this.rings = rings;
        this.windows = windows;
        Arrays.fill(windowLanes, 0, windows, -1);
        this.words = new long[rings * WORDS_OF_RING];
        this.lengths = new long[rings * WORDS_OF_RING];
    }

    @Override
    public RowBits another() {
        return new VectorRowBits(rings, windows);
    }

    @Override
    public int append(int[] steps, int at, int ringStride, byte[] into, int bit) {
        join(steps, at, ringStride);
        int behind = append(into, bit);
        return behind < 0 ? plain.append(steps, at, ringStride, into, bit) : behind;
    }

    /** Joins the fields of each ring into words. A count that is too wide, or negative, makes its word too long. */
    /*
     * No vector lives from ring to ring: C2 may fail to scalarize such a variable, and would allocate an object each time.
     */
    private void join(int[] steps, int at, int ringStride) {
        IntVector used = IntVector.fromArray(INTS, windowLanes, 0);
        int firstWidth = 0;
        int[] before = NONE;
        int beforeAt = 0;
        for (int ring = 0, ringAt = at; ring < rings; ring++, ringAt += ringStride) {
            IntVector counts = IntVector.fromArray(INTS, steps, ringAt)
                    .sub(IntVector.fromArray(INTS, before, beforeAt))
                    .lanewise(VectorOperators.AND, used);
            IntVector atLeastOne = counts.max(1);
            IntVector rests = exponents(atLeastOne).sub(EXPONENT_OF_ONE); // bits after the leading one
            IntVector widths = rests.add(counts.min(1));
            IntVector expected = widths.rearrange(BEFORE).blend(firstWidth, FIRST);
            IntVector changes = widths.sub(expected);
            IntVector zigzags = changes.lanewise(VectorOperators.LSHL, 1)
                    .lanewise(VectorOperators.XOR, changes.lanewise(VectorOperators.ASHR, Integer.SIZE - 1));
            // The code is one more than the zigzag: the leading one, or for a count of 0 the substituted one, carries
            // into it.
            IntVector fields = zigzags.lanewise(VectorOperators.LSHL, rests)
                    .add(atLeastOne)
                    .lanewise(VectorOperators.AND, used);
            IntVector exponents = exponents(zigzags.add(1));
            IntVector bits = exponents
                    .add(exponents)
                    .add(rests)
                    .sub(2 * EXPONENT_OF_ONE - 1)
                    .lanewise(VectorOperators.AND, used)
                    .add(counts.lanewise(VectorOperators.LSHR, MOST_WIDTH).lanewise(VectorOperators.LSHL, TOO_LONG));

            LongVector two = fields.reinterpretAsLongs();
            LongVector twoBits = bits.reinterpretAsLongs();
            LongVector secondBits = twoBits.lanewise(VectorOperators.LSHR, Integer.SIZE);
            two = two.lanewise(VectorOperators.AND, LOW)
                    .lanewise(VectorOperators.LSHL, secondBits)
                    .lanewise(VectorOperators.OR, two.lanewise(VectorOperators.LSHR, Integer.SIZE));
            twoBits = twoBits.lanewise(VectorOperators.AND, LOW).add(secondBits);
            LongVector nextBits = twoBits.rearrange(ODD);
            two.lanewise(VectorOperators.LSHL, nextBits)
                    .lanewise(VectorOperators.OR, two.rearrange(ODD))
                    .intoArray(words, ring * WORDS_OF_RING);
            twoBits.add(nextBits).intoArray(lengths, ring * WORDS_OF_RING);

            firstWidth = Integer.SIZE - Integer.numberOfLeadingZeros(steps[ringAt] - before[beforeAt]);
            before = steps;
            beforeAt = ringAt;
        }
    }

    /** Extracts the exponents of counts as floats. */
    private static IntVector exponents(IntVector counts) {
        FloatVector floats = (FloatVector) counts.convertShape(VectorOperators.I2F, FLOATS, 0);
        return floats.reinterpretAsInts().lanewise(VectorOperators.LSHR, FRACTION_BITS);
    }

    /** Appends all words; returns -1 and leaves {@code into} unchanged up to {@code bit} if a word is too long. */
    private int append(byte[] into, int bit) {
        int size = bit >>> 3;
        int pendingBits = bit & (Byte.SIZE - 1);
        long before = (long) into[size] << MOST_BITS;
        long pending = before;
        for (int at = 0; at < words.length; at += 2) {
            int length = (int) lengths[at];
            if (length > MOST_BITS) {
                ScalarRowBits.WORDS.set(into, bit >>> 3, before);
                return -1;
            }
            pending |= words[at] << (Long.SIZE - pendingBits - length);
            ScalarRowBits.WORDS.set(into, size, pending);
            pendingBits += length;
            size += pendingBits >>> 3;
            pending <<= pendingBits & -Byte.SIZE;
            pendingBits &= Byte.SIZE - 1;
        }
        return Byte.SIZE * size + pendingBits;
    }
}
