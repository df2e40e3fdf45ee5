package io.thalweg.jobs.sink;

import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;

/**
 * The writing of records to a topic by Flink's own sink.
 *
 * @param properties of the cluster, {@code bootstrap.servers} among them; they go before those for larger requests
 */
public record TopicWrite(String topic, Map<String, String> properties) {
    /** Each batch costs the compressor 128 KiB on the heap, however small it is. By default, batches have 16 KiB. */
    private static final String BATCH_BYTES = String.valueOf(128 << 10);

    private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
    /** The most that brokers allow by default. */
    private static final String TRANSACTION_TIMEOUT_MS = "900000";

    public TopicWrite {
        properties = Map.copyOf(properties);
    }

    /** Records that are visible at once; a checkpoint waits until they are acknowledged. */
    public KafkaSink<KafkaRecord> untilAcknowledged() {
        return builder().setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build();
    }

    /**
     * Records that are committed with a checkpoint; see {@link VerifiedKafkaSink}.
     *
     * @param name of the writer: one with the same name aborts what this one has left open
     */
    public KafkaSink<KafkaRecord> inTransactions(String name) {
        return builder()
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix(name)
                .setProperty(TRANSACTION_TIMEOUT, properties.getOrDefault(TRANSACTION_TIMEOUT, TRANSACTION_TIMEOUT_MS))
                .build();
    }

    /** How to reach the cluster. */
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

    /** Without the values of the properties, which may be secrets. */
    @Override
    public String toString() {
        return "TopicWrite[%s, %s]".formatted(topic, properties.keySet());
    }
}
