package io.thalweg.jobs.kafka;

import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.jspecify.annotations.Nullable;

/**
 * A read of a topic by Flink's own source, which forwards records undecoded: committed ones only. New partitions are found while
 * running and read from their first record on.
 *
 * @param properties of the cluster, {@code bootstrap.servers} among them
 * @param group the consumer group whose offsets show the lag, unless the properties name one
 * @param client prefix of the client ids
 * @param startMs record timestamp to begin at on the first start; 0 = the first record that there is
 * @param toItsEnd whether to end behind what the topic holds at the start
 */
public record TopicRead(
        String topic, Map<String, String> properties, String group, String client, long startMs, boolean toItsEnd) {
    private static final String DISCOVERY_MS = "10000";

    public TopicRead {
        properties = Map.copyOf(properties);
    }

    /** The source. If Kafka has deleted the next records, it continues with the oldest that there is. */
    public <T> KafkaSource<T> source(KafkaRecordDeserializationSchema<T> records) {
        return source(records, false);
    }

    /**
     * The source. If Kafka has deleted the next records, it reports them.
     *
     * @param lost makes an element of them; null = the job fails for good
     */
    public <T> Source<T, ?, ?> source(KafkaRecordDeserializationSchema<T> records, @Nullable LostRecords<T> lost) {
        return new LossReportingSource<>(source(records, true), properties, lost);
    }

    private <T> KafkaSource<T> source(KafkaRecordDeserializationSchema<T> records, boolean failsIfLost) {
        Properties client = new Properties();
        client.putAll(properties);
        client.putIfAbsent("group.id", group);
        client.put("client.id.prefix", this.client);
        client.put("isolation.level", "read_committed");
        client.put("partition.discovery.interval.ms", toItsEnd ? "-1" : DISCOVERY_MS);
        KafkaSourceBuilder<T> source = KafkaSource.<T>builder()
                .setProperties(client)
                .setTopics(topic)
                .setStartingOffsets(new FromTime(startMs, failsIfLost))
                .setDeserializer(records);
        return toItsEnd ? source.setBounded(OffsetsInitializer.latest()).build() : source.build();
    }

    /** Without the values of the properties, which may be secrets. */
    @Override
    public String toString() {
        return "TopicRead[%s, %s, from %d%s]".formatted(topic, group, startMs, toItsEnd ? ", to its end" : "");
    }
}
