package io.thalweg.records.json;

import static io.thalweg.records.json.OneMember.INTEGER;
import static io.thalweg.records.json.OneMember.TEXT;
import static io.thalweg.records.json.OneMember.decimal;
import static io.thalweg.records.json.OneMember.fault;
import static io.thalweg.records.json.OneMember.hex;
import static io.thalweg.records.json.OneMember.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.RecordFault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader, value by value. */
class JsonValuesTest {
    @ParameterizedTest
    @CsvSource({
        "12, 12",
        "12.0, 12",
        "1.2e1, 12",
        "120E-1, 12",
        "1200.000e-2, 12",
        "-0, 0",
        "-0.0, 0",
        "0e999999999999, 0",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808",
        "-9223372036854775808.000000000000000000000, -9223372036854775808",
        "9.223372036854775807e18, 9223372036854775807",
        "-922337203685477580800e-2, -9223372036854775808",
        "1e18, 1000000000000000000",
        "0.000000000000000000000000000001e30, 1"
    })
    void read_integerInAnyForm_isExact(String text, long expected) {
        assertThat(value(INTEGER, text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "12.5",
                "1e-1",
                "9223372036854775808",
                "-9223372036854775809",
                "1e19",
                "18446744073709551616",
                "18446744073709551628",
                "9223372036854775807.5",
                "12.00000000000000000000000000001",
                "1e999999999999",
                "\"12\"",
                "true",
                "[1]",
                "{}"
            })
    void read_notAnInteger_wrongType(String text) {
        assertThat(fault(INTEGER, text)).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @ParameterizedTest
    @CsvSource({"int8, 127, 128", "int16, -32768, -32769", "int32, 2147483647, 2147483648"})
    void read_narrowInteger_isCheckedForItsBits(String format, long fits, long beyond) {
        String type = "{\"type\":\"integer\",\"format\":\"" + format + "\"}";
        assertThat(value(type, "" + fits)).isEqualTo(fits);
        assertThat(fault(type, "" + beyond)).isEqualTo(RecordFault.OUT_OF_RANGE);
        assertThat(fault(type, "9223372036854775808")).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @ParameterizedTest
    @CsvSource({
        "s, 1700000000, 1700000000000000",
        "ms, -1, -1000",
        "us, 9223372036854775807, 9223372036854775807",
        "ms, 1.7e12, 1700000000000000"
    })
    void read_epochWithUnit_isMicroseconds(String unit, String text, long expected) {
        assertThat(value("{\"type\":\"integer\",\"x-unit\":\"" + unit + "\"}", text))
                .isEqualTo(expected);
    }

    @Test
    void read_epochBeyondMicroseconds_outOfRange() {
        assertThat(fault("{\"type\":\"integer\",\"x-unit\":\"s\"}", "9223372036855"))
                .isEqualTo(RecordFault.OUT_OF_RANGE);
        assertThat(fault("{\"type\":\"integer\",\"x-unit\":\"ms\"}", "-9223372036854776"))
                .isEqualTo(RecordFault.OUT_OF_RANGE);
    }

    @Test
    void read_double_keepsZeroSignAndRefusesOverflow() {
        assertThat(value("{\"type\":\"number\"}", "-0")).isEqualTo(-0.0);
        assertThat(value("{\"type\":\"number\"}", "1e-400")).isEqualTo(0.0);
        assertThat(value("{\"type\":\"number\"}", "1.7976931348623157e308")).isEqualTo(Double.MAX_VALUE);
        assertThat(fault("{\"type\":\"number\"}", "1e400")).isEqualTo(RecordFault.WRONG_TYPE);
        assertThat(fault("{\"type\":\"number\"}", "\"1\"")).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @Test
    void read_float_isRoundedOnce() {
        String type = "{\"type\":\"number\",\"format\":\"float\"}";
        // Just above the middle between two floats. The nearest double is the middle itself, which would round to even.
        String text = "1.00000005960464477539062500000000000000001";
        assertThat(value(type, text)).isEqualTo((double) Float.parseFloat(text)).isNotEqualTo((double)
                (float) Double.parseDouble(text));
        assertThat(fault(type, "1e39")).isEqualTo(RecordFault.OUT_OF_RANGE);
        assertThat(fault(type, "1e400")).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @ParameterizedTest
    @CsvSource({
        "5, 2, 1.25, 7d",
        "5, 2, -1.25, 83",
        "5, 2, 1.2500, 7d",
        "5, 2, 125e-2, 7d",
        "5, 2, 1e1, 03e8",
        "5, 2, 0e99, 00",
        "5, 2, -0.00, 00",
        "5, 2, 1.27, 7f",
        "5, 2, 1.28, 0080",
        "5, 2, -1.28, 80",
        "5, 2, -1.29, ff7f",
        "38, 0, 99999999999999999999999999999999999999, 4b3b4ca85a86c47a098a223fffffffff",
        "38, 38, -0.99999999999999999999999999999999999999, b4c4b357a5793b85f675ddc000000001",
        "38, 0, 1e37, 0785ee10d5da46d900f436a000000000"
    })
    void read_decimal_isExact(int precision, int scale, String text, String expected) {
        assertThat(value(decimal(precision, scale), text)).isEqualTo(expected);
        assertThat(value(decimal(precision, scale).replace("number", "string"), "\"" + text + "\""))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.255", "1000", "1e99", "1e-3", "99999999999999999999999", "1e-999999999"})
    void read_decimalWithMoreDigits_outOfRange(String text) {
        assertThat(fault(decimal(5, 2), text)).isEqualTo(RecordFault.OUT_OF_RANGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.25", "\"\"", "\"+1\"", "\"01\"", "\" 1\"", "\"1 \"", "\"1,5\"", "\"-\"", "null1"})
    void read_otherTextForDecimalText_isRefused(String text) {
        assertThat(fault(decimal(5, 2).replace("number", "string"), text))
                .isIn(RecordFault.WRONG_TYPE, RecordFault.UNDECODABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01T00:00:00Z, 0",
        "1970-01-01t00:00:00z, 0",
        "1970-01-01 00:00:00.000001+00:00, 1",
        "1970-01-01T01:00:00+01:00, 0",
        "1969-12-31T23:59:59.9999999-00:00, -1",
        "2000-02-29T12:00:00.5Z, 951825600500000",
        "0001-01-01T00:00:00Z, -62135596800000000",
        "9999-12-31T23:59:59.999999999Z, 253402300799999999"
    })
    void read_timestamp_isMicrosecondsInUtc(String text, long expected) {
        assertThat(value("{\"type\":\"string\",\"format\":\"date-time\"}", "\"" + text + "\""))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01T00:00:00, WRONG_TYPE",
        "1970-01-01, WRONG_TYPE",
        "'1970-01-01T', WRONG_TYPE",
        "1970-01-01T00:00Z, WRONG_TYPE",
        "1970-01-01T00:00:00.Z, WRONG_TYPE",
        "1970-01-01T00:00:60Z, WRONG_TYPE",
        "1970-01-01T24:00:00Z, WRONG_TYPE",
        "1970-01-01T00:00:00+0100, WRONG_TYPE",
        "1970-01-01T00:00:00+24:00, WRONG_TYPE",
        "1970-02-29T00:00:00Z, WRONG_TYPE",
        "1900-02-29T00:00:00Z, WRONG_TYPE",
        "1970-13-01T00:00:00Z, WRONG_TYPE",
        "1970-00-01T00:00:00Z, WRONG_TYPE",
        "1970-01-00T00:00:00Z, WRONG_TYPE",
        "10000-01-01T00:00:00Z, WRONG_TYPE",
        "1970-01-01T00:00:00ZZ, WRONG_TYPE",
        "'', WRONG_TYPE",
        "0000-01-01T00:00:00Z, OUT_OF_RANGE",
        "0001-01-01T00:00:00+01:00, OUT_OF_RANGE",
        "9999-12-31T23:59:59-00:01, OUT_OF_RANGE"
    })
    void read_otherTextForTimestamp_isRefused(String text, RecordFault expected) {
        assertThat(fault("{\"type\":\"string\",\"format\":\"date-time\"}", "\"" + text + "\""))
                .isEqualTo(expected);
    }

    @Test
    void read_dateAndTime_areDaysAndMicroseconds() {
        String date = "{\"type\":\"string\",\"format\":\"date\"}";
        String time = "{\"type\":\"string\",\"format\":\"time\"}";
        assertThat(value(date, "\"1969-12-31\"")).isEqualTo(-1L);
        assertThat(value(date, "\"2000-03-01\"")).isEqualTo(11017L);
        assertThat(fault(date, "\"2000-3-01\"")).isEqualTo(RecordFault.WRONG_TYPE);
        assertThat(fault(date, "\"0000-03-01\"")).isEqualTo(RecordFault.OUT_OF_RANGE);
        assertThat(value(time, "\"00:00:01.5\"")).isEqualTo(1_500_000L);
        assertThat(value(time, "\"23:59:59.9999999Z\"")).isEqualTo(86_399_999_999L);
        assertThat(fault(time, "\"00:00:01+01:00\"")).isEqualTo(RecordFault.WRONG_TYPE);
        assertThat(fault(time, "\"00:0\"")).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @Test
    void read_uuidAndBase64_areStrict() {
        String uuid = "{\"type\":\"string\",\"format\":\"uuid\"}";
        String base64 = "{\"type\":\"string\",\"contentEncoding\":\"base64\"}";
        assertThat(value(uuid, "\"6F1c2f5e-8a3b-4c47-9d0e-1b2a3c4d5e6f\""))
                .isEqualTo("6f1c2f5e8a3b4c479d0e1b2a3c4d5e6f");
        for (String other : List.of("6f1c2f5e8a3b4c479d0e1b2a3c4d5e6f", "6f1c2f5e-8a3b-4c47-9d0e-1b2a3c4d5e6g", "")) {
            assertThat(fault(uuid, "\"" + other + "\"")).isEqualTo(RecordFault.WRONG_TYPE);
        }
        assertThat(value(base64, "\"\"")).isEqualTo("");
        assertThat(value(base64, "\"AP8=\"")).isEqualTo("00ff");
        assertThat(value(base64, "\"+\\/8A\"")).isEqualTo("fbff00");
        for (String other : List.of("AP8", "AAAAA", "AP9=", "A===", "AP8=AP8=", "A P8", "-_8A", "AA=A", "====")) {
            assertThat(fault(base64, "\"" + other + "\"")).as(other).isEqualTo(RecordFault.WRONG_TYPE);
        }
    }

    @Test
    void read_escapes_areReplaced() {
        assertThat(value(TEXT, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\uDE00x\""))
                .isEqualTo(hex("\"\\/\b\f\n\r\té€😀x"));
        assertThat(value(TEXT, "\"é日本😀\"")).isEqualTo(hex("é日本😀"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\ud83d", "\\ude00", "a\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\ud83dx\\ude00"})
    void read_halfOfASurrogatePair_isInvalidText(String text) {
        for (String type : List.of(TEXT, "{\"type\":\"string\",\"format\":\"uuid\"}")) {
            assertThat(fault(type, "\"" + text + "\"")).isEqualTo(RecordFault.INVALID_TEXT);
        }
        String map = "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}";
        assertThat(fault(map, "{\"" + text + "\":1}")).isEqualTo(RecordFault.INVALID_TEXT);
    }
}
