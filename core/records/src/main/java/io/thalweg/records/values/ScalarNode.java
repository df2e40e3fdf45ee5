package io.thalweg.records.values;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.Utf8;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** A scalar value, which is checked against its type and reported. */
abstract class ScalarNode extends ValueNode {
    private ScalarNode(int slot, String path) {
        super(slot, path);
    }

    static ScalarNode of(Scalar type, int slot, String path) {
        if (type instanceof Bool) {
            return new OfBool(slot, path);
        }
        if (type instanceof Int whole) {
            return new OfInt(whole.bits(), slot, path);
        }
        if (type instanceof Real real) {
            return new OfReal(real.bits() == 32, slot, path);
        }
        if (type instanceof Bytes) {
            return new OfBytes(slot, path);
        }
        if (type instanceof Uuid) {
            return new OfUuid(slot, path);
        }
        if (type instanceof Decimal decimal) {
            return new OfDecimal(decimal, slot, path);
        }
        if (type instanceof Date) {
            return new OfDate(slot, path);
        }
        if (type instanceof Time) {
            return new OfTime(slot, path);
        }
        if (type instanceof Timestamp timestamp) {
            return timestamp.utc() ? new OfInstant(slot, path) : new OfLocal(slot, path);
        }
        return new OfText(slot, path);
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    }

    private static final class OfBool extends ScalarNode {
        OfBool(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            writer.bool(slot, as(Boolean.class, "a Boolean", value));
        }
    }

    private static final class OfInt extends ScalarNode {
        private final int bits;

        OfInt(int bits, int slot, String path) {
            super(slot, path);
            this.bits = bits;
        }

        @Override
        void write(Object value, RecordWriter writer) {
            long number = isWhole(value) ? ((Number) value).longValue() : as(Long.class, "a Long", value);
            int spare = 64 - bits;
            if (number << spare >> spare != number) {
                throw wrong("an integer of " + bits + " bits", number);
            }
            writer.int64(slot, number);
        }
    }

    private static final class OfReal extends ScalarNode {
        private final boolean narrow;

        OfReal(boolean narrow, int slot, String path) {
            super(slot, path);
            this.narrow = narrow;
        }

        @Override
        void write(Object value, RecordWriter writer) {
            boolean isNumber = value instanceof Float || (isWhole(value) && !(value instanceof Long));
            double number = isNumber ? ((Number) value).doubleValue() : as(Double.class, "a Double", value);
            double written = narrow ? (float) number : number;
            if (Double.isInfinite(written) && !Double.isInfinite(number)) {
                throw wrong("a number of 32 bits", number);
            }
            writer.float64(slot, written);
        }
    }

    private static final class OfText extends ScalarNode {
        private char[] chars = new char[64];
        private byte[] utf8 = new byte[3 * 64];

        OfText(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            String text = as(String.class, "a String", value);
            int length = text.length();
            if (length > chars.length) {
                chars = new char[Math.addExact(length, length >> 1)];
                utf8 = new byte[Math.multiplyExact(3, chars.length)];
            }
            text.getChars(0, length, chars, 0);
            int end = Utf8.encode(chars, 0, length, utf8, 0);
            if (end < 0) {
                throw wrong("valid Unicode text", "text with half of a surrogate pair");
            }
            writer.bytes(slot, utf8, 0, end);
        }
    }

    private static final class OfBytes extends ScalarNode {
        OfBytes(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            byte[] bytes = as(byte[].class, "a byte[]", value);
            writer.bytes(slot, bytes, 0, bytes.length);
        }
    }

    private static final class OfUuid extends ScalarNode {
        private final byte[] bytes = new byte[16];

        OfUuid(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            UUID uuid = as(UUID.class, "a UUID", value);
            ByteBuffer.wrap(bytes).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
            writer.bytes(slot, bytes, 0, bytes.length);
        }
    }

    private static final class OfDecimal extends ScalarNode {
        private final Decimal type;

        OfDecimal(Decimal type, int slot, String path) {
            super(slot, path);
            this.type = type;
        }

        @Override
        void write(Object value, RecordWriter writer) {
            BigDecimal number = as(BigDecimal.class, "a BigDecimal", value);
            BigDecimal exact = number.scale() > type.scale() ? number.stripTrailingZeros() : number;
            // Checked before the scale is changed: 1e-999999999 and 1e999999999 would become a gigabyte of digits.
            boolean fraction = exact.scale() > type.scale();
            boolean large =
                    exact.signum() != 0 && (long) exact.precision() - exact.scale() > type.precision() - type.scale();
            if (fraction || large) {
                throw wrong(
                        "a decimal of at most %d digits, %d of them after the point"
                                .formatted(type.precision(), type.scale()),
                        number.precision() > 60 ? "one of " + number.precision() + " digits" : number);
            }
            byte[] unscaled = exact.setScale(type.scale()).unscaledValue().toByteArray();
            writer.bytes(slot, unscaled, 0, unscaled.length);
        }
    }

    private static final class OfDate extends ScalarNode {
        OfDate(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            long days = as(LocalDate.class, "a LocalDate", value).toEpochDay();
            if (days != (int) days) {
                throw wrong("a date within five million years", value);
            }
            writer.int64(slot, days);
        }
    }

    private static final class OfTime extends ScalarNode {
        OfTime(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            writer.int64(slot, as(LocalTime.class, "a LocalTime", value).toNanoOfDay() / 1_000);
        }
    }

    private static final class OfInstant extends ScalarNode {
        OfInstant(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            writer.int64(slot, micros(as(Instant.class, "an Instant", value)));
        }
    }

    private static final class OfLocal extends ScalarNode {
        OfLocal(int slot, String path) {
            super(slot, path);
        }

        @Override
        void write(Object value, RecordWriter writer) {
            writer.int64(
                    slot,
                    micros(as(LocalDateTime.class, "a LocalDateTime", value).toInstant(ZoneOffset.UTC)));
        }
    }

    final long micros(Instant instant) {
        try {
            long seconds = instant.getEpochSecond();
            int micros = instant.getNano() / 1_000;
            // The first second in range starts before the first microsecond in range.
            return seconds < 0
                    ? Math.addExact(Math.multiplyExact(seconds + 1, 1_000_000L), micros - 1_000_000L)
                    : Math.addExact(Math.multiplyExact(seconds, 1_000_000L), micros);
        } catch (ArithmeticException e) {
            throw wrong("a time between the years -290308 and 294247", instant);
        }
    }
}
