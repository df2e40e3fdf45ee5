package io.thalweg.records.thrift;

import io.thalweg.records.schema.FieldType;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A type with its names resolved. */
sealed interface ThriftType extends Serializable {
    Wire wire();

    /** A type without parts; those with a {@link #base} come from an annotation on it. */
    enum Scalar implements ThriftType {
        BOOL(Wire.BOOL, null),
        I8(Wire.I8, null),
        I16(Wire.I16, null),
        I32(Wire.I32, null),
        I64(Wire.I64, null),
        DOUBLE(Wire.DOUBLE, null),
        STRING(Wire.STRING, null),
        BINARY(Wire.STRING, null),
        UUID(Wire.UUID, null),
        TIMESTAMP_S(Wire.I64, I64),
        TIMESTAMP_MS(Wire.I64, I64),
        TIMESTAMP_US(Wire.I64, I64),
        DATE(Wire.I32, I32),
        UUID_IN_BINARY(Wire.STRING, BINARY);

        private final Wire wire;
        final @Nullable Scalar base;

        Scalar(Wire wire, @Nullable Scalar base) {
            this.wire = wire;
            this.base = base;
        }

        @Override
        public Wire wire() {
            return wire;
        }

        FieldType.Scalar neutral() {
            return switch (this) {
                case BOOL -> FieldType.BOOL;
                case I8 -> FieldType.INT8;
                case I16 -> FieldType.INT16;
                case I32 -> FieldType.INT32;
                case I64 -> FieldType.INT64;
                case DOUBLE -> FieldType.DOUBLE;
                case STRING -> FieldType.TEXT;
                case BINARY -> FieldType.BYTES;
                case UUID, UUID_IN_BINARY -> FieldType.UUID;
                case TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_US -> FieldType.TIMESTAMP;
                case DATE -> FieldType.DATE;
            };
        }

        /** The name in annotations. */
        String meaning() {
            return this == UUID_IN_BINARY ? "uuid" : name().toLowerCase(Locale.ROOT);
        }

        /** The number of microseconds in one unit of a timestamp; 1 for other types. */
        long micros() {
            return this == TIMESTAMP_S ? 1_000_000 : this == TIMESTAMP_MS ? 1_000 : 1;
        }
    }

    /** A name and its number in messages. */
    record Symbol(int number, String name) implements Serializable {}

    /**
     * An enum.
     *
     * @param symbols with distinct numbers, ascending
     * @param names of all symbols, in the order of the file
     */
    record Symbols(List<Symbol> symbols, List<String> names) implements ThriftType {
        @Override
        public Wire wire() {
            return Wire.I32;
        }
    }

    record ListOf(ThriftType element) implements ThriftType {
        @Override
        public Wire wire() {
            return Wire.LIST;
        }
    }

    record SetOf(ThriftType element) implements ThriftType {
        @Override
        public Wire wire() {
            return Wire.SET;
        }
    }

    record MapOf(ThriftType key, ThriftType value) implements ThriftType {
        @Override
        public Wire wire() {
            return Wire.MAP;
        }

        /** Returns whether the neutral type is a map; otherwise it is a list of structs. */
        boolean hasScalarKey() {
            return key instanceof Scalar || key instanceof Symbols;
        }
    }

    /** A struct, union or exception by its key in {@link ThriftModel}; structs may contain themselves. */
    record StructRef(String key) implements ThriftType {
        @Override
        public Wire wire() {
            return Wire.STRUCT;
        }
    }

    /** The values of {@code thalweg.type}, for error messages. */
    static String meanings() {
        return Arrays.stream(Scalar.values())
                .filter(type -> type.base != null)
                .map(Scalar::meaning)
                .collect(Collectors.joining("|"));
    }
}
