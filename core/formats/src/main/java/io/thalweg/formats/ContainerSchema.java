package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.EventSchema;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.Source;
import io.thalweg.records.Limits;
import io.thalweg.records.avro.AvroContainer;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The schema that an Avro container file carries, for callers that have no definition with a schema yet.
 *
 * @param json the schema, one line
 * @param fields the fields that have one value, with paths through structs, in the order of the schema
 */
public record ContainerSchema(String json, Map<FieldPath, EventSchemas.Kind> fields) {
    /**
     * Reads the header of a file.
     *
     * @throws IOException if it is not an Avro container; the message names it
     * @throws SchemaException if its schema cannot be used
     */
    public static ContainerSchema of(Path file) throws IOException {
        try (AvroContainer container = new AvroContainer(Files.newInputStream(file), Limits.DEFAULT)) {
            Map<FieldPath, EventSchemas.Kind> fields = new LinkedHashMap<>();
            add(container.schema().struct(), List.of(), fields);
            return new ContainerSchema(container.schema().toString(), fields);
        }
    }

    private static void add(Struct struct, List<String> parents, Map<FieldPath, EventSchemas.Kind> fields) {
        for (Field field : struct.fields()) {
            List<String> segments = new ArrayList<>(parents);
            segments.add(field.name());
            EventSchemas.Kind kind = RecordSchemas.kind(field.type());
            if (field.type() instanceof Struct inner) {
                add(inner, segments, fields);
            } else if (kind != EventSchemas.Kind.BYTES && kind != EventSchemas.Kind.NESTED) {
                fields.put(new FieldPath(String.join(".", segments), segments), kind);
            }
        }
    }

    /** Returns the encoding of events whose {@code source.schema} is this one, in a file of this name. */
    public Source.Encoding encoding(Path avsc) {
        Source.Schema at = new Source.Schema(avsc.toString(), null, Source.Protocol.BINARY, Source.Wire.PLAIN, null);
        EventSchema schema = new EventSchema(
                at,
                Map.of(
                        avsc.normalize().toString(),
                        new String(json.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)),
                null);
        return new Source.Encoding(Source.Format.AVRO, Source.Numbers.STRICT, schema, Source.Compression.NONE);
    }
}
