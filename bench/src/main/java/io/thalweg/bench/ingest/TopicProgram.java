package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.TopicReader;
import io.thalweg.bench.harness.TopicWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A single-threaded program with Kafka's consumer and producer, libthrift and Avro records, without Flink, checkpoints and dead
 * letters; at least once. It fails at the first bad message.
 */
record TopicProgram(IngestOrder order) implements Ingester {
    private static final Duration POLL = Duration.ofMillis(10);
    /** The settings that Thalweg gives its own producer. */
    private static final Map<String, Object> AS_THALWEG = Map.of("linger.ms", "5", "batch.size", "131072");

    @Override
    public void ingest(String input, Path output) throws IOException, ExecutionException, InterruptedException {
        String topic = order.createTopic(output);
        Rides rides = new Rides(order.variant(), RideSchemas.rows(order.schemas()));
        try (TopicReader messages = TopicReader.open(order.bootstrap(), input, null);
                TopicWriter rows = new TopicWriter(order.bootstrap(), topic, AS_THALWEG)) {
            while (messages.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : messages.next(POLL)) {
                    rows.send(record.partition(), record.timestamp(), record.key(), rides.toAvro(record.value()));
                }
            }
        }
    }

    /** Converts messages to Avro, with one buffer for all. */
    static final class Rides {
        private final RideDecoder decoder;
        private final GenericDatumWriter<GenericRecord> writer;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 11);
        private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);

        Rides(IngestVariant variant, Schema schema) {
            decoder = RideDecoder.of(variant, schema);
            writer = new GenericDatumWriter<>(schema);
        }

        byte[] toAvro(byte[] message) throws IOException {
            bytes.reset();
            writer.write(decoder.decode(message, 0, message.length), encoder);
            encoder.flush();
            return bytes.toByteArray();
        }
    }
}
