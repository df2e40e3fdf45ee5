package io.thalweg.jobs.sink;

import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;

/**
 * Creates Flink's own sinks for a topic.
 *
 * @param properties of the cluster, including {@code bootstrap.servers}; they override the settings for larger requests
 */
public record TopicWrite(String topic, Map<String, String> properties) {
    /** Each batch costs the compressor 128 KiB of heap, however small it is. Kafka's default is 16 KiB. */
    private static final String BATCH_BYTES = String.valueOf(128 << 10);

    private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
    /** The maximum that brokers allow by default. */
    private static final String TRANSACTION_TIMEOUT_MS = "900000";

    public TopicWrite {
        properties = Map.copyOf(properties);
    }

    /** Creates a sink whose records are visible at once; a checkpoint waits until they are acknowledged. */
    public KafkaSink<KafkaRecord> untilAcknowledged() {
        return builder().setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build();
    }

    /**
     * Creates a sink whose records are committed with a checkpoint; see {@link VerifiedKafkaSink}.
     *
     * @param name of the writer; a later writer with the same name aborts the transactions that this one leaves open
     */
    public KafkaSink<KafkaRecord> inTransactions(String name) {
        return builder()
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix(name)
                .setProperty(TRANSACTION_TIMEOUT, properties.getOrDefault(TRANSACTION_TIMEOUT, TRANSACTION_TIMEOUT_MS))
                .build();
    }

    /** Returns the client properties of the cluster. */
    public Properties cluster() {
        Properties cluster = new Properties();
        cluster.putAll(properties);
        return cluster;
    }

    private KafkaSinkBuilder<KafkaRecord> builder() {
        Properties producer = new Properties();
        producer.put("compression.type", "lz4");
        producer.put("linger.ms", "5");
        producer.put("batch.size", BATCH_BYTES);
        producer.putAll(properties);
        return KafkaSink.<KafkaRecord>builder()
                .setKafkaProducerConfig(producer)
                .setRecordSerializer(new ByShard(topic));
    }

    /** Omits the values of the properties, which may be secrets. */
    @Override
    public String toString() {
        return "TopicWrite[%s, %s]".formatted(topic, properties.keySet());
    }
}
