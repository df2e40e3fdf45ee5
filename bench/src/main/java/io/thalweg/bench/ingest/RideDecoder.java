package io.thalweg.bench.ingest;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Decodes messages of one format, as a program written for this schema does. */
interface RideDecoder {
    /** The message as Avro's record. */
    GenericRecord decode(byte[] data, int from, int to) throws IOException;

    /**
     * A decoder for one thread.
     *
     * @param rows the schema of rows
     */
    static RideDecoder of(IngestVariant variant, Schema rows) {
        return variant.format == IngestVariant.MessageFormat.JSON ? new JsonRides(rows) : new ThriftRides(rows);
    }
}
