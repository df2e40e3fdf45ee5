package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.ingest.Ingester.IngestOrder;
import io.thalweg.bench.ingest.RideMessages.RideSchemas;
import io.thalweg.bench.rivals.RivalFlink;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.SimpleStreamFormat;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.formats.avro.typeutils.GenericRecordAvroTypeInfo;
import org.apache.flink.formats.parquet.ParquetWriterFactory;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.jspecify.annotations.Nullable;

/** Stock Flink: its file source, Avro records, and Parquet's writer for them in its file sink; exactly once. */
record FlinkParquet(IngestOrder order) implements Ingester {
    @Override
    public void ingest(String input, java.nio.file.Path output) throws Exception {
        String schema = RideSchemas.rows(order.schemas()).toString();
        StreamExecutionEnvironment environment = RivalFlink.environment(
                order.parallelism(), Folders.temporary().resolve("checkpoints-" + output.getFileName()));
        FileSink<GenericRecord> files = FileSink.forBulkFormat(
                        new Path(output.toUri()),
                        new ParquetWriterFactory<GenericRecord>(
                                out -> PlainParquet.records(out, new Schema.Parser().parse(schema))))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .withOutputFileConfig(new OutputFileConfig("rides", ".parquet"))
                .build();
        environment.getCheckpointConfig().setCheckpointInterval(60_000); // like Thalweg's
        environment
                .fromSource(
                        FileSource.forRecordStreamFormat(new Rides(schema), new Path(input))
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "rides")
                .sinkTo(files);
        environment.execute("rides");
    }

    /** Reads the messages of a file. */
    private static final class Rides extends SimpleStreamFormat<GenericRecord> {
        private static final long serialVersionUID = 1L;

        private final String schema;

        Rides(String schema) {
            this.schema = schema;
        }

        @Override
        public StreamFormat.Reader<GenericRecord> createReader(Configuration configuration, FSDataInputStream in) {
            ThriftRides decoder = new ThriftRides(new Schema.Parser().parse(schema));
            Frames frames = new Frames(in);
            return new StreamFormat.Reader<>() {
                @Override
                public @Nullable GenericRecord read() throws IOException {
                    return frames.next() ? decoder.decode(frames.data(), frames.from(), frames.to()) : null;
                }

                @Override
                public void close() throws IOException {
                    frames.close();
                }
            };
        }

        @Override
        public TypeInformation<GenericRecord> getProducedType() {
            return new GenericRecordAvroTypeInfo(new Schema.Parser().parse(schema));
        }
    }
}
