package io.thalweg.bench.ingest;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Decodes messages of one format, like a program written for this schema. */
interface RideDecoder {
    /** Returns a message as an Avro record. */
    GenericRecord decode(byte[] data, int from, int to) throws IOException;

    /**
     * Creates a decoder for one thread.
     *
     * @param rows the schema of rows
     */
    static RideDecoder of(IngestVariant variant, Schema rows) {
        return variant.format == IngestVariant.MessageFormat.JSON ? new JsonRides(rows) : new ThriftRides(rows);
    }
}
