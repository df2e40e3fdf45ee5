package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the encoders with a naive one that writes digits. */
class RowBitsTest {
    static LongStream seeds() {
        return new Random().longs(200);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void append_anySteps_writesTheDigitsOfTheTwin(long seed) {
        Random random = new Random(seed);
        int rings = 1 + random.nextInt(9);
        int windows = 1 + random.nextInt(RowSink.WINDOWS);
        int ringStride = RowSink.LANES * (1 + random.nextInt(5));
        int at = random.nextInt(20);
        int[][] rows = new int[40][];
        Arrays.setAll(rows, row -> steps(rings, ringStride, at, random));

        StringBuilder digits = new StringBuilder();
        Arrays.stream(rows).forEach(row -> digits.append(digits(row, at, ringStride, rings, windows)));

        assertThat(written(new ScalarRowBits(rings, windows), rows, at, ringStride, rings))
                .isEqualTo(digits.toString());
        assertThat(written(RowBits.vector(rings, windows), rows, at, ringStride, rings))
                .isEqualTo(digits.toString());
    }

    /** Most counts are small; lanes without a window have arbitrary values. */
    private static int[] steps(int rings, int ringStride, int at, Random random) {
        int widest = random.nextInt(12) == 0 ? 18 : 6;
        int[] steps = new int[at + rings * ringStride];
        Arrays.setAll(steps, n -> random.nextInt(1000));
        for (int ring = 0; ring < rings; ring++) {
            for (int lane = 0; lane < RowSink.LANES; lane++) {
                int count = random.nextInt() >>> (Integer.SIZE - 1 - random.nextInt(widest)) >>> random.nextInt(3);
                int to = at + ring * ringStride + lane;
                steps[to] = count + (ring == 0 ? 0 : steps[to - ringStride]);
            }
        }
        if (random.nextInt(12) == 0) {
            steps[at + random.nextInt(rings) * ringStride] = 0; // perhaps less than the ring before
        }
        return steps;
    }

    /** Returns the written bits; refused rows are skipped. */
    private static String written(RowBits bits, int[][] rows, int at, int ringStride, int rings) {
        byte[] into = new byte[rows.length * RowBits.mostBytes(rings)];
        int bit = 0;
        for (int[] row : rows) {
            int behind = bits.append(row, at, ringStride, into, bit);
            if (behind < 0) {
                into[bit >>> 3] &= (byte) -(1 << (Byte.SIZE - (bit & 7)));
            } else {
                bit = behind;
                assertThat(into[bit >>> 3] << (bit & 7) & 0xFF).isZero();
            }
        }
        StringBuilder digits = new StringBuilder();
        for (byte b : into) {
            digits.append(Integer.toBinaryString(0x100 | (b & 0xFF)), 1, 9);
        }
        return digits.substring(0, bit);
    }

    private static String digits(int[] steps, int at, int ringStride, int rings, int windows) {
        StringBuilder digits = new StringBuilder();
        String[] counts = new String[rings * windows];
        for (int i = 0; i < counts.length; i++) {
            int ring = i / windows;
            int step = at + ring * ringStride + i % windows;
            int count = steps[step] - (ring == 0 ? 0 : steps[step - ringStride]);
            if (count < 0 || count >= 1 << RowBits.MOST_WIDTH) {
                return "";
            }
            counts[i] = count == 0 ? "" : Integer.toBinaryString(count);
            int neighbour = i % windows > 0 ? i - 1 : i - windows;
            int change = counts[i].length() - (neighbour < 0 ? 0 : counts[neighbour].length());
            String code = Integer.toBinaryString((change << 1 ^ change >> 31) + 1);
            digits.append("0".repeat(code.length() - 1)).append(code);
            digits.append(counts[i].isEmpty() ? "" : counts[i].substring(1));
        }
        return digits.toString();
    }
}
