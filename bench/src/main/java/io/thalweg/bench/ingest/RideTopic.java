package io.thalweg.bench.ingest;

import io.thalweg.jobs.ingest.MadeUpMessages;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A topic of rides: records go to its partitions in turn, with the time at which they are sent. */
public final class RideTopic implements MadeUpMessages.Records {
    private static final Map<String, Object> PRODUCER = Map.of(
            "acks",
            "1",
            "compression.type",
            "lz4",
            "linger.ms",
            "20",
            "batch.size",
            Integer.toString(1 << 20),
            "buffer.memory",
            Integer.toString(64 << 20));

    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final int partitions;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final LongConsumer sent;
    private long records;

    private RideTopic(String topic, KafkaProducer<byte[], byte[]> producer, LongConsumer sent) {
        this.topic = topic;
        this.sent = sent;
        this.producer = producer;
        partitions = producer.partitionsFor(topic).size();
    }

    /**
     * Connects to a topic.
     *
     * @param sent takes the time of each record, in milliseconds since 1970
     */
    public static RideTopic open(String bootstrap, String topic, LongConsumer sent) {
        Map<String, Object> settings = new java.util.HashMap<>(PRODUCER);
        settings.put("bootstrap.servers", bootstrap);
        return new RideTopic(
                topic, new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()), sent);
    }

    @Override
    public void write(byte[] record, @Nullable String codec) throws IOException {
        requireNoFailure();
        int partition = (int) (records++ % partitions);
        long nowMs = System.currentTimeMillis();
        sent.accept(nowMs);
        var unused = producer.send(new ProducerRecord<>(topic, partition, nowMs, null, record), (done, failed) -> {
            if (failed != null) {
                failure.compareAndSet(null, failed);
            }
        });
    }

    private void requireNoFailure() throws IOException {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IOException("topic " + topic + " does not take all messages: " + failed.getMessage(), failed);
        }
    }

    /** Returns when all records are acknowledged. */
    @Override
    public void close() throws IOException {
        try {
            producer.flush();
            requireNoFailure();
        } finally {
            producer.close();
        }
    }
}
