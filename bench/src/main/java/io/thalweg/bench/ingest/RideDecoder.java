package io.thalweg.bench.ingest;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.avro.generic.GenericRecord;

/** Decodes messages of one format, as a program written for this schema does. */
interface RideDecoder {
    /** The message as Avro's record. */
    GenericRecord decode(byte[] data, int from, int to) throws IOException;

    /**
     * A decoder for one thread.
     *
     * @param schemas the folder with the schemas
     */
    static RideDecoder of(IngestVariant variant, Path schemas) throws IOException {
        return variant.format == IngestVariant.MessageFormat.JSON
                ? new JsonRides(RideSchemas.rows(schemas))
                : new ThriftRides(RideSchemas.rows(schemas));
    }
}
