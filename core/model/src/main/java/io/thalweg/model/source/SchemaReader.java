package io.thalweg.model.source;

import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the location of a message schema, of a source or of a sink. */
public final class SchemaReader {
    public static final Source.Schema NONE =
            new Source.Schema("?", null, Source.Protocol.BINARY, Source.Wire.PLAIN, null);

    private final YamlMap schema;
    private final String format;
    /** The topic that is written; null = a source is read. */
    private final @Nullable String written;

    private SchemaReader(YamlMap schema, String format, @Nullable String written) {
        this.schema = schema;
        this.format = format;
        this.written = written;
    }

    /** Reads {@code schema} of a source of this format. */
    public static Source.Schema read(YamlMap source, String format) {
        return source.required("schema", "{file: rides.thrift, type: RideEvent}")
                .map(value -> new SchemaReader(value.map(), format, null).read(false))
                .orElse(NONE);
    }

    /**
     * Reads {@code schema} of a topic that is written.
     *
     * @param derived whether messages of this format have a schema without a file
     */
    public static Source.Schema readWritten(YamlMap sink, String format, String topic, boolean derived) {
        return sink.required("schema", "{file: rides.thrift, type: RideEvent}")
                .map(value -> {
                    SchemaReader reader = new SchemaReader(value.map(), format, topic);
                    return reader.read(derived && (reader.schema.has("registry") || reader.schema.has("wire")));
                })
                .orElse(NONE);
    }

    private Source.Schema read(boolean derived) {
        Source.Subject subject = subject();
        boolean withoutFile = derived || (written == null && subject != null);
        Source.Schema read = new Source.Schema(file(withoutFile), type(), protocol(), wire(subject), subject);
        schema.close();
        return read;
    }

    /** Reads the file; with the registry of a source, it is the schema that {@code generate} registers. */
    private String file(boolean isOptional) {
        if (isOptional) {
            return schema.optional("file").map(SiblingPaths::readLocal).orElse("");
        }
        return schema.required("file", "rides." + (format.equals("avro") ? "avsc" : format))
                .map(SiblingPaths::readLocal)
                .orElse("?");
    }

    private @Nullable String type() {
        String type = schema.optional("type").map(YamlValue::text).orElse(null);
        if (type != null && (format.equals("json") || format.equals("avro"))) {
            schema.key("type").problem("does not go with format: " + format + ", whose files hold one type; remove it");
        }
        return type;
    }

    private Source.Protocol protocol() {
        if (schema.has("protocol") && !format.equals("thrift")) {
            schema.key("protocol").problem("goes with format: thrift only, was " + format);
        }
        return schema.optional("protocol")
                .map(given -> given.oneOf(Source.Protocol.class))
                .orElse(Source.Protocol.BINARY);
    }

    private Source.@Nullable Subject subject() {
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
        return new Source.Subject(SourceReader.cluster(registry), name(), version());
    }

    private String name() {
        Optional<YamlValue> given =
                written == null ? schema.required("subject", "rides-value") : schema.optional("subject");
        given.filter(value -> value.text().isBlank())
                .ifPresent(value -> value.wrong("the name of a subject, such as rides-value"));
        return given.map(YamlValue::text).orElse(written == null ? "?" : written + "-value");
    }

    private int version() {
        if (written != null) {
            schema.refused(
                    "version",
                    "does not go with a topic that is written, whose messages name the version that has their schema; remove it");
            return 0;
        }
        return schema.optional("version").map(SchemaReader::version).orElse(0);
    }

    private static int version(YamlValue value) {
        return value.isText() && value.text().equals("latest") ? 0 : value.integer(1, Integer.MAX_VALUE);
    }

    private Source.Wire wire(Source.@Nullable Subject subject) {
        YamlValue given = schema.optional("wire").orElse(null);
        if (given == null) {
            return subject == null ? Source.Wire.PLAIN : Source.Wire.CONFLUENT;
        }
        Source.Wire wire = given.oneOf(Source.Wire.class);
        if (wire == Source.Wire.CONFLUENT && subject == null) {
            given.problem(
                    "confluent needs a registry, in which the ids of messages are; such as registry: default, subject: rides-value");
        }
        if (wire == Source.Wire.SINGLE_OBJECT && !format.equals("avro")) {
            given.problem("single_object goes with format: avro only, was " + format);
        }
        return wire;
    }
}
