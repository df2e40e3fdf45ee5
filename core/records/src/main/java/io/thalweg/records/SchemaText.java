package io.thalweg.records;

import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.proto.ProtoSchema;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.thrift.ThriftSchema;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A schema as text, with all files that it includes. A job carries it, because its tasks may run on hosts without the files.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param file name of the file with the type
 * @param files contents by name, one character per byte (ISO 8859-1), so that descriptor sets fit as well
 * @param type name of the type in the schema language; null for the only one
 * @param protocol of Thrift; {@code BINARY} otherwise
 */
public record SchemaText(
        Language language,
        String file,
        Map<String, String> files,
        @Nullable String type,
        Protocol protocol) implements Serializable {
    /** The languages that schemas are written in. */
    public enum Language {
        AVRO,
        JSON,
        PROTOBUF,
        THRIFT
    }

    public SchemaText {
        files = Collections.unmodifiableMap(new TreeMap<>(files));
    }

    /**
     * Reads the file of a schema and the files that it includes.
     *
     * @throws SchemaException if a file cannot be read or found
     */
    public static SchemaText read(Language language, Path file, @Nullable String type, Protocol protocol) {
        String name = file.normalize().toString();
        Map<String, String> files = new TreeMap<>();
        if (language == Language.THRIFT) {
            ThriftSchema unused = ThriftSchema.parse(name, each -> included(each, files), type);
        } else {
            files.put(name, contents(file));
        }
        return new SchemaText(language, name, files, type, protocol);
    }

    private static @Nullable String included(String name, Map<String, String> files) {
        Path path = Path.of(name);
        if (!Files.isRegularFile(path)) {
            return null;
        }
        String contents = contents(path);
        files.put(name, contents);
        return text(contents);
    }

    private static String contents(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new SchemaException("cannot read schema " + file + ": there is no such file", e);
        } catch (IOException e) {
            throw new SchemaException("cannot read schema " + file + ": " + e, e);
        }
    }

    private static byte[] bytes(String contents) {
        return contents.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(String contents) {
        return new String(bytes(contents), StandardCharsets.UTF_8);
    }

    /**
     * Creates the format with this schema.
     *
     * @throws SchemaException if the schema cannot be used; the message names the file
     */
    public RecordFormat format() {
        if (language == Language.THRIFT) {
            return ThriftSchema.parse(file, this::textOf, type).format(protocol);
        }
        String contents = files.getOrDefault(file, "");
        if (language == Language.JSON) {
            return JsonSchema.parse(utf8(contents), String.valueOf(Path.of(file).getFileName()));
        }
        try {
            return language == Language.AVRO ? AvroSchema.parse(utf8(contents)) : ProtoSchema.of(bytes(contents), type);
        } catch (SchemaException e) {
            throw new SchemaException("cannot use schema " + file + ": " + e.getMessage(), e);
        }
    }

    /** Returns whether the file contains text; descriptor sets are binary. */
    public boolean isText() {
        return language != Language.PROTOBUF;
    }

    /** The text of the file that contains the type. */
    public String text() {
        return text(files.getOrDefault(file, ""));
    }

    private @Nullable String textOf(String name) {
        String contents = files.get(name);
        return contents == null ? null : text(contents);
    }

    private String utf8(String contents) {
        byte[] bytes = bytes(contents);
        if (Utf8.firstMalformed(bytes, 0, bytes.length) >= 0) {
            throw new SchemaException("cannot read schema " + file + ": it is not UTF-8; convert it");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
