package io.thalweg.runner;

import io.thalweg.jobs.ingest.message.MadeUpMessages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes records to the partitions of a topic in turn, so that the same records always go to the same partitions. */
public final class TopicRecords implements MadeUpMessages.Records {
    private final String topic;
    private final @Nullable String codecHeader;
    private final KafkaProducer<byte[], byte[]> producer;
    private final int partitions;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private long records;

    private TopicRecords(
            String topic, @Nullable String codecHeader, KafkaProducer<byte[], byte[]> producer, int partitions) {
        this.topic = topic;
        this.codecHeader = codecHeader;
        this.producer = producer;
        this.partitions = partitions;
    }

    /**
     * Connects.
     *
     * @param codecHeader the header in which a record names its compression; null = records do not
     * @param cluster client properties, including {@code bootstrap.servers}; they override the defaults for large batches
     */
    static TopicRecords open(String topic, @Nullable String codecHeader, Map<String, String> cluster) {
        Map<String, Object> properties = new HashMap<>(Map.of("linger.ms", "20", "batch.size", "262144"));
        properties.putAll(cluster);
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        return new TopicRecords(
                topic, codecHeader, producer, producer.partitionsFor(topic).size());
    }

    @Override
    public void write(byte[] record, @Nullable String codec) throws IOException {
        requireNoFailure();
        int partition = (int) (records++ % partitions);
        ProducerRecord<byte[], byte[]> produced = new ProducerRecord<>(topic, partition, null, record);
        if (codec != null && codecHeader != null) {
            var unused = produced.headers().add(codecHeader, codec.getBytes(StandardCharsets.UTF_8));
        }
        try {
            var unused = producer.send(produced, (done, failed) -> {
                if (failed != null) {
                    failure.compareAndSet(null, failed);
                }
            });
        } catch (KafkaException e) {
            throw new IOException("topic " + topic + " cannot be written: " + e.getMessage(), e);
        }
    }

    private void requireNoFailure() throws IOException {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IOException("topic " + topic + " cannot be written: " + failed.getMessage(), failed);
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
