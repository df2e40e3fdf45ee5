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
    ThriftWireType wire();

    /** A type without parts; those with a {@link #base} come from an annotation on it. */
    enum Scalar implements ThriftType {
        BOOL(ThriftWireType.BOOL, null),
        I8(ThriftWireType.I8, null),
        I16(ThriftWireType.I16, null),
        I32(ThriftWireType.I32, null),
        I64(ThriftWireType.I64, null),
        DOUBLE(ThriftWireType.DOUBLE, null),
        STRING(ThriftWireType.STRING, null),
        BINARY(ThriftWireType.STRING, null),
        UUID(ThriftWireType.UUID, null),
        TIMESTAMP_S(ThriftWireType.I64, I64),
        TIMESTAMP_MS(ThriftWireType.I64, I64),
        TIMESTAMP_US(ThriftWireType.I64, I64),
        DATE(ThriftWireType.I32, I32),
        UUID_IN_BINARY(ThriftWireType.STRING, BINARY);

        private final ThriftWireType wire;
        final @Nullable Scalar base;

        Scalar(ThriftWireType wire, @Nullable Scalar base) {
            this.wire = wire;
            this.base = base;
        }

        @Override
        public ThriftWireType wire() {
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
        public ThriftWireType wire() {
            return ThriftWireType.I32;
        }
    }

    record ListOf(ThriftType element) implements ThriftType {
        @Override
        public ThriftWireType wire() {
            return ThriftWireType.LIST;
        }
    }

    record SetOf(ThriftType element) implements ThriftType {
        @Override
        public ThriftWireType wire() {
            return ThriftWireType.SET;
        }
    }

    record MapOf(ThriftType key, ThriftType value) implements ThriftType {
        @Override
        public ThriftWireType wire() {
            return ThriftWireType.MAP;
        }

        /** Returns whether the neutral type is a map; otherwise it is a list of structs. */
        boolean hasScalarKey() {
            return key instanceof Scalar || key instanceof Symbols;
        }
    }

    /** A struct, union or exception by its key in {@link ThriftModel}; structs may contain themselves. */
    record StructRef(String key) implements ThriftType {
        @Override
        public ThriftWireType wire() {
            return ThriftWireType.STRUCT;
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
