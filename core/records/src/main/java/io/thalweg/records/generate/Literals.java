package io.thalweg.records.generate;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.UUID;

/** Parses the values that options give as text. */
final class Literals {
    private Literals() {}

    /** Parses a value of {@code Int}, {@code Date}, {@code Time} or {@code Timestamp}. */
    static long whole(String path, FieldType type, String text) {
        try {
            if (type instanceof Date) {
                return LocalDate.parse(text).toEpochDay();
            }
            if (type instanceof Time) {
                return LocalTime.parse(text).toNanoOfDay() / 1_000;
            }
            if (type instanceof Timestamp timestamp) {
                return micros(timestamp.utc() ? Instant.parse(text) : local(text));
            }
            return fitting((Int) type, Long.parseLong(text));
        } catch (NumberFormatException | ArithmeticException | DateTimeException e) {
            throw invalid(path, type, text, e);
        }
    }

    private static Instant local(String text) {
        return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
    }

    private static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }

    private static long fitting(Int type, long value) {
        int unused = 64 - type.bits();
        if (value << unused >> unused != value) {
            throw new NumberFormatException("does not fit " + type.bits() + " bits");
        }
        return value;
    }

    /** Parses a value of {@code Real}. */
    static double real(String path, FieldType type, String text) {
        try {
            double value = Double.parseDouble(text);
            if (!Double.isFinite(value)) {
                throw new NumberFormatException("is not finite");
            }
            return value;
        } catch (NumberFormatException e) {
            throw invalid(path, type, text, e);
        }
    }

    /** Parses a {@code Decimal} of up to 18 digits; returns the unscaled value. */
    static long unscaled(String path, Decimal type, String text) {
        try {
            BigDecimal value = new BigDecimal(text).setScale(type.scale());
            if (value.precision() > Math.min(18, type.precision())) {
                throw new ArithmeticException("has too many digits");
            }
            return value.unscaledValue().longValueExact();
        } catch (NumberFormatException | ArithmeticException e) {
            throw invalid(path, type, text, e);
        }
    }

    /** Parses a value of any other type; returns its bytes. */
    static byte[] bytes(String path, FieldType type, String text) {
        try {
            if (type instanceof Uuid) {
                return bytes(UUID.fromString(text));
            }
            if (type instanceof Bytes) {
                return HexFormat.of().parseHex(text);
            }
            if (type instanceof Decimal decimal) {
                return BigInteger.valueOf(unscaled(path, decimal, text)).toByteArray();
            }
            return text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalid(path, type, text, e);
        }
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static SchemaException invalid(String path, FieldType type, String text, Exception cause) {
        return new SchemaException(
                "'" + text + "' is not a value of '" + path + "', which is " + type + ": " + cause.getMessage(), cause);
    }
}
