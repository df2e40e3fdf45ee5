package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares numbers with the parsers of the JDK. */
class JsonDoublesTest {
    /** Over all seeds: a million texts. */
    private static final int TEXTS = 50_000;

    private final JsonNumber number = new JsonNumber();

    private void check(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        assertThat(number.scan(bytes, 0, bytes.length)).isEqualTo(bytes.length);
        double value = JsonDoubles.toDouble(number);
        double expected = Double.parseDouble(text);
        if (Double.doubleToRawLongBits(value) != Double.doubleToRawLongBits(expected)) {
            assertThat(value).as(text).isEqualTo(expected);
        }
        float narrow = JsonDoubles.toFloat(number, value);
        float expectedFloat = Float.parseFloat(text);
        if (Float.floatToRawIntBits(narrow) != Float.floatToRawIntBits(expectedFloat)) {
            assertThat(narrow).as(text + " as a float").isEqualTo(expectedFloat);
        }
    }

    private static String text(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Double.toString(Double.longBitsToDouble(random.nextLong()));
            case 1 -> Float.toString(Float.intBitsToFloat(random.nextInt()));
            case 2 -> random.nextInt() + "." + random.nextInt(Integer.MAX_VALUE);
            case 3 -> digits(random, 1 + random.nextInt(30)) + "e" + (random.nextInt(700) - 350);
            case 4 -> "-0." + "0".repeat(random.nextInt(30)) + digits(random, 1 + random.nextInt(25));
            case 5 -> Double.toString(random.nextDouble() * 180 - 90);
            case 6 -> middle(random);
            default -> Long.toString(random.nextLong()) + "E" + (random.nextInt(40) - 20);
        };
    }

    private static String digits(Random random, int count) {
        StringBuilder digits = new StringBuilder().append((char) ('1' + random.nextInt(9)));
        while (digits.length() < count) {
            digits.append((char) ('0' + random.nextInt(10)));
        }
        return digits.toString();
    }

    /** Returns the middle between two doubles or floats, or a number next to it: the hardest cases to round. */
    private static String middle(Random random) {
        double lower = random.nextBoolean()
                ? Math.abs(random.nextDouble()) * Math.pow(2, random.nextInt(100) - 50)
                : (double) random.nextFloat();
        double upper = random.nextBoolean() ? Math.nextUp(lower) : (double) Math.nextUp((float) lower);
        BigDecimal middle = new BigDecimal(lower).add(new BigDecimal(upper)).divide(new BigDecimal(2));
        BigDecimal nudge =
                middle.ulp().movePointLeft(random.nextInt(5)).multiply(new BigDecimal(random.nextInt(3) - 1));
        return middle.add(nudge).toString();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void toDouble_randomTexts_equalThoseOfTheJdk(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < TEXTS; i++) {
            String text = text(random);
            if (!text.equals("NaN") && !text.endsWith("Infinity")) {
                check(text);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "0e400",
                "1e-400",
                "1e400",
                "4.9e-324",
                "2.4703282292062327e-324",
                "2.4703282292062328e-324",
                "2.2250738585072011e-308",
                "2.2250738585072014e-308",
                "1.7976931348623157e308",
                "1.7976931348623158e308",
                "1.7976931348623159e308",
                "9007199254740993",
                "9007199254740992.99999999999999999999999999",
                "18446744073709551615",
                "18446744073709551616",
                "9999999999999999999",
                "99999999999999999999",
                "1e22",
                "1e23",
                "8.5e-323",
                "1.4e-45",
                "7.006492321624085e-46",
                "3.4028235677973366e38",
                "6.631236846766476e-316"
            })
    void toDouble_edges_equalThoseOfTheJdk(String text) {
        check(text);
        check("-" + text.replace("-0", "0"));
    }

    @Test
    void toDouble_longest_equalThatOfTheJdk() {
        check("1." + "0".repeat(900) + "1");
        check("9007199254740993." + "0".repeat(900) + "1");
        check("0." + "0".repeat(400) + "1e400");
    }
}
