package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.IdlFile.ConstOf;
import io.thalweg.records.thrift.IdlFile.ContainerValue;
import io.thalweg.records.thrift.IdlFile.EnumOf;
import io.thalweg.records.thrift.IdlFile.IntegerValue;
import io.thalweg.records.thrift.IdlFile.NamedValue;
import io.thalweg.records.thrift.IdlFile.RealValue;
import io.thalweg.records.thrift.IdlFile.TextValue;
import io.thalweg.records.thrift.IdlFile.Value;
import io.thalweg.records.thrift.IdlFiles.Found;
import io.thalweg.records.thrift.ThriftType.Scalar;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts the default value of a field to the form of {@link io.thalweg.records.schema.Field#absent}.
 *
 * <p>Scalars and empty containers are converted. Structs and containers with elements are not; a message without such a field has
 * no value for it.
 */
final class ThriftDefaults {
    /** A chain of constants of this length is treated as a cycle. */
    private static final int LONGEST_CHAIN = 100;

    private static final Pattern UUID_TEXT =
            Pattern.compile("\\{?([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})}?");

    private final IdlFiles files;

    ThriftDefaults(IdlFiles files) {
        this.files = files;
    }

    /** A value without references to constants; for a symbol of an enum, its number and name. */
    private record Resolved(Value value, ThriftType.@Nullable Symbol symbol) {}

    /**
     * Returns the value of a default.
     *
     * @throws SchemaException if it does not have the type of the field
     */
    @Nullable
    Object of(IdlFile file, int line, String field, Value value, ThriftType type) {
        Resolved resolved = resolved(file, line, value, type);
        if (resolved.value() instanceof ContainerValue container) {
            return isContainer(type) && container.empty() ? List.of() : refuseScalar(file, line, field, type);
        }
        Object absent = null;
        if (type instanceof Scalar scalar) {
            absent = scalar(scalar, resolved.value());
        } else if (type instanceof ThriftType.Symbols symbols) {
            absent = symbol(symbols, resolved);
        }
        if (absent == null) {
            throw mismatch(file, line, field, type);
        }
        return absent;
    }

    private static boolean isContainer(ThriftType type) {
        return type instanceof ThriftType.ListOf
                || type instanceof ThriftType.SetOf
                || type instanceof ThriftType.MapOf;
    }

    private static @Nullable Object refuseScalar(IdlFile file, int line, String field, ThriftType type) {
        if (type instanceof Scalar || type instanceof ThriftType.Symbols) {
            throw mismatch(file, line, field, type);
        }
        return null;
    }

    private static SchemaException mismatch(IdlFile file, int line, String field, ThriftType type) {
        String expected = type instanceof Scalar scalar
                ? scalar.name().toLowerCase(Locale.ROOT)
                : type.wire().name().toLowerCase(Locale.ROOT);
        return file.error(
                line,
                "the default of field '" + field + "' is not of its type, " + expected
                        + ", or out of its range; write a value of the type, or none");
    }

    private Resolved resolved(IdlFile start, int line, Value first, ThriftType type) {
        IdlFile file = start;
        Value value = first;
        for (int i = 0; i < LONGEST_CHAIN && value instanceof NamedValue named; i++) {
            if (named.name().equals("true") || named.name().equals("false")) {
                return new Resolved(new IntegerValue(named.name().equals("true") ? 1 : 0), null);
            }
            ThriftType.Symbol symbol = symbol(file, named.name(), type);
            if (symbol != null) {
                return new Resolved(new IntegerValue(symbol.number()), symbol);
            }
            Found found = files.find(file, named.name());
            if (found == null || !(found.definition() instanceof ConstOf constant)) {
                throw start.error(
                        line,
                        "'" + named.name() + "' is not a constant; write a value, the name of a const, or "
                                + "ENUM.SYMBOL");
            }
            file = found.file();
            value = constant.value();
        }
        if (value instanceof NamedValue named) {
            throw start.error(line, "const '" + named.name() + "' leads back to itself; write a value");
        }
        return new Resolved(value, null);
    }

    /** Resolves the symbol of an enum: {@code Enum.SYMBOL}, {@code file.Enum.SYMBOL}, or its name alone where the type is known. */
    private ThriftType.@Nullable Symbol symbol(IdlFile file, String name, ThriftType type) {
        int dot = name.lastIndexOf('.');
        List<ThriftType.Symbol> symbols = List.of();
        if (dot < 0
                && type instanceof ThriftType.Symbols known
                && !file.definitions().containsKey(name)) {
            symbols = known.symbols();
        } else if (dot >= 0) {
            Found found = files.find(file, name.substring(0, dot));
            symbols = found != null && found.definition() instanceof EnumOf definition ? definition.symbols() : symbols;
        }
        String simple = name.substring(dot + 1);
        return symbols.stream()
                .filter(symbol -> symbol.name().equals(simple))
                .findFirst()
                .orElse(null);
    }

    private static byte @Nullable [] symbol(ThriftType.Symbols type, Resolved value) {
        if (!(value.value() instanceof IntegerValue number) || number.value() != (int) number.value()) {
            return null;
        }
        String name = type.symbols().stream()
                .filter(symbol -> symbol.number() == number.value())
                .map(ThriftType.Symbol::name)
                .findFirst()
                .orElse(Long.toString(number.value()));
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable Object scalar(Scalar type, Value value) {
        if (value instanceof IntegerValue integer) {
            return integer(type, integer.value());
        }
        if (value instanceof RealValue real) {
            return type == Scalar.DOUBLE ? (Object) real.value() : null;
        }
        return value instanceof TextValue text ? text(type, text.value()) : null;
    }

    private static @Nullable Object integer(Scalar type, long value) {
        return switch (type) {
            case BOOL -> value > 0;
            case I8 -> value == (byte) value ? value : null;
            case I16 -> value == (short) value ? value : null;
            case I32, DATE -> value == (int) value ? value : null;
            case I64 -> value;
            case TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_US -> scaled(value, type.micros());
            case DOUBLE -> (double) value;
            default -> null;
        };
    }

    private static @Nullable Long scaled(long value, long factor) {
        return Math.multiplyHigh(value, factor) == (value * factor) >> 63 ? value * factor : null;
    }

    private static byte @Nullable [] text(Scalar type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return switch (type) {
            case STRING, BINARY -> bytes;
            case UUID_IN_BINARY -> bytes.length == 16 ? bytes : null;
            case UUID -> UUID_TEXT.matcher(text).matches() ? uuid(text.replaceAll("[{}]", "")) : null;
            default -> null;
        };
    }

    private static byte[] uuid(String text) {
        UUID uuid = UUID.fromString(text);
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
