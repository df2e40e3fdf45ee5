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
 * Sends events to a topic, in batches of a mebibyte that lz4 compresses, acknowledged by one broker.
 *
 * <p><b>Threads.</b> One.
 */
public final class TopicWriter implements Closeable {
    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> refused = new AtomicReference<>();

    /** Connects. */
    public TopicWriter(String bootstrap, String topic) {
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "acks",
                        "1",
                        "compression.type",
                        "lz4",
                        "linger.ms",
                        "20",
                        "batch.size",
                        Integer.toString(1 << 20),
                        "max.request.size",
                        Integer.toString(8 << 20),
                        "buffer.memory",
                        Integer.toString(64 << 20)),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** How many partitions the topic has. */
    public int partitions() {
        return producer.partitionsFor(topic).size();
    }

    /**
     * Sends a record; the arrays are free again when it returns.
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
