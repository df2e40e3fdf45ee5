package io.thalweg.bench.harness;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends records to a topic, compressed by lz4.
 *
 * <p><b>Threads.</b> One.
 */
public final class TopicWriter implements Closeable {
    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> refused = new AtomicReference<>();

    /** Connects with batches of a mebibyte, acknowledged by one broker. */
    public TopicWriter(String bootstrap, String topic) {
        this.topic = topic;
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap,
                "compression.type", "lz4",
                "acks", "1",
                "linger.ms", "20",
                "batch.size", "1048576",
                "max.request.size", "8388608",
                "buffer.memory", "67108864");
        this.producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** The number of partitions of the topic. */
    public int partitions() {
        return producer.partitionsFor(topic).size();
    }

    /**
     * Sends a record; the arrays may be reused when it returns.
     *
     * @throws IOException if an earlier record was refused
     */
    public void send(int partition, long timeMs, byte @Nullable [] key, byte[] value) throws IOException {
        requireAccepted();
        var unused = producer.send(new ProducerRecord<>(topic, partition, timeMs, key, value), (done, failure) -> {
            if (failure != null) {
                refused.compareAndSet(null, failure);
            }
        });
    }

    /** Returns when all records are acknowledged. */
    public void flush() throws IOException {
        producer.flush();
        requireAccepted();
    }

    private void requireAccepted() throws IOException {
        Exception failure = refused.get();
        if (failure != null) {
            throw new IOException("topic " + topic + " does not take all records: " + failure.getMessage(), failure);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            flush();
        } finally {
            producer.close();
        }
    }
}
