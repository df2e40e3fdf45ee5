package io.thalweg.jobs.ingest.plan;

import io.thalweg.formats.SourceSchema;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.source.Source;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.SchemaText;
import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.registry.RegisteredSchema;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.registry.SchemaRegistry;
import io.thalweg.records.registry.UnknownSchemaException;
import io.thalweg.records.registry.Wire;
import io.thalweg.records.registry.WireFormat;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.AvroSchemas;
import io.thalweg.records.write.ByNameWriter;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.JsonSchemas;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The schema of the messages that rows become in a topic. Its registry id is looked up when a job starts and is stored with the job, so
 * a restart writes the same id even if the registry does not answer.
 *
 * @param name the name of a derived type
 * @param format the format of the messages
 * @param given the schema; null = derived from the columns (Avro and JSON only)
 * @param wire what precedes each message
 * @param subject the subject of the schema; null = the schema is in no registry
 * @param id the id of the schema in the registry; null = not looked up
 */
public record MessageSchema(
        String name,
        Ingest.Format format,
        @Nullable SchemaText given,
        Wire wire,
        Source.@Nullable Subject subject,
        @Nullable Integer id)
        implements Serializable {
    /**
     * Reads the schema's file, if the definition names one.
     *
     * @throws SchemaException if it cannot be read; the message names the file
     */
    static MessageSchema of(Ingest ingest, Ingest.TopicSink sink) {
        Source.Schema schema = sink.schema();
        Language language = Language.valueOf(sink.format().name());
        if (schema == null) {
            return new MessageSchema(ingest.qualifiedName(), sink.format(), null, Wire.PLAIN, null, null);
        }
        return new MessageSchema(
                ingest.qualifiedName(),
                sink.format(),
                schema.file().isEmpty() ? null : SourceSchema.file(language, schema),
                Wire.valueOf(schema.wire().name()),
                schema.subject(),
                null);
    }

    private MessageSchema withId(int found) {
        return new MessageSchema(name, format, given, wire, subject, found);
    }

    /** Returns the schema without a message header, for callers that only check whether rows fit. */
    public MessageSchema bare() {
        return new MessageSchema(name, format, given, Wire.PLAIN, null, null);
    }

    /**
     * Looks up the id of the schema. Does nothing if there is no subject.
     *
     * @param table the schema of the rows
     * @param registries schema registries by their names
     * @throws SchemaException if no version of the subject has the schema; the message lists the differences from the latest one
     * @throws RegistryAwayException if the registry does not answer
     */
    MessageSchema found(Struct table, Map<String, RegistryAddress> registries) {
        if (subject == null) {
            return this;
        }
        SchemaText schema = schema(table);
        SchemaRegistry registry = new SchemaRegistry(SourceSchema.address(subject, registries));
        try {
            return withId(registry.find(schema.language(), subject.name(), contents(schema))
                    .id());
        } catch (UnknownSchemaException e) {
            throw new SchemaException(missing(schema, registry), e);
        }
    }

    private String missing(SchemaText schema, SchemaRegistry registry) {
        String name = subject == null ? "" : subject.name();
        RegisteredSchema latest;
        try {
            latest = registry.ofSubject(schema.language(), name, 0);
        } catch (UnknownSchemaException e) {
            return e.getMessage() + "; register the schema of the messages with --provision";
        } catch (SchemaException e) {
            return e.getMessage() + "; correct sink.schema.subject or sink.format";
        }
        return "subject %s of %s has no version with the schema of the messages; version %d differs: %s; register the new schema with --provision, write messages of the registered one by sink.schema.file, or change fields"
                .formatted(name, registry.address(), latest.version(), differences(schema, latest));
    }

    private static String differences(SchemaText schema, RegisteredSchema latest) {
        List<String> differences = new ArrayList<>();
        try {
            Struct written = schema.format().struct();
            RecordFormat registered = new SchemaText(
                            schema.language(),
                            schema.file(),
                            Map.of(schema.file(), latest.contents()),
                            schema.type(),
                            schema.protocol())
                    .format();
            registered.struct().fields().stream()
                    .filter(field -> !field.required() && written.indexOf(field.name()) < 0)
                    .forEach(field ->
                            differences.add("column '%s' of the schema is not written".formatted(field.name())));
            var unused = ByNameWriter.of(written, registered.struct(), registered.writer());
        } catch (SchemaException e) {
            differences.add(String.valueOf(e.getMessage()));
        }
        return differences.isEmpty()
                ? "its fields take the messages, but its text is another one (order, names, defaults or documentation)"
                : String.join("; ", differences);
    }

    /**
     * Registers the schema under its subject unless it is registered already. Does nothing if there is no subject.
     *
     * @param table the schema of the rows
     * @param registries schema registries by their names
     * @return a human-readable description of what was done
     * @throws SchemaException if the registry refuses the schema; the message includes the registry's
     * @throws RegistryAwayException if the registry does not answer
     */
    List<String> register(Struct table, Map<String, RegistryAddress> registries) {
        if (subject == null) {
            return List.of();
        }
        SchemaText schema = schema(table);
        SchemaRegistry registry = new SchemaRegistry(SourceSchema.address(subject, registries));
        String what = "subject %s of %s".formatted(subject.name(), registry.address());
        try {
            RegisteredSchema there = registry.find(schema.language(), subject.name(), contents(schema));
            return List.of("%s has the schema of the messages: id %d, version %d"
                    .formatted(what, there.id(), there.version()));
        } catch (UnknownSchemaException e) {
            return List.of("registered the schema of the messages under %s: id %d"
                    .formatted(what, register(schema, registry, subject.name())));
        }
    }

    private static int register(SchemaText schema, SchemaRegistry registry, String subject) {
        try {
            return registry.register(schema.language(), subject, contents(schema));
        } catch (SchemaException e) {
            throw new SchemaException(
                    e.getMessage()
                            + "; change fields or sink.schema, name another sink.schema.subject, or change the compatibility of the subject in the registry",
                    e);
        }
    }

    private static String contents(SchemaText schema) {
        return schema.files().getOrDefault(schema.file(), "");
    }

    private SchemaText schema(Struct table) {
        if (given != null) {
            return given;
        }
        String latin = new String(text(table).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return new SchemaText(Language.valueOf(format.name()), name, Map.of(name, latin), null, Protocol.BINARY);
    }

    /**
     * Returns the bytes that precede each message.
     *
     * @param table the schema of the rows
     * @throws IllegalStateException if messages name an id that was not looked up
     */
    public byte[] header(Struct table) {
        if (wire == Wire.CONFLUENT && id == null) {
            throw new IllegalStateException("the schema of the messages of " + name + " was not looked up");
        }
        return wire == Wire.PLAIN
                ? new byte[0]
                : WireFormat.header(schema(table).format(), wire, id == null ? 0 : id);
    }

    /**
     * Returns a writer of messages without their header.
     *
     * @param table the schema of the rows
     * @throws SchemaException if messages cannot hold such rows; the message lists all differences
     */
    public ByteRecordWriter writer(Struct table) {
        if (given != null) {
            RecordFormat messages = given.format();
            return ByNameWriter.of(table, messages.struct(), messages.writer());
        }
        return format == Ingest.Format.AVRO ? new AvroBytes(table) : new JsonBytes(table);
    }

    /**
     * Returns the schema for readers of the messages: an Avro schema or a JSON Schema as JSON, or its location.
     *
     * @param table the schema of the rows
     */
    public String text(Struct table) {
        if (given != null) {
            return given.isText() ? given.text().strip() : "%s of %s".formatted(given.type(), given.file());
        }
        return format == Ingest.Format.AVRO ? AvroSchemas.text(table, name) : JsonSchemas.of(table);
    }
}
