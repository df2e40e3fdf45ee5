package io.thalweg.model;

import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads where the schema of a source's messages is. */
final class SchemaReader {
    static final Ingest.Schema NONE = new Ingest.Schema("?", null, Ingest.Protocol.BINARY, Ingest.Wire.PLAIN, null);

    private final YamlMap schema;
    private final String format;

    private SchemaReader(YamlMap schema, String format) {
        this.schema = schema;
        this.format = format;
    }

    /** Reads {@code schema} of a source of this format. */
    static Ingest.Schema read(YamlMap source, String format) {
        return source.required("schema", "{file: rides.thrift, type: RideEvent}")
                .map(value -> new SchemaReader(value.map(), format).read())
                .orElse(NONE);
    }

    private Ingest.Schema read() {
        Ingest.Subject subject = subject();
        Ingest.Schema read = new Ingest.Schema(file(subject), type(), protocol(), wire(subject), subject);
        schema.close();
        return read;
    }

    /** Beside a registry, a file is what {@code generate} registers. */
    private String file(Ingest.@Nullable Subject subject) {
        if (subject != null) {
            return schema.optional("file").map(MaterializationReader::path).orElse("");
        }
        return schema.required("file", "rides." + (format.equals("avro") ? "avsc" : format))
                .map(MaterializationReader::path)
                .orElse("?");
    }

    private @Nullable String type() {
        String type = schema.optional("type").map(YamlValue::text).orElse(null);
        if (type != null && (format.equals("json") || format.equals("avro"))) {
            schema.key("type").problem("does not go with format: " + format + ", whose files hold one type; remove it");
        }
        return type;
    }

    private Ingest.Protocol protocol() {
        if (schema.has("protocol") && !format.equals("thrift")) {
            schema.key("protocol").problem("goes with format: thrift only, was " + format);
        }
        return schema.optional("protocol")
                .map(given -> given.oneOf(Ingest.Protocol.class))
                .orElse(Ingest.Protocol.BINARY);
    }

    private Ingest.@Nullable Subject subject() {
        YamlValue registry = schema.optional("registry").orElse(null);
        if (registry == null) {
            for (String key : List.of("subject", "version")) {
                schema.refused(key, "goes with registry only, such as registry: default; remove it");
            }
            return null;
        }
        if (format.equals("thrift")) {
            registry.problem("does not go with format: thrift, whose schemas no registry has; name a file");
        }
        String name =
                schema.required("subject", "rides-value").map(YamlValue::text).orElse("?");
        if (name.isBlank()) {
            schema.key("subject").wrong("the name of a subject, such as rides-value");
        }
        return new Ingest.Subject(
                SourceReader.cluster(registry),
                name,
                schema.optional("version").map(SchemaReader::version).orElse(0));
    }

    private static int version(YamlValue value) {
        return value.isText() && value.text().equals("latest") ? 0 : value.integer(1, Integer.MAX_VALUE);
    }

    private Ingest.Wire wire(Ingest.@Nullable Subject subject) {
        YamlValue given = schema.optional("wire").orElse(null);
        if (given == null) {
            return subject == null ? Ingest.Wire.PLAIN : Ingest.Wire.CONFLUENT;
        }
        Ingest.Wire wire = given.oneOf(Ingest.Wire.class);
        if (wire == Ingest.Wire.CONFLUENT && subject == null) {
            given.problem(
                    "confluent needs a registry, in which the ids of messages are; such as registry: default, subject: rides-value");
        }
        if (wire == Ingest.Wire.SINGLE_OBJECT && !format.equals("avro")) {
            given.problem("single_object goes with format: avro only, was " + format);
        }
        return wire;
    }
}
