package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.TopicReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A program of one thread over Kafka's consumer and producer, libthrift and Avro's records, without Flink, checkpoints and dead letters;
 * at least once. It fails at the first bad message.
 */
record TopicProgram(IngestOrder order) implements Ingester {
    private static final Duration POLL = Duration.ofMillis(10);

    @Override
    public void ingest(String input, Path output) throws IOException, ExecutionException, InterruptedException {
        String topic = order.createTopic(output);
        Rides rides = new Rides(order.variant(), order.schemas());
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        try (TopicReader messages = TopicReader.open(order.bootstrap(), input, null);
                KafkaProducer<byte[], byte[]> producer = producer()) {
            while (messages.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : messages.next(POLL)) {
                    var unused = producer.send(
                            new ProducerRecord<>(
                                    topic,
                                    record.partition(),
                                    record.timestamp(),
                                    record.key(),
                                    rides.toAvro(record.value())),
                            (done, failed) -> {
                                if (failed != null) {
                                    failure.compareAndSet(null, failed);
                                }
                            });
                }
            }
            producer.flush();
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new IOException("messages are not written: " + failed.getMessage(), failed);
        }
    }

    /** With the settings that Thalweg gives its own. */
    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        order.bootstrap(),
                        "compression.type",
                        "lz4",
                        "linger.ms",
                        "5",
                        "batch.size",
                        "131072"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Makes Avro of messages, with one buffer for all. */
    static final class Rides {
        private final RideDecoder decoder;
        private final GenericDatumWriter<GenericRecord> writer;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 11);
        private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);

        Rides(IngestVariant variant, Path schemas) throws IOException {
            decoder = RideDecoder.of(variant, schemas);
            writer = new GenericDatumWriter<>(RideSchemas.rows(schemas));
        }

        byte[] toAvro(byte[] message) throws IOException {
            bytes.reset();
            writer.write(decoder.decode(message, 0, message.length), encoder);
            encoder.flush();
            return bytes.toByteArray();
        }
    }
}
