package io.thalweg.records.schema;

import java.io.Serializable;
import java.util.List;

/** The type of a field, independent of formats. Types without parameters have constants. */
public sealed interface FieldType extends Serializable
        permits FieldType.Scalar,
                Struct,
                FieldType.ListOf,
                FieldType.MapOf,
                FieldType.Recursive,
                FieldType.Unsupported {
    /** A type whose values have no parts. */
    sealed interface Scalar extends FieldType {}

    Scalar BOOL = new Bool();
    Scalar INT8 = new Int(8);
    Scalar INT16 = new Int(16);
    Scalar INT32 = new Int(32);
    Scalar INT64 = new Int(64);
    Scalar FLOAT = new Real(32);
    Scalar DOUBLE = new Real(64);
    Scalar TEXT = new Text();
    Scalar BYTES = new Bytes();
    Scalar UUID = new Uuid();
    Scalar DATE = new Date();
    Scalar TIME = new Time();
    Scalar TIMESTAMP = new Timestamp(true);
    Scalar LOCAL_TIMESTAMP = new Timestamp(false);

    /** {@code true} or {@code false}. */
    record Bool() implements Scalar {}

    /** A signed integer of 8, 16, 32 or 64 bits. */
    record Int(int bits) implements Scalar {}

    /** An IEEE 754 number of 32 or 64 bits. */
    record Real(int bits) implements Scalar {}

    /** Text in UTF-8. */
    record Text() implements Scalar {}

    /** Any bytes. */
    record Bytes() implements Scalar {}

    /** A UUID as 16 bytes, big-endian. */
    record Uuid() implements Scalar {}

    /**
     * A decimal number.
     *
     * @param precision the number of digits, 1 to 38
     * @param scale the number of digits after the point, 0 to {@code precision}
     */
    record Decimal(int precision, int scale) implements Scalar {
        public Decimal {
            if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
                throw new SchemaException(
                        "a decimal must have a precision of 1 to 38 and a scale of 0 to its precision, was (%d, %d)"
                                .formatted(precision, scale));
            }
        }
    }

    /** Days since 1970-01-01. */
    record Date() implements Scalar {}

    /** Microseconds since midnight. */
    record Time() implements Scalar {}

    /**
     * Microseconds since 1970-01-01T00:00.
     *
     * @param utc whether the value is an instant; otherwise it is a wall-clock time without zone
     */
    record Timestamp(boolean utc) implements Scalar {}

    /** An enumeration whose values are names. The names are informative only, because schemas add names over time. */
    record Symbols(List<String> names) implements Scalar {
        public Symbols {
            names = List.copyOf(names);
        }
    }

    /** A list. */
    record ListOf(FieldType element, boolean elementsRequired) implements FieldType {}

    /** A map; keys are never null. */
    record MapOf(Scalar key, FieldType value, boolean valuesRequired) implements FieldType {}

    /**
     * A recursive reference to an enclosing struct. It can be skipped, but not selected.
     *
     * @param name the name of the type in the format's schema
     */
    record Recursive(String name) implements FieldType {}

    /**
     * A type that no other format has. It can be skipped, but not selected.
     *
     * @param what it is, such as {@code a group}
     */
    record Unsupported(String what) implements FieldType {}

    /** Whether values of a type can only be skipped. */
    static boolean isSkipped(FieldType type) {
        return type instanceof Recursive || type instanceof Unsupported;
    }

    /** Returns the number of slots that a type and its parts take. */
    static int slots(FieldType type) {
        if (type instanceof Struct struct) {
            return 1 + struct.slots();
        }
        if (type instanceof ListOf list) {
            return 1 + slots(list.element());
        }
        if (type instanceof MapOf map) {
            return 2 + slots(map.value());
        }
        return 1;
    }
}
