package io.thalweg.records.avro;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.AvroBytes;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.jspecify.annotations.Nullable;

/**
 * The Avro schema of a record, and the neutral struct that it maps to.
 *
 * <p><b>Types.</b> Records become structs, enums symbols, and a union of null and one type becomes an optional value. A union of
 * several types becomes a struct with one optional field for each, named after the type: {@code string}, {@code long}, or the
 * simple name of a record, enum or fixed, or its full name where simple names clash. A value of type {@code null} becomes an
 * optional text that is always absent. A record within itself becomes {@link io.thalweg.records.schema.FieldType.Recursive}.
 *
 * <p><b>Logical types.</b> Times are in microseconds: milliseconds are multiplied and nanoseconds are rounded down. An unknown or
 * invalid logical type is ignored, as Avro's specification requires; so is {@code duration}.
 *
 * <p><b>Presence.</b> A field is required unless its type includes null. Defaults take part in resolution only, see {@link
 * AvroReader#of}.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class AvroSchema implements RecordFormat, Serializable {
    private static final long serialVersionUID = 1L;

    private final Schema schema;
    private final Struct struct;

    private AvroSchema(Schema schema, Struct struct) {
        this.schema = schema;
        this.struct = struct;
    }

    /**
     * Reads the schema in a file.
     *
     * @param avsc JSON in UTF-8
     * @throws SchemaException if the file cannot be read, or as {@link #parse} does; the message names the file
     */
    public static AvroSchema of(Path avsc) {
        try {
            return parse(Files.readString(avsc));
        } catch (IOException | SchemaException e) {
            throw new SchemaException("cannot read the Avro schema in " + avsc + ": " + e.getMessage(), e);
        }
    }

    /**
     * Parses a schema.
     *
     * @param json a record with all types that it refers to
     * @throws SchemaException if it is not a valid schema of a record, or has a type that tables cannot hold
     */
    public static AvroSchema parse(String json) {
        Schema schema;
        try {
            schema = new Schema.Parser().parse(json);
        } catch (RuntimeException e) {
            // Avro's parser reports some mistakes as IllegalArgumentException or NullPointerException.
            throw new SchemaException("not a valid Avro schema: " + e.getMessage(), e);
        }
        if (schema.getType() != Schema.Type.RECORD) {
            throw new SchemaException("the root of an Avro schema must be a record, was "
                    + schema.getType().getName() + "; wrap it in a record with one field");
        }
        return new AvroSchema(schema, AvroTypes.struct(schema));
    }

    /**
     * Returns the text of a schema together with the schemas that it refers to.
     *
     * @param references schemas of named types, each before those that refer to it
     * @throws SchemaException if one of them is not a valid schema
     */
    public static String complete(List<String> references, String json) {
        try {
            Schema.Parser parser = new Schema.Parser();
            references.forEach(parser::parse);
            return parser.parse(json).toString();
        } catch (RuntimeException e) {
            throw new SchemaException("not a valid Avro schema: " + e.getMessage(), e);
        }
    }

    /** The fingerprint of Avro's single-object encoding: CRC-64-AVRO of the canonical form. */
    public long fingerprint() {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    /** The fields of the record. */
    @Override
    public Struct struct() {
        return struct;
    }

    /**
     * Creates a reader of messages that were written with this schema.
     *
     * @param translation of {@link #struct}, used by this reader only
     */
    @Override
    public AvroReader reader(Translation translation, Limits limits) {
        return AvroReader.of(this, this, translation, limits);
    }

    /** Creates a writer of messages. */
    @Override
    public AvroBytes writer() {
        return new AvroBytes(struct, schema);
    }

    Schema schema() {
        return schema;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AvroSchema that && schema.equals(that.schema);
    }

    @Override
    public int hashCode() {
        return schema.hashCode();
    }

    /** The schema as JSON. */
    @Override
    public String toString() {
        return schema.toString();
    }
}
