package io.thalweg.bench.ingest;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.avro.generic.GenericRecord;

/** Decodes messages of one format, as a program written for this schema does. */
interface RideDecoder {
    /** Hands the fields of a message to Parquet without an object for the message. */
    void decode(byte[] data, int from, int to, RideFields out) throws IOException;

    /** The message as Avro's record. */
    GenericRecord decode(byte[] data, int from, int to) throws IOException;

    /**
     * A decoder for one thread.
     *
     * @param schemas the folder with the schemas
     * @param reuse whether a record may be the one before with other values
     */
    static RideDecoder of(IngestVariant variant, Path schemas, boolean reuse) throws IOException {
        return switch (variant.format()) {
            case THRIFT -> new ThriftRides(RideSchemas.rows(schemas));
            case JSON -> new JsonRides(RideSchemas.rows(schemas));
            case AVRO -> new AvroRides(RideSchemas.messages(schemas), reuse);
        };
    }
}
