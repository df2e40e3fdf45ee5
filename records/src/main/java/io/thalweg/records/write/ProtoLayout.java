package io.thalweg.records.write;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import java.util.List;

/** What Protocol Buffers have beyond the neutral schema, by the path of a field, as in {@link ThriftLayout}. */
public interface ProtoLayout {
    /** Numbers 1 to n in the order of the fields; scalars as {@link #form} says. */
    ProtoLayout DEFAULT = new ProtoLayout() {};

    /** How a scalar is encoded. */
    enum Form {
        /** {@code bool}, {@code int32}, {@code int64}, {@code uint32}, {@code uint64}. */
        VARINT,
        /** {@code sint32}, {@code sint64}. */
        ZIGZAG,
        /** {@code fixed32}, {@code sfixed32}. */
        FIXED32,
        /** {@code fixed64}, {@code sfixed64}. */
        FIXED64,
        /** An {@code enum}: the number of the name. */
        ENUM,
        /** {@code float}. */
        FLOAT,
        /** {@code double}. */
        DOUBLE,
        /** {@code string} and {@code bytes}; decimals as their unscaled value. */
        BYTES,
        /** A moment as {@code google.protobuf.Timestamp}. */
        TIMESTAMP,
        /** Microseconds as {@code google.protobuf.Duration}. */
        DURATION,
        /** A UUID as {@code string} of 36 characters. */
        UUID_TEXT,
        /** A decimal as {@code string}, such as {@code -12.50}. */
        DECIMAL_TEXT,
        /** A time of day as {@code string}, such as {@code 08:05:00.123}. */
        TIME_TEXT,
        /** A wall-clock time as {@code string}, such as {@code 2026-11-20T08:05:00}. */
        DATETIME_TEXT
    }

    /** The number of a field, its own in its message; {@code index} is its position in its struct. */
    default int number(String path, int index) {
        return index + 1;
    }

    /** The form of a scalar. Numbers, days and microseconds are numbers, everything else is bytes. */
    default Form form(String path, FieldType type) {
        if (type instanceof Real real) {
            return real.bits() == 32 ? Form.FLOAT : Form.DOUBLE;
        }
        boolean whole = type instanceof Bool
                || type instanceof Int
                || type instanceof Date
                || type instanceof Time
                || type instanceof Timestamp;
        return whole ? Form.VARINT : Form.BYTES;
    }

    /** Whether a scalar is in a message around it, such as {@code google.protobuf.StringValue}. */
    default boolean isWrapped(String path) {
        return false;
    }

    /** Whether the elements of a list share one field. */
    default boolean isPacked(String path) {
        return false;
    }

    /** How many bits of an integer may be set: 32 or 63 if it is unsigned, otherwise 64. */
    default int unsignedBits(String path) {
        return Long.SIZE;
    }

    /** The number of a name of an enum, of which {@code index} is the position in the schema. */
    default int symbol(String path, String name, int index) {
        return index;
    }

    /** The paths of fields of one struct of which at most one may have a value. */
    default List<List<String>> oneofs() {
        return List.of();
    }

    /** The forms of a table in a warehouse that has no binary form of UUIDs, decimals and wall-clock times. */
    ProtoLayout TEXTUAL = new ProtoLayout() {
        @Override
        public Form form(String path, FieldType type) {
            if (type instanceof Uuid) {
                return Form.UUID_TEXT;
            }
            if (type instanceof Decimal) {
                return Form.DECIMAL_TEXT;
            }
            if (type instanceof Time) {
                return Form.TIME_TEXT;
            }
            return type instanceof Timestamp timestamp && !timestamp.utc()
                    ? Form.DATETIME_TEXT
                    : ProtoLayout.super.form(path, type);
        }
    };
}
