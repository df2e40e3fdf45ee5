package io.thalweg.jobs.kafka;

import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of a read of topics. New partitions are discovered while the job runs and read from their first record.
 *
 * @param reader the kind of reader
 * @param properties of the client, including {@code bootstrap.servers} and {@code group.id}
 * @param startMs record timestamp to begin at on the first start; {@code Long.MIN_VALUE} = the first existing record,
 *     {@code Long.MAX_VALUE} = only new records
 */
public record TopicRead(List<String> topics, Kafka.Reader reader, Map<String, String> properties, long startMs)
        implements Serializable {
    public TopicRead {
        topics = List.copyOf(topics);
        properties = Map.copyOf(properties);
    }

    /**
     * Creates a read of the committed records of one topic.
     *
     * @param cluster properties of the cluster
     * @param group the consumer group whose offsets show the lag, and the client's id, unless the properties name them
     */
    public static TopicRead of(
            String topic, Kafka.Reader reader, Map<String, String> cluster, String group, long startMs) {
        Map<String, String> properties = new HashMap<>(cluster);
        properties.putIfAbsent("group.id", group);
        properties.putIfAbsent("client.id", group);
        properties.put("isolation.level", "read_committed");
        return new TopicRead(List.of(topic), reader, properties, startMs);
    }

    /** Omits the values of the properties, which may be secrets. */
    @Override
    public String toString() {
        return "TopicRead[%s, %s, from %d]".formatted(topics, reader, startMs);
    }
}
