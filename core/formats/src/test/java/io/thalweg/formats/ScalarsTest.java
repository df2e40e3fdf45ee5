package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScalarsTest {
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void uuid_randomText_hasItsBits(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            String text =
                    random.nextBoolean() ? uuid.toString() : uuid.toString().toUpperCase(java.util.Locale.ROOT);
            byte[] data = ("x" + text + "y").getBytes(StandardCharsets.ISO_8859_1);
            assertThat(Scalars.isUuid(data, 1, 36)).as(text).isTrue();
            assertThat(new UUID(Scalars.uuidHi(data, 1), Scalars.uuidLo(data, 1)))
                    .isEqualTo(uuid);
        }
    }

    @Test
    void isUuid_anyByteAtAnyPlace_agreesWithThePattern() {
        byte[] good = Views.UUID_A.getBytes(StandardCharsets.ISO_8859_1);
        for (int at = 0; at < good.length; at++) {
            for (int b = 0; b < 256; b++) {
                byte[] data = good.clone();
                data[at] = (byte) b;
                String text = new String(data, StandardCharsets.ISO_8859_1);
                assertThat(Scalars.isUuid(data, 0, 36))
                        .as("byte %d at %d", b, at)
                        .isEqualTo(UUID_TEXT.matcher(text).matches());
            }
        }
        assertThat(Scalars.isUuid(Arrays.copyOf(good, 37), 0, 37)).isFalse();
        assertThat(Scalars.isUuid(good, 0, 35)).isFalse();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void digits_randomNumber_hasItsValue(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            int count = 1 + random.nextInt(15);
            long value = random.nextLong((long) Math.pow(10, count));
            String text = ("%0" + count + "d").formatted(value);
            byte[] data = ("-" + text + ",9999999999999999").getBytes(StandardCharsets.ISO_8859_1);
            assertThat(Decimals.digits(data, 1, count)).as(text).isEqualTo(value);
        }
    }
}
