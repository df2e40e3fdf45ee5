package io.thalweg.records.avro;

import static io.thalweg.records.avro.AvroReaderTest.assertFault;
import static io.thalweg.records.avro.AvroReaderTest.assertUndecodable;
import static io.thalweg.records.avro.AvroReaderTest.bytes;
import static io.thalweg.records.avro.AvroReaderTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.RecordFault;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scalar values, as {@link AvroReader} reads them. */
class AvroScalarsTest {
    private static String logical(String type, String logical) {
        return "{\"type\": \"" + type + "\", \"logicalType\": \"" + logical + "\"}";
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                -1,
                63,
                -64,
                64,
                8191,
                8192,
                -8193,
                1 << 20,
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                1L << 34,
                1L << 41,
                1L << 48,
                (1L << 55) - 1,
                1L << 55,
                1L << 62,
                Long.MAX_VALUE,
                Long.MIN_VALUE
            })
    void read_longsOfEveryLength_returnsThem(long value) {
        assertThat(value("\"long\"", bytes().number(value))).isEqualTo(value);
        assertThat(value(
                        "{\"type\": \"array\", \"items\": \"long\"}",
                        bytes().number(2).number(value).number(-value).number(0)))
                .isEqualTo(List.of(value, -value));
    }

    @Test
    void read_numberOfTooManyBytes_isUndecodable() {
        assertUndecodable("\"long\"", bytes().raw(255, 255, 255, 255, 255, 255, 255, 255, 255, 2));
        assertUndecodable("\"long\"", bytes().raw(128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0));
    }

    @Test
    void read_intBeyond32Bits_isUndecodable() {
        assertFault(RecordFault.UNDECODABLE, "\"int\"", bytes().number(1L + Integer.MAX_VALUE));
        assertFault(RecordFault.UNDECODABLE, "\"int\"", bytes().raw(0x80, 0x80, 0x80, 0x80, 0x80, 0));
        assertThat(value("\"int\"", bytes().raw(0x82, 0x80, 0x80, 0x80, 0))).isEqualTo(1L);
    }

    @Test
    void read_booleanOtherThan0Or1_isUndecodable() {
        assertFault(RecordFault.UNDECODABLE, "\"boolean\"", bytes().raw(2));
        assertFault(RecordFault.UNDECODABLE, "\"boolean\"", bytes().raw(255));
    }

    @Test
    void read_invalidUtf8_isInvalidText() {
        assertFault(RecordFault.INVALID_TEXT, "\"string\"", bytes().bytes('a', 0xC0, 0x80));
        assertFault(
                RecordFault.INVALID_TEXT,
                "{\"type\": \"map\", \"values\": \"int\"}",
                bytes().number(1).bytes(0xFF).number(1).number(0));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3, Integer.MAX_VALUE, 1L << 32, Long.MIN_VALUE})
    void read_lengthThatIsNotThere_isUndecodable(long length) {
        assertUndecodable("\"string\"", bytes().number(length).raw('a'));
        assertUndecodable("\"bytes\"", bytes().number(length).raw('a'));
    }

    @Test
    void read_times_haveMicroseconds() {
        assertThat(value(logical("long", "timestamp-millis"), bytes().number(-5)))
                .isEqualTo(-5000L);
        assertThat(value(logical("long", "timestamp-micros"), bytes().number(-5)))
                .isEqualTo(-5L);
        assertThat(value(logical("long", "timestamp-nanos"), bytes().number(-5)))
                .isEqualTo(-1L);
        assertThat(value(logical("long", "local-timestamp-nanos"), bytes().number(1999)))
                .isEqualTo(1L);
        assertThat(value(logical("int", "time-millis"), bytes().number(86_399_999)))
                .isEqualTo(86_399_999_000L);
        assertThat(value(logical("int", "date"), bytes().number(-1))).isEqualTo(-1L);
    }

    @Test
    void read_timeOfDayOutsideADay_isOutOfRange() {
        String millis = logical("int", "time-millis");
        String micros = logical("long", "time-micros");
        assertThat(value(millis, bytes().number(0))).isEqualTo(0L);
        assertThat(value(micros, bytes().number(86_399_999_999L))).isEqualTo(86_399_999_999L);
        for (long outside : new long[] {-1, 86_400_000, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertFault(RecordFault.OUT_OF_RANGE, millis, bytes().number(outside));
        }
        for (long outside : new long[] {-1, 86_400_000_000L, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertFault(RecordFault.OUT_OF_RANGE, micros, bytes().number(outside));
        }
    }

    @Test
    void read_millisecondsBeyondMicroseconds_areOutOfRange() {
        String millis = logical("long", "timestamp-millis");
        long most = Long.MAX_VALUE / 1000;
        assertThat(value(millis, bytes().number(most))).isEqualTo(most * 1000);
        assertThat(value(millis, bytes().number(-most))).isEqualTo(-most * 1000);
        assertFault(RecordFault.OUT_OF_RANGE, millis, bytes().number(most + 1));
        assertFault(RecordFault.OUT_OF_RANGE, millis, bytes().number(Long.MIN_VALUE));
    }

    @Test
    void read_decimal_dropsRepeatedSignsAndChecksDigits() {
        String decimal = "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 5, \"scale\": 2}";
        assertThat(value(decimal, bytes().bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80)))
                .isEqualTo(BigInteger.valueOf(128));
        assertThat(value(decimal, bytes().bytes(255, 255, 255, 0x80))).isEqualTo(BigInteger.valueOf(-128));
        assertThat(value(decimal, bytes().bytes(0))).isEqualTo(BigInteger.ZERO);
        assertThat(value(decimal, bytes().bytes(0x01, 0x86, 0x9F))).isEqualTo(BigInteger.valueOf(99_999));
        assertFault(RecordFault.OUT_OF_RANGE, decimal, bytes().bytes(0x01, 0x86, 0xA0));
        assertFault(RecordFault.OUT_OF_RANGE, decimal, bytes().bytes(0xFE, 0x79, 0x60));
        assertFault(RecordFault.UNDECODABLE, decimal, bytes().bytes());
        int[] many = new int[17];
        Arrays.fill(many, 1);
        assertFault(RecordFault.OUT_OF_RANGE, decimal.replace("5", "38"), bytes().bytes(many));
    }

    @Test
    void read_decimalOf38Digits_isCheckedInAllBits() {
        String decimal = "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 38}";
        BigInteger above = BigInteger.TEN.pow(38);
        BigInteger most = above.subtract(BigInteger.ONE);
        for (BigInteger value : List.of(most, most.negate())) {
            assertThat(value(decimal, unscaled(value))).isEqualTo(value);
        }
        assertFault(RecordFault.OUT_OF_RANGE, decimal, unscaled(above));
        assertFault(RecordFault.OUT_OF_RANGE, decimal, unscaled(above.negate()));
        assertFault(RecordFault.OUT_OF_RANGE, decimal, unscaled(above.setBit(63)));
    }

    private static AvroBytes unscaled(BigInteger value) {
        byte[] bytes = value.toByteArray();
        return bytes().number(bytes.length).raw(bytes);
    }

    @Test
    void read_uuidAsText_hasSixteenBytes() {
        String uuid = logical("string", "uuid");
        ByteBuffer expected = ByteBuffer.allocate(16)
                .putLong(0x0123456789abcdefL)
                .putLong(0xfedcba9876543210L)
                .flip();
        assertThat(value(uuid, bytes().text("01234567-89ab-cdef-FEDC-ba9876543210")))
                .isEqualTo(expected);
        for (String malformed : List.of(
                "01234567-89ab-cdef-fedc-ba987654321",
                "01234567-89ab-cdef-fedc-ba98765432100",
                "01234567-89ab-cdef-fedcbba9876543210",
                "01234567-89ab-cdef-fedc-ba987654321g",
                "0123456-789ab-cdef-fedc-ba9876543210")) {
            assertFault(RecordFault.UNDECODABLE, uuid, bytes().text(malformed));
        }
    }
}
