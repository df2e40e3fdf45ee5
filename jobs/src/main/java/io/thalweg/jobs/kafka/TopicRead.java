package io.thalweg.jobs.kafka;

import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A read of topics. New partitions are found while running and read from their first record on.
 *
 * @param reader how partitions are read
 * @param properties of the client, {@code bootstrap.servers} and {@code group.id} among them
 * @param startMs record timestamp to begin at on the first start; {@code Long.MIN_VALUE} = the first record there is,
 *     {@code Long.MAX_VALUE} = only what comes from now on
 */
public record TopicRead(List<String> topics, Kafka.Reader reader, Map<String, String> properties, long startMs)
        implements Serializable {
    public TopicRead {
        topics = List.copyOf(topics);
        properties = Map.copyOf(properties);
    }

    /**
     * A read of one topic: committed records only.
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

    /** Without the values of the properties, which may be secrets. */
    @Override
    public String toString() {
        return "TopicRead[%s, %s, from %d]".formatted(topics, reader, startMs);
    }
}
