package io.thalweg.records.registry;

import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.proto.ProtoFiles;
import io.thalweg.records.schema.SchemaException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts schemas between the form of a registry and that of a file, see {@link RegisteredSchema#contents}. */
final class Contents {
    private Contents() {}

    /**
     * Returns the contents of a self-contained file.
     *
     * @param references by the name in the reference, each before those that refer to it
     */
    static String complete(Language language, String text, Map<String, String> references) {
        return switch (language) {
            case AVRO ->
                latin(AvroSchema.complete(List.copyOf(references.values()), text)
                        .getBytes(StandardCharsets.UTF_8));
            case PROTOBUF -> {
                Map<String, byte[]> imports = new LinkedHashMap<>();
                references.forEach((name, file) -> imports.put(name, decoded(file)));
                yield latin(ProtoFiles.set(decoded(text), imports));
            }
            case JSON -> {
                if (!references.isEmpty()) {
                    throw new SchemaException(
                            "JSON schemas that refer to other schemas are not supported in this version");
                }
                yield latin(text.getBytes(StandardCharsets.UTF_8));
            }
            case THRIFT -> throw new SchemaException("registries have no schemas of Thrift");
        };
    }

    /** Returns the text to register. */
    static String toRegister(Language language, String contents) {
        byte[] bytes = contents.getBytes(StandardCharsets.ISO_8859_1);
        return language == Language.PROTOBUF
                ? Base64.getEncoder().encodeToString(ProtoFiles.only(bytes))
                : new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] decoded(String serialized) {
        try {
            return Base64.getDecoder().decode(serialized);
        } catch (IllegalArgumentException e) {
            throw new SchemaException(
                    "it is not in serialized form; the registry must support format=serialized for Protocol Buffers",
                    e);
        }
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
