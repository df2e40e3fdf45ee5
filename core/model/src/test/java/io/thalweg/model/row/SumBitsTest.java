package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares with an implementation that writes the digits as the reference specifies. */
class SumBitsTest {
    static LongStream seeds() {
        return new Random().longs(300);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void pack_anySums_isWhatTheReferenceSays(long seed) {
        Random random = new Random(seed);
        int rings = 1 + random.nextInt(9);
        int windows = 1 + random.nextInt(9);
        boolean nested = random.nextInt(4) > 0;
        long[][] rows = new long[1 + random.nextInt(30)][];
        Arrays.setAll(rows, row -> nested ? nested(rings, windows, random) : any(rings * windows, random));

        PackedSums packed = new SumBits(rings, windows).pack(flat(rows), rows.length);

        Naive naive = new Naive(windows, rows);
        assertThat(packed.signed()).isEqualTo(naive.signed);
        assertThat(packed.ends()).isEqualTo(naive.ends);
        assertThat(digits(packed.bits())).isEqualTo(naive.digits.toString());
        assertThat(new SumBits(rings, windows).unpack(packed)).isEqualTo(flat(rows));
        if (!packed.signed()) {
            PackedSums found = new SumBits(rings, windows).find(packed.bits(), 0, rows.length);
            assertThat(found == null ? packed.ends() : found.ends()).isEqualTo(naive.ends);
        }
    }

    @Test
    void pack_negativeSum_isRefused() {
        long[][] rows = {{1, 2, 3, 4}, {1, 2, -3, 4}};
        assertThatThrownBy(() -> new SumBits(2, 2).pack(flat(rows), 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a sum must be at least 0, was -3");
    }

    private static String digits(byte[] bits) {
        StringBuilder digits = new StringBuilder();
        for (byte b : bits) {
            digits.append(Integer.toBinaryString(0x100 | (b & 0xFF)), 1, 9);
        }
        return digits.toString();
    }

    /** Returns sums of counts, most of them small, some at the limits of the encodings. */
    private static long[] nested(int rings, int windows, Random random) {
        int wide = random.nextInt(8) == 0 ? 40 : 14;
        long[] sums = new long[rings * windows];
        for (int i = 0; i < sums.length; i++) {
            int width = random.nextInt(20) == 0 ? random.nextInt(wide) + 1 : random.nextInt(5);
            long count = random.nextLong() >>> (Long.SIZE - width) & -width >> 31;
            long above = i < windows ? 0 : sums[i - windows];
            long before = i % windows == 0 ? 0 : sums[i - 1] - (i < windows ? 0 : sums[i - windows - 1]);
            sums[i] = (random.nextInt(40) == 0 ? (1L << width) - 1 : count) + above + before;
        }
        return sums;
    }

    private static long[] any(int features, Random random) {
        int shift = 1 + random.nextInt(63);
        return random.longs(features).map(sum -> sum >>> shift).toArray();
    }

    private static long[] flat(long[][] rows) {
        return Arrays.stream(rows).flatMapToLong(Arrays::stream).toArray();
    }

    private static final class Naive {
        private final StringBuilder digits = new StringBuilder();
        private final boolean signed;
        private final int[] ends;

        Naive(int windows, long[][] rows) {
            long[][] differences = new long[rows.length][];
            Arrays.setAll(differences, row -> differences(windows, rows[row]));
            signed = Arrays.stream(differences).flatMapToLong(Arrays::stream).anyMatch(difference -> difference < 0);
            ends = new int[rows.length];
            for (int row = 0; row < rows.length; row++) {
                write(windows, differences[row]);
                ends[row] = digits.length();
            }
            digits.append("0".repeat(-digits.length() & 7));
        }

        private static long[] differences(int windows, long[] sums) {
            long[] differences = new long[sums.length];
            for (int i = 0; i < sums.length; i++) {
                boolean hasRing = i >= windows;
                boolean hasWindow = i % windows > 0;
                differences[i] = sums[i]
                        - (hasRing ? sums[i - windows] : 0)
                        - (hasWindow ? sums[i - 1] : 0)
                        + (hasRing && hasWindow ? sums[i - windows - 1] : 0);
            }
            return differences;
        }

        private void write(int windows, long[] differences) {
            for (int i = 0; i < differences.length; i++) {
                int neighbour = i % windows > 0 ? i - 1 : i - windows;
                String bits = binary(differences[i]);
                int change = bits.length()
                        - (neighbour < 0 ? 0 : binary(differences[neighbour]).length());
                String code = Integer.toBinaryString((change << 1 ^ change >> 31) + 1);
                digits.append("0".repeat(code.length() - 1)).append(code);
                digits.append(bits.isEmpty() ? "" : bits.substring(1));
            }
        }

        private String binary(long difference) {
            long written = signed ? difference << 1 ^ difference >> 63 : difference;
            return written == 0 ? "" : Long.toBinaryString(written);
        }
    }
}
