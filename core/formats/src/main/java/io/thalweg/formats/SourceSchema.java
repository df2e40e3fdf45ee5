package io.thalweg.formats;

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
import io.thalweg.records.thrift.Protocol;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a source's messages, as shipped with a job: the schema that was read when the job started is that of its table
 * until the job ends, whatever the file or the registry contains later.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param text of the schema
 * @param wire the header of a message
 * @param subject registry of the schemas that messages name; null if they are not in a registry
 */
public record SourceSchema(
        SchemaText text, Wire wire, @Nullable Subject subject) implements Serializable {
    /**
     * A subject of a registry.
     *
     * @param id of the schema whose text was read
     */
    public record Subject(RegistryAddress registry, String name, int id) implements Serializable {}

    /**
     * Reads a schema from its file or its registry.
     *
     * @param registries by their names
     * @throws SchemaException if there is no such file, registry or subject
     * @throws RegistryAwayException if the registry does not answer
     */
    public static SourceSchema read(Language language, Source.Schema at, Map<String, RegistryAddress> registries) {
        Source.Subject from = at.subject();
        if (from == null) {
            return new SourceSchema(file(language, at), wire(at), null);
        }
        SchemaRegistry registry = new SchemaRegistry(address(from, registries));
        RegisteredSchema schema;
        try {
            schema = registry.ofSubject(language, from.name(), from.version());
        } catch (UnknownSchemaException e) {
            throw new SchemaException(e.getMessage() + "; register it, or correct source.schema.subject", e);
        }
        String name = "%s, version %d".formatted(from.name(), schema.version());
        SchemaText text = new SchemaText(language, name, Map.of(name, schema.contents()), at.type(), Protocol.BINARY);
        return new SourceSchema(text, wire(at), new Subject(registry.address(), from.name(), schema.id()));
    }

    private static Wire wire(Source.Schema at) {
        return Wire.valueOf(at.wire().name());
    }

    /**
     * Reads a schema as {@link #read} does, to write messages: a schema that has a file is registered under its
     * subject.
     *
     * @throws SchemaException also if the registry refuses the schema
     */
    public static SourceSchema readToWrite(
            Language language, Source.Schema at, Map<String, RegistryAddress> registries) {
        Source.Subject subject = at.subject();
        if (subject == null || at.file().isEmpty()) {
            return read(language, at, registries);
        }
        SchemaText text = file(language, at);
        SchemaRegistry registry = new SchemaRegistry(address(subject, registries));
        String contents = text.files().getOrDefault(text.file(), "");
        int id = registry.register(language, subject.name(), contents);
        return new SourceSchema(text, wire(at), new Subject(registry.address(), subject.name(), id));
    }

    /**
     * Reads the files of a schema.
     *
     * @throws SchemaException if they cannot be read; the message names the file
     */
    public static SchemaText file(Language language, Source.Schema at) {
        return SchemaText.read(
                language,
                Path.of(at.file()),
                at.type(),
                Protocol.valueOf(at.protocol().name()));
    }

    /**
     * Returns the registry of a subject.
     *
     * @param registries by their names
     * @throws SchemaException if it is not among them
     */
    public static RegistryAddress address(Source.Subject subject, Map<String, RegistryAddress> registries) {
        RegistryAddress address = registries.get(subject.registry());
        if (address == null) {
            throw new SchemaException(
                    "schema registry '%s' is not in thalweg.yaml; add schema_registry: {%s: {url: \"http://localhost:8081\"}}"
                            .formatted(subject.registry(), subject.registry()));
        }
        return address;
    }

    /**
     * Creates the format with this schema.
     *
     * @throws SchemaException if the schema cannot be used
     */
    public RecordFormat format() {
        RecordFormat table = text.format();
        return wire == Wire.PLAIN ? table : new WireFormat(table, wire, RegistrySchemas.of(this));
    }

    /** Returns the header of a message that is written with this schema. */
    public byte[] header() {
        return WireFormat.header(text.format(), wire, subject == null ? 0 : subject.id());
    }
}
