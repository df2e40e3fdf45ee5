package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.rivals.RivalFlink;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Stock Flink: its Kafka source, libthrift and Avro records in its deserialization schema, and its Kafka sink; at least once. */
record FlinkTopic(IngestOrder order) implements Ingester {
    @Override
    public void ingest(String input, Path output) throws Exception {
        String topic = order.createTopic(output);
        StreamExecutionEnvironment environment =
                RivalFlink.environment(order.parallelism(), Folders.temporary().resolve("checkpoints-" + topic));
        DataStream<byte[]> rows = RivalFlink.readToEnd(
                environment,
                order.bootstrap(),
                input,
                new ToAvro(order.variant(), RideSchemas.rows(order.schemas()).toString()));
        RivalFlink.write(rows, order.bootstrap(), topic, false);
        environment.execute("rides");
    }

    /** Converts Thrift to Avro. */
    private static final class ToAvro extends AbstractDeserializationSchema<byte[]> {
        private static final long serialVersionUID = 1L;

        private final IngestVariant variant;
        private final String schema;
        private transient TopicProgram.@Nullable Rides rides;

        ToAvro(IngestVariant variant, String schema) {
            this.variant = variant;
            this.schema = schema;
        }

        @Override
        public byte[] deserialize(byte[] message) throws IOException {
            TopicProgram.Rides own = rides;
            if (own == null) {
                own = new TopicProgram.Rides(variant, new Schema.Parser().parse(schema));
                rides = own;
            }
            return own.toAvro(message);
        }
    }
}
