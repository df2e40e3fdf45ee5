package io.thalweg.bench.ingest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.avro.AvroSchemaConverter;
import org.apache.parquet.avro.AvroWriteSupport;
import org.apache.parquet.schema.MessageType;

/** The table of rides as rivals see it. */
final class RideSchemas {
    /** The columns whose values repeat, as known to an author who knows the data. */
    static final List<String> REPEATING = List.of("status", "product", "passengers", "app_version", "device");

    private RideSchemas() {}

    /**
     * Returns the schema of messages in Avro: times are in milliseconds, because Flink's Avro format reads other units as if they
     * were.
     */
    static Schema messages(Path schemas) throws IOException {
        return new Schema.Parser().parse(text(schemas));
    }

    /** Returns the schema of rows: the same with times in microseconds. */
    static Schema rows(Path schemas) throws IOException {
        return new Schema.Parser().parse(text(schemas).replace("timestamp-millis", "timestamp-micros"));
    }

    private static String text(Path schemas) throws IOException {
        return Files.readString(schemas.resolve("rides.avsc"));
    }

    static MessageType parquet(Schema avro) {
        return new AvroSchemaConverter(configuration()).convert(avro);
    }

    /** Returns a configuration with three-level lists, as the format requires today. */
    static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setBoolean(AvroWriteSupport.WRITE_OLD_LIST_STRUCTURE, false);
        return configuration;
    }
}
