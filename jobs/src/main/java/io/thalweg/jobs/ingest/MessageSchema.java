package io.thalweg.jobs.ingest;

import io.thalweg.formats.SourceSchema;
import io.thalweg.model.Ingest;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.SchemaText;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.AvroSchemas;
import io.thalweg.records.write.ByNameWriter;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.JsonSchemas;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The schema of the messages that rows become in a topic.
 *
 * @param name of a derived type
 * @param format of the messages
 * @param given the schema; null = derived from the columns, of Avro and JSON only
 */
public record MessageSchema(
        String name, Ingest.Format format, @Nullable SchemaText given) implements Serializable {
    /**
     * Reads the schema's file, if the definition names one.
     *
     * @throws SchemaException if it cannot be read; the message names the file
     */
    static MessageSchema of(Ingest ingest, Ingest.TopicSink sink) {
        Ingest.Schema schema = sink.schema();
        return new MessageSchema(
                ingest.qualifiedName(),
                sink.format(),
                schema == null ? null : SourceSchema.file(SchemaText.Language.valueOf(sink.format().name()), schema));
    }

    /**
     * A writer of messages.
     *
     * @param table the schema of the rows
     * @throws SchemaException if messages cannot hold such rows; the message lists all differences
     */
    ByteRecordWriter writer(Struct table) {
        if (given != null) {
            RecordFormat messages = given.format();
            return ByNameWriter.of(table, messages.struct(), messages.writer());
        }
        return format == Ingest.Format.AVRO ? new AvroBytes(table) : new JsonBytes(table);
    }

    /**
     * The schema for those who read the messages: Avro's or a JSON Schema as JSON, or where it is.
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
