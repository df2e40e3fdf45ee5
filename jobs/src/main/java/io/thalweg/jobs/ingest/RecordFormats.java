package io.thalweg.jobs.ingest;

import io.thalweg.model.Ingest;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.proto.ProtoSchema;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.thrift.ThriftSchema;
import java.nio.file.Path;

/** Opens the schema of a definition. */
final class RecordFormats {
    private RecordFormats() {}

    /**
     * Reads the schema's file.
     *
     * @throws SchemaException if it cannot be read or used; the message names the file
     */
    static RecordFormat open(Ingest.Input input) {
        Ingest.Schema schema = input.schema();
        Path file = Path.of(schema.file());
        return switch (input.format()) {
            case THRIFT ->
                ThriftSchema.of(file, schema.type())
                        .format(Protocol.valueOf(schema.protocol().name()));
            case AVRO -> AvroSchema.of(file);
            case JSON -> JsonSchema.of(file);
            case PROTOBUF -> ProtoSchema.of(file, schema.type());
        };
    }
}
