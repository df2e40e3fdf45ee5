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

/** The properties of Protocol Buffers beyond the neutral schema, by the path of a field, as in {@link ThriftLayout}. */
public interface ProtoLayout {
    /** Numbers 1 to n in the order of the fields; scalars as {@link #form} says. */
    ProtoLayout DEFAULT = new ProtoLayout() {};

    /** The encoding of a scalar. */
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

    /** Returns the number of a field, unique in its message; {@code index} is its position in its struct. */
    default int number(String path, int index) {
        return index + 1;
    }

    /** Returns the form of a scalar. Numbers, days and microseconds are numbers; all other types are bytes. */
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

    /** Returns whether a scalar is wrapped in a message, such as {@code google.protobuf.StringValue}. */
    default boolean isWrapped(String path) {
        return false;
    }

    /** Returns whether the elements of a list share one field. */
    default boolean isPacked(String path) {
        return false;
    }

    /** Returns how many bits of an integer may be set: 32 or 63 if it is unsigned, otherwise 64. */
    default int unsignedBits(String path) {
        return Long.SIZE;
    }

    /** Returns the number of a name of an enum; {@code index} is its position in the schema. */
    default int symbol(String path, String name, int index) {
        return index;
    }

    /** The oneofs: each lists the paths of fields of one struct of which at most one may have a value. */
    default List<List<String>> oneofs() {
        return List.of();
    }

    /** The forms for a warehouse table without a binary form of UUIDs, decimals, times of day and wall-clock times. */
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
