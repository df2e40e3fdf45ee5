package io.thalweg.tables;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.TimeForm;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.Float16LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Converts Parquet's types: to integers, doubles, booleans and text; points in time and dates become epoch ms, decimals doubles.
 */
final class ParquetTypes {
    private static final long DAY_MS = 86_400_000;
    private static final long DAY_NANOS = DAY_MS * 1_000_000;
    /** Julian day of 1970-01-01. */
    private static final long EPOCH_DAY = 2_440_588;

    private ParquetTypes() {}

    /** Puts the current value into a column. */
    interface Cell {
        void put(ColumnReader from, EventColumns into, int c);
    }

    /** Returns the current value as a double. */
    interface Element {
        double get(ColumnReader from);
    }

    /** Returns how to read the elements of a list; null if they are not numbers. */
    static @Nullable Element element(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        if (annotation instanceof Float16LogicalTypeAnnotation) {
            return from -> float16(from.getBinary());
        }
        if (annotation != null
                && !(annotation instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation && !isUnsigned(annotation))) {
            return null;
        }
        return switch (type.getPrimitiveTypeName()) {
            case FLOAT -> ColumnReader::getFloat;
            case DOUBLE -> ColumnReader::getDouble;
            case INT32 -> ColumnReader::getInteger;
            case INT64 -> ColumnReader::getLong;
            case BOOLEAN, INT96, BINARY, FIXED_LEN_BYTE_ARRAY -> null;
        };
    }

    /** The unit and zone of a column's times according to its type. */
    static TimeForm timeForm(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        if (annotation instanceof TimestampLogicalTypeAnnotation timestamp) {
            return timestamp.isAdjustedToUTC() ? TimeForm.INSTANT : TimeForm.LOCAL;
        }
        if (annotation instanceof DateLogicalTypeAnnotation) {
            return TimeForm.LOCAL;
        }
        return type.getPrimitiveTypeName() == PrimitiveTypeName.INT96 ? TimeForm.INSTANT : TimeForm.UNTYPED;
    }

    /** Whether a column contains neither numbers nor booleans. */
    static boolean isText(PrimitiveType type) {
        boolean bytes = type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
                || type.getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        return bytes
                && !(annotation instanceof DecimalLogicalTypeAnnotation)
                && !(annotation instanceof Float16LogicalTypeAnnotation);
    }

    static Cell cell(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> (from, into, c) -> into.putBool(c, from.getBoolean());
            case FLOAT -> (from, into, c) -> into.putBinary(c, (double) from.getFloat());
            case DOUBLE -> (from, into, c) -> into.putBinary(c, from.getDouble());
            case INT32 -> int32(annotation);
            case INT64 -> int64(annotation);
            case INT96 -> (from, into, c) -> into.putBinary(c, int96Ms(from.getBinary()));
            case BINARY, FIXED_LEN_BYTE_ARRAY -> binary(annotation);
        };
    }

    private static Cell int32(LogicalTypeAnnotation annotation) {
        if (annotation instanceof DateLogicalTypeAnnotation) {
            return (from, into, c) -> into.putBinary(c, from.getInteger() * DAY_MS);
        }
        if (annotation instanceof DecimalLogicalTypeAnnotation decimal) {
            return (from, into, c) -> into.putBinary(
                    c, BigDecimal.valueOf(from.getInteger(), decimal.getScale()).doubleValue());
        }
        if (isUnsigned(annotation)) {
            return (from, into, c) -> into.putBinary(c, from.getInteger() & 0xFFFF_FFFFL);
        }
        return (from, into, c) -> into.putBinary(c, (long) from.getInteger());
    }

    private static Cell int64(LogicalTypeAnnotation annotation) {
        if (annotation instanceof TimestampLogicalTypeAnnotation timestamp) {
            long perMs = switch (timestamp.getUnit()) {
                case MILLIS -> 1;
                case MICROS -> 1_000;
                case NANOS -> 1_000_000;
            };
            return (from, into, c) -> into.putBinary(c, Math.floorDiv(from.getLong(), perMs));
        }
        if (annotation instanceof DecimalLogicalTypeAnnotation decimal) {
            return (from, into, c) -> into.putBinary(
                    c, BigDecimal.valueOf(from.getLong(), decimal.getScale()).doubleValue());
        }
        if (isUnsigned(annotation)) {
            return (from, into, c) -> unsigned(from.getLong(), into, c);
        }
        return (from, into, c) -> into.putBinary(c, from.getLong());
    }

    private static boolean isUnsigned(LogicalTypeAnnotation annotation) {
        return annotation instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation whole && !whole.isSigned();
    }

    /** Puts an unsigned number. From 2^63 on it does not fit int64 and becomes a double, with all its digits as the token. */
    private static void unsigned(long value, EventColumns into, int c) {
        if (value >= 0) {
            into.putBinary(c, value);
        } else {
            byte[] token = Long.toUnsignedString(value).getBytes(StandardCharsets.US_ASCII);
            into.putBytes(c, token, 0, token.length);
            into.toNumber(c, token.length, true);
        }
    }

    private static Cell binary(LogicalTypeAnnotation annotation) {
        if (annotation instanceof DecimalLogicalTypeAnnotation decimal) {
            int scale = decimal.getScale();
            return (from, into, c) -> into.putBinary(
                    c, new BigDecimal(new BigInteger(from.getBinary().getBytes()), scale).doubleValue());
        }
        if (annotation instanceof UUIDLogicalTypeAnnotation) {
            return (from, into, c) -> into.putText(c, uuid(from.getBinary()).getBytes(StandardCharsets.US_ASCII));
        }
        if (annotation instanceof Float16LogicalTypeAnnotation) {
            return (from, into, c) -> into.putBinary(c, float16(from.getBinary()));
        }
        return (from, into, c) -> into.putText(c, from.getBinary().getBytesUnsafe());
    }

    /** Converts a float of 16 bits (IEEE 754 binary16), which is little-endian. */
    private static double float16(Binary value) {
        int bits = value.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN).getShort();
        int exponent = bits >> 10 & 0x1F;
        int fraction = bits & 0x3FF;
        double magnitude = switch (exponent) {
            case 0 -> Math.scalb((double) fraction, -24);
            case 0x1F -> fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
            default -> Math.scalb((double) (fraction | 0x400), exponent - 25);
        };
        return bits < 0 ? -magnitude : magnitude;
    }

    private static String uuid(Binary value) {
        ByteBuffer words = value.toByteBuffer();
        return new UUID(words.getLong(), words.getLong()).toString();
    }

    private static long int96Ms(Binary value) {
        return int96(value, DAY_MS);
    }

    /**
     * Converts nanoseconds of a Julian day, as Spark and Hive once wrote times, to a number since 1970, rounded down.
     *
     * @param unitsPerDay how many of its units a day has
     */
    static long int96(Binary value, long unitsPerDay) {
        ByteBuffer bytes = value.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        long nanos = bytes.getLong();
        long day = bytes.getInt();
        return (day - EPOCH_DAY) * unitsPerDay + Math.floorDiv(nanos, DAY_NANOS / unitsPerDay);
    }
}
