package io.thalweg.bench.ingest;

import io.thalweg.bench.ingest.Ingester.IngestOrder;
import io.thalweg.bench.ingest.RideMessages.RideSchemas;
import io.thalweg.bench.ingest.ThriftRides.RideFields;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * A single-threaded program with Parquet's own writer, without Flink, checkpoints and dead letters: either with Avro records, as
 * most would write it, or directly with Parquet's interface for records, which is the best that it can do.
 */
record PlainParquet(IngestOrder order, boolean direct) implements Ingester {
    @Override
    public void ingest(String input, Path output) throws IOException {
        Files.createDirectories(output);
        Schema schema = RideSchemas.rows(order.schemas());
        ThriftRides decoder = new ThriftRides(schema);
        OutputFile file = new LocalOutputFile(output.resolve("rides.parquet"));
        try (Frames frames = new Frames(Files.newInputStream(Path.of(input)))) {
            if (direct) {
                try (ParquetWriter<Frames> writer = new DirectBuilder(file, decoder, schema).build()) {
                    while (frames.next()) {
                        writer.write(frames);
                    }
                }
            } else {
                try (ParquetWriter<GenericRecord> writer = records(file, schema)) {
                    while (frames.next()) {
                        writer.write(decoder.decode(frames.data(), frames.from(), frames.to()));
                    }
                }
            }
        }
    }

    /** Creates a writer of Avro records. */
    static ParquetWriter<GenericRecord> records(OutputFile file, Schema schema) throws IOException {
        return tuned(AvroParquetWriter.<GenericRecord>builder(file).withSchema(schema))
                .build();
    }

    /** Configures the compression of Thalweg's files, with dictionaries only where they pay off. */
    private static <T, B extends ParquetWriter.Builder<T, B>> B tuned(B builder) {
        B tuned = builder.withConf(RideSchemas.configuration())
                .withCompressionCodec(CompressionCodecName.ZSTD)
                .withDictionaryEncoding(false);
        for (String column : RideSchemas.REPEATING) {
            tuned = tuned.withDictionaryEncoding(column, true);
        }
        return tuned;
    }

    private static final class DirectBuilder extends ParquetWriter.Builder<Frames, DirectBuilder> {
        private final ThriftRides decoder;
        private final MessageType schema;

        DirectBuilder(OutputFile file, ThriftRides decoder, Schema schema) {
            super(file);
            this.decoder = decoder;
            this.schema = RideSchemas.parquet(schema);
            var unused = tuned(this);
        }

        @Override
        protected DirectBuilder self() {
            return this;
        }

        @Override
        @SuppressWarnings("deprecation") // deprecated, but no other method can replace it
        protected WriteSupport<Frames> getWriteSupport(Configuration configuration) {
            return new Direct(decoder, schema);
        }
    }

    /** Reads the current message of the frames and writes its fields. */
    private static final class Direct extends WriteSupport<Frames> {
        private final ThriftRides decoder;
        private final MessageType schema;
        private @Nullable RideFields fields;

        Direct(ThriftRides decoder, MessageType schema) {
            this.decoder = decoder;
            this.schema = schema;
        }

        @Override
        @SuppressWarnings("deprecation") // as above
        public WriteContext init(Configuration configuration) {
            return new WriteContext(schema, Map.of());
        }

        @Override
        public void prepareForWrite(RecordConsumer consumer) {
            fields = new RideFields(consumer);
        }

        @Override
        public void write(Frames frames) {
            RideFields row = Objects.requireNonNull(fields);
            row.out().startMessage();
            try {
                decoder.decode(frames.data(), frames.from(), frames.to(), row);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            row.out().endMessage();
        }
    }
}
