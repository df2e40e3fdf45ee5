package io.thalweg.model.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares with reading the bits one by one. */
class BitReaderTest {
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_anyWidths_areTheBits(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            byte[] array = new byte[random.nextInt(40)];
            random.nextBytes(array);
            int from = random.nextInt(array.length + 1);
            int to = from + random.nextInt(array.length + 1 - from);
            BigInteger bits = new BigInteger(1, Arrays.copyOfRange(array, from, to));
            BitReader reader = new BitReader(array, from, to);
            for (int left = 8 * (to - from); ; ) {
                int width = random.nextInt(65);
                if (width > left) {
                    assertThatThrownBy(() -> reader.read(width))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("end early");
                    break;
                }
                left -= width;
                assertThat(reader.read(width)).isEqualTo(bits.shiftRight(left).longValue() & mask(width));
            }
        }
    }

    private static long mask(int width) {
        return width == 64 ? -1 : (1L << width) - 1;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void zeros_anywhere_areCounted(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            byte[] array = new byte[1 + random.nextInt(20)];
            for (int i = 0; i < array.length; i++) {
                array[i] = (byte) (random.nextInt(3) == 0 ? 1 << random.nextInt(8) : 0);
            }
            int to = 1 + random.nextInt(array.length);
            int skipped = random.nextInt(8);
            int limit = random.nextInt(50);
            BitReader reader = new BitReader(array, 0, to);
            assertThat(reader.read(skipped)).isNotNegative();
            int zeros = 0;
            while (skipped + zeros < 8 * to && isZero(array, skipped + zeros)) {
                zeros++;
            }
            if (zeros > limit) {
                assertThatThrownBy(() -> reader.zeros(limit)).hasMessageContaining("at most " + limit);
            } else if (skipped + zeros == 8 * to) {
                assertThatThrownBy(() -> reader.zeros(limit)).hasMessageContaining("end early");
            } else {
                assertThat(reader.zeros(limit)).isEqualTo(zeros);
                assertThat(reader.read(1)).isOne();
            }
        }
    }

    private static boolean isZero(byte[] array, int bit) {
        return (array[bit / 8] >> (7 - bit % 8) & 1) == 0;
    }
}
