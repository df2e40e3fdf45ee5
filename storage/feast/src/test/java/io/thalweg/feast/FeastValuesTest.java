package io.thalweg.feast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares values byte by byte with those of Feast 0.67.0. */
class FeastValuesTest {
    @ParameterizedTest
    @CsvSource({"3.0, 290000000000000840", "0.5, 29000000000000e03f", "0.0, 290000000000000000"})
    void value_double_isFeasts(double value, String bytes) {
        assertThat(hex(FeastValues.value(value))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"0, 2000", "300, 20ac02", "-1, 20ffffffffffffffffff01", "9223372036854775807, 20ffffffffffffffff7f"})
    void value_int64_isFeasts(long value, String bytes) {
        assertThat(hex(FeastValues.value(value))).isEqualTo(bytes);
    }

    @Test
    void value_absent_isAValueWithNothingInIt() {
        assertThat(FeastValues.value((Object) null)).isEmpty();
        assertThat(FeastValues.value(new byte[0])).isNull();
    }

    @Test
    void value_textAndLists_areFeasts() {
        assertThat(hex(FeastValues.value("Zü"))).isEqualTo("12035ac3bc");
        assertThat(hex(FeastValues.value(""))).isEqualTo("1200");
        assertThat(hex(FeastValues.value(List.of(1.5)))).isEqualTo("7a0a0a08000000000000f83f");
        assertThat(hex(FeastValues.value(List.of()))).isEqualTo("7a00");
        for (Object value : List.of("Zü", "", List.of(1.5, -2.0), List.of(), "x".repeat(300))) {
            assertThat(FeastValues.value(FeastValues.value(value))).isEqualTo(value);
        }
    }

    @Test
    void floats_ofNumbers_areFeasts() {
        List<@Nullable Object> numbers = new ArrayList<>(Arrays.asList(1.5, 2L, null));
        assertThat(hex(FeastValues.floats(numbers))).isEqualTo("82010e0a0c" + "0000c03f" + "00000040" + "0000c07f");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T12:00:00Z, 08c0ec80d806",
        "2026-11-20T12:00:00.500Z, 08c0ec80d8061080cab5ee01",
        "1970-01-01T00:00:00Z, ''"
    })
    void timestamp_ofAWindowEnd_isFeasts(Instant time, String bytes) {
        assertThat(hex(FeastValues.timestamp(time.toEpochMilli()))).isEqualTo(bytes);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void value_randomValues_areReadAsWritten(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            Number number = random.nextBoolean()
                    ? (Number) (random.nextLong() >> random.nextInt(64))
                    : (Number) Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
            assertThat(FeastValues.value(FeastValues.value((Object) number))).isEqualTo(number);
        }
        List<Float> floats = random.doubles(random.nextInt(100))
                .mapToObj(value -> (float) value)
                .toList();
        assertThat(FeastValues.floats(FeastValues.floats(floats))).containsExactly(floats.toArray(Float[]::new));
    }

    /** Whatever a field contains, reading returns a value or throws one kind of exception. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void value_anyBytes_areReadOrRefused(long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[random.nextInt(16)];
        random.nextBytes(bytes);
        if (bytes.length > 0 && random.nextBoolean()) {
            bytes[0] = 0x20;
        }
        try {
            Object number = FeastValues.value(bytes);
            assertThat(number == null).isEqualTo(bytes.length == 0);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("as Thalweg writes it");
        }
        assertThatThrownBy(() -> FeastValues.floats(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a value must be");
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
