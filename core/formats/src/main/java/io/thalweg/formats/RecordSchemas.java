package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.source.EventSchema;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.Source;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.SchemaText;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.registry.Wire;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.Protocol;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the schemas of events: of Avro, Thrift and Protocol Buffers, and of JSON where the source names one. Each is read once,
 * so that the views of one load share it, even if a registry gets a newer version meanwhile.
 *
 * <p><b>Errors.</b> {@link RegistryAwayException} if a registry does not answer.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class RecordSchemas implements EventSchemas {
    private final Map<String, RegistryAddress> registries;
    private final Map<Wanted, Fields> read = new ConcurrentHashMap<>();

    private record Wanted(Source.Format format, Source.Schema at) {}

    /**
     * Creates a reader of schemas.
     *
     * @param registries by their names
     */
    public RecordSchemas(Map<String, RegistryAddress> registries) {
        this.registries = Map.copyOf(registries);
    }

    @Override
    public Optional<Fields> read(Source.Format format, Source.Schema at) {
        try {
            return Optional.of(read.computeIfAbsent(new Wanted(format, at), this::fields));
        } catch (SchemaException e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " "), e);
        }
    }

    private Fields fields(Wanted wanted) {
        SourceSchema schema = SourceSchema.read(language(wanted.format()), wanted.at(), registries);
        SourceSchema.Subject subject = schema.subject();
        EventSchema.Registered registered = subject == null
                ? null
                : new EventSchema.Registered(
                        subject.registry().url(), subject.registry().authorization(), subject.id());
        return new ReadFields(
                new EventSchema(wanted.at(), schema.text().files(), registered),
                schema.text().format().struct());
    }

    /**
     * Returns the format of a source with the schema that was read with its definition.
     *
     * @throws IllegalStateException if it was not read
     */
    static RecordFormat format(Source.Encoding encoding) {
        EventSchema schema = encoding.schema();
        if (schema == null || schema.files().isEmpty()) {
            throw new IllegalStateException("the schema of " + encoding.format().text()
                    + " events was not read; definitions must be loaded with EventSchemas");
        }
        Source.Schema at = schema.at();
        SchemaText text =
                new SchemaText(language(encoding.format()), schema.name(), schema.files(), at.type(), protocol(at));
        return new SourceSchema(text, Wire.valueOf(at.wire().name()), subject(schema)).format();
    }

    private static SourceSchema.@Nullable Subject subject(EventSchema schema) {
        Source.Subject subject = schema.at().subject();
        EventSchema.Registered registered = schema.registered();
        if (subject == null || registered == null) {
            return null;
        }
        RegistryAddress registry =
                new RegistryAddress(subject.registry(), registered.url(), registered.authorization());
        return new SourceSchema.Subject(registry, subject.name(), registered.id());
    }

    private static SchemaText.Language language(Source.Format format) {
        return SchemaText.Language.valueOf(format.name());
    }

    private static Protocol protocol(Source.Schema at) {
        return Protocol.valueOf(at.protocol().name());
    }

    /** A schema that was read. */
    private record ReadFields(EventSchema schema, Struct struct) implements Fields {
        @Override
        public FieldType type(FieldPath path) {
            Struct at = struct;
            List<String> segments = path.segments();
            for (int i = 0; ; i++) {
                String name = segments.get(i);
                int index = at.indexOf(name);
                if (index < 0) {
                    throw new IllegalArgumentException(
                            "'" + path.text() + "' is not a field of the schema; " + Suggestion.hint(name, at.names()));
                }
                Field field = at.fields().get(index);
                if (i == segments.size() - 1) {
                    return typeOf(field);
                }
                if (!(field.type() instanceof Struct next)) {
                    throw new IllegalArgumentException(
                            "'" + path.text() + "' leads through '" + name + "', which has type "
                                    + typeOf(field).text()
                                    + " in the schema; views read fields of structs only, so name another field");
                }
                at = next;
            }
        }
    }

    private static FieldType typeOf(Field field) {
        Kind kind = kind(field.type());
        String absent = absent(field.absent());
        String text = kind == Kind.NESTED ? nested(field.type()) : text(kind);
        return new FieldType(kind, text, absent);
    }

    static Kind kind(io.thalweg.records.schema.FieldType type) {
        if (type instanceof Int) {
            return Kind.INTEGER;
        }
        if (type instanceof Text || type instanceof Symbols) {
            return Kind.TEXT;
        }
        if (type instanceof Real || type instanceof Decimal) {
            return Kind.NUMBER;
        }
        if (type instanceof Timestamp timestamp) {
            return timestamp.utc() ? Kind.TIMESTAMP : Kind.LOCAL_TIMESTAMP;
        }
        if (type instanceof Bool) {
            return Kind.BOOLEAN;
        }
        if (type instanceof Date) {
            return Kind.DATE;
        }
        if (type instanceof Time) {
            return Kind.TIME;
        }
        if (type instanceof Uuid) {
            return Kind.UUID;
        }
        return type instanceof Bytes ? Kind.BYTES : Kind.NESTED;
    }

    private static String text(Kind kind) {
        return switch (kind) {
            case BOOLEAN -> "boolean";
            case INTEGER -> "integer";
            case NUMBER -> "number";
            case TEXT -> "text";
            case UUID -> "uuid";
            case DATE -> "date";
            case TIME -> "time of day";
            case TIMESTAMP -> "timestamp";
            case LOCAL_TIMESTAMP -> "timestamp without zone";
            case BYTES -> "bytes";
            case NESTED -> "struct";
        };
    }

    private static String nested(io.thalweg.records.schema.FieldType type) {
        return type instanceof ListOf ? "list" : type instanceof MapOf ? "map" : "struct";
    }

    /** Returns what a missing value means; null for nothing. */
    private static @Nullable String absent(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? new BigDecimal(number).toString() : number.toString();
        }
        return value instanceof List || value == null ? null : Objects.toString(value);
    }
}
