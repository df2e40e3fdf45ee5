package io.thalweg.records.json;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.JsonBytes;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A JSON Schema, restricted to the part of drafts 7 and 2020-12 that describes tables.
 *
 * <p><b>Types.</b> {@code integer} is INT64, or INT32 with {@code format: int32} or bounds that fit; {@code number} is DOUBLE, or
 * FLOAT with {@code format: float}; {@code string} is TEXT, or by its format DATE, TIME, TIMESTAMP or UUID, or BYTES with {@code
 * contentEncoding: base64}; an {@code enum} of strings is Symbols. An object has {@code properties} or is a map with {@code
 * additionalProperties: {schema}}. {@code format: decimal} with {@code x-precision} and {@code x-scale}, on a string or a number,
 * is Decimal; {@code x-unit: s|ms|us} on an integer is TIMESTAMP.
 *
 * <p><b>Presence.</b> A member is required if {@code required} lists it and its type does not allow null. A member that is not
 * listed may be null or missing. {@code default} is the value for messages that lack the member.
 *
 * <p>Validations such as {@code pattern} or {@code maximum} are not checked. Members that are not in the schema are skipped.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class JsonSchema implements RecordFormat, Serializable {
    private static final long serialVersionUID = 1L;

    private final JsonType root;

    private JsonSchema(JsonType root) {
        this.root = root;
    }

    /**
     * Reads a file.
     *
     * @throws SchemaException if the file cannot be read or contains an unsupported keyword; the message contains its JSON
     *     pointer
     */
    public static JsonSchema of(Path file) {
        try {
            return parse(Files.readString(file), String.valueOf(file.getFileName()));
        } catch (CharacterCodingException e) {
            throw new SchemaException("cannot read schema " + file + ": it is not UTF-8; convert it", e);
        } catch (NoSuchFileException e) {
            throw new SchemaException("cannot read schema " + file + ": there is no such file", e);
        } catch (IOException e) {
            throw new SchemaException("cannot read schema " + file + ": " + e, e);
        }
    }

    /**
     * Reads the text of a schema.
     *
     * @param file for error messages
     * @throws SchemaException as for {@link #of}
     */
    public static JsonSchema parse(String json, String file) {
        return new JsonSchema(new JsonSchemaParser(JsonTree.parse(json, "schema " + file), file).root());
    }

    /** The neutral schema. */
    @Override
    public Struct struct() {
        return (Struct) root.type();
    }

    /**
     * Creates a reader.
     *
     * @param translation of {@link #struct}; used by this reader only
     */
    @Override
    public JsonReader reader(Translation translation, Limits limits) {
        return new JsonReader(root, translation, limits);
    }

    /** Creates a writer of messages. */
    @Override
    public JsonBytes writer() {
        return new JsonBytes(struct(), new JsonSchemaLayout(root));
    }
}
