package io.thalweg.model;

import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads where the schema of a source's messages is. */
final class SchemaReader {
    static final Ingest.Schema NONE = new Ingest.Schema("?", null, Ingest.Protocol.BINARY);

    private SchemaReader() {}

    /** Reads {@code schema} of a source of this format. */
    static Ingest.Schema read(YamlMap source, String format) {
        YamlValue value = source.required("schema", "{file: rides.thrift, type: RideEvent}")
                .orElse(null);
        if (value == null) {
            return NONE;
        }
        YamlMap schema = value.map();
        for (String key : List.of("registry", "subject", "wire")) {
            schema.unsupported(key);
        }
        Ingest.Protocol protocol = schema.optional("protocol")
                .map(given -> given.oneOf(Ingest.Protocol.class))
                .orElse(Ingest.Protocol.BINARY);
        if (schema.has("protocol") && !format.equals("thrift")) {
            schema.key("protocol").problem("goes with format: thrift only, was " + format);
        }
        @Nullable String type = schema.optional("type").map(YamlValue::text).orElse(null);
        if (type != null && (format.equals("json") || format.equals("avro"))) {
            schema.key("type").problem("does not go with format: " + format + ", whose files hold one type; remove it");
        }
        Ingest.Schema read = new Ingest.Schema(
                schema.required("file", "rides." + (format.equals("avro") ? "avsc" : format))
                        .map(MaterializationReader::path)
                        .orElse("?"),
                type,
                protocol);
        schema.close();
        return read;
    }
}
