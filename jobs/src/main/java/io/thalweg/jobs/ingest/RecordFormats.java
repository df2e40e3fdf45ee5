package io.thalweg.jobs.ingest;

import io.thalweg.model.Ingest;
import io.thalweg.records.SchemaText;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.Protocol;
import java.nio.file.Path;

/** Reads the schema of a definition. */
final class RecordFormats {
    private RecordFormats() {}

    /**
     * Reads the schema's files.
     *
     * @throws SchemaException if it cannot be read; the message names the file
     */
    static SchemaText read(Ingest.Input input) {
        return read(input.format(), input.schema());
    }

    /**
     * Reads the files of a schema.
     *
     * @throws SchemaException if it cannot be read; the message names the file
     */
    static SchemaText read(Ingest.Format format, Ingest.Schema schema) {
        return SchemaText.read(
                SchemaText.Language.valueOf(format.name()),
                Path.of(schema.file()),
                schema.type(),
                Protocol.valueOf(schema.protocol().name()));
    }
}
