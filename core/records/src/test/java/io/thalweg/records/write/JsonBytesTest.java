package io.thalweg.records.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JsonBytesTest {
    private static String written(FieldType type, JsonLayout layout, Consumer<ByteRecordWriter> value) {
        JsonBytes writer = new JsonBytes(new Struct(List.of(Field.optional("v", type))), layout);
        writer.begin();
        value.accept(writer);
        writer.end();
        return new String(writer.data(), writer.from(), writer.to() - writer.from(), StandardCharsets.UTF_8);
    }

    private static String written(FieldType type, Consumer<ByteRecordWriter> value) {
        return written(type, JsonLayout.DEFAULT, value);
    }

    private static String of(double value, FieldType type) {
        String json = written(type, writer -> writer.float64(0, value));
        return json.substring("{'v':".length(), json.length() - 1);
    }

    @Test
    void end_fieldsInAnyOrder_isTheOrderOfTheSchema() {
        Struct schema = new Struct(List.of(
                Field.optional("a", FieldType.INT32),
                Field.optional("b \"quoted\"", FieldType.BOOL),
                Field.optional("c", new FieldType.MapOf(FieldType.INT32, FieldType.BOOL, false))));
        JsonBytes writer = new JsonBytes(schema);
        writer.begin();
        writer.beginMap(2);
        writer.int64(3, 1);
        writer.bool(4, false);
        writer.int64(3, -2);
        writer.absent(4);
        writer.endMap(2);
        writer.bool(1, true);
        writer.absent(0);
        writer.end();
        assertThat(new String(writer.data(), 0, writer.to(), StandardCharsets.UTF_8))
                .isEqualTo("{\"b \\\"quoted\\\"\":true,\"c\":{\"1\":false,\"-2\":null}}");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0, 0.0",
        "-0.0, -0.0",
        "1.0, 1.0",
        "0.1, 0.1",
        "-12.5, -12.5",
        "100.25, 100.25",
        "1e-6, 0.000001",
        "52.520008, 52.520008",
        "123456789012345, 123456789012345.0",
        "1e300, 1.0E300"
    })
    void float64_value_isThisText(double value, String text) {
        assertThat(of(value, FieldType.DOUBLE)).isEqualTo(text);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void float64_anyNumber_isParsedBack(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            double value = switch (i % 4) {
                case 0 -> Double.longBitsToDouble(random.nextLong());
                case 1 -> random.nextInt() / Math.pow(10, random.nextInt(10));
                case 2 -> random.nextLong() / Math.pow(10, random.nextInt(22));
                default -> random.nextDouble();
            };
            float narrow = (float) value;
            if (Float.isFinite(narrow)) {
                assertThat(Double.parseDouble(of(value, FieldType.DOUBLE))).isEqualTo(value);
                assertThat(Float.parseFloat(of(narrow, FieldType.FLOAT))).isEqualTo(narrow);
            }
        }
    }

    @Test
    void float64_narrowNumber_hasItsDigitsOnly() {
        assertThat(of(0.1f, FieldType.FLOAT)).isEqualTo("0.1");
    }

    @Test
    void float64_notFinite_isOutOfRange() {
        assertThatThrownBy(() -> of(Double.NaN, FieldType.DOUBLE))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(RecordFault.OUT_OF_RANGE));
    }

    @Test
    void int64_yearThatRfc3339DoesNotHave_isOutOfRange() {
        assertThatThrownBy(() -> written(FieldType.TIMESTAMP, writer -> writer.int64(0, Long.MAX_VALUE)))
                .hasMessageContaining("'v' must be a time of day, or a date in the years 0001 to 9999");
    }

    @Test
    void int64_timeInAUnit_isANumber() {
        JsonLayout millis = new JsonLayout() {
            @Override
            public long unit(String path) {
                return 1_000;
            }
        };
        assertThat(written(FieldType.TIMESTAMP, millis, writer -> writer.int64(0, -1)))
                .isEqualTo("{\"v\":-1}");
        assertThat(written(FieldType.TIMESTAMP, writer -> writer.int64(0, 1_500)))
                .isEqualTo("{\"v\":\"1970-01-01T00:00:00.001500Z\"}");
    }

    @Test
    void bytes_decimalAsANumber_hasNoQuotes() {
        JsonLayout numbers = new JsonLayout() {
            @Override
            public boolean decimalIsNumber(String path) {
                return true;
            }
        };
        byte[] minusFive = {-5};
        assertThat(written(new FieldType.Decimal(9, 3), numbers, writer -> writer.bytes(0, minusFive, 0, 1)))
                .isEqualTo("{\"v\":-0.005}");
    }

    @Test
    void claimHugeLength_lastText_becomesDeepNesting() {
        JsonBytes writer = new JsonBytes(new Struct(List.of(Field.required("v", FieldType.TEXT))));
        writer.begin();
        writer.bytes(0, new byte[] {'a'}, 0, 1);
        writer.end();
        assertThat(writer.claimHugeLength()).isTrue();
        assertThat(new String(writer.data(), 0, writer.to(), StandardCharsets.US_ASCII))
                .isEqualTo("{\"v\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}");
    }
}
