package io.thalweg.jobs.load;

import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.deadletters.KafkaDeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreAddress;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Builds one Flink job that publishes views: it reads and decodes each view's row topic and writes the rows into a store.
 *
 * <p>A first start begins with the oldest rows that have not expired, by the records' timestamps. Rows of uncommitted transactions are
 * not read. Operators are named after their view, so adding or removing a view does not affect the others.
 *
 * @param jobId names what this process shares with the job: metrics
 * @param deployment names the consumer group
 * @param views each with a sink in format {@code packed} or {@code json}
 * @param clusters client properties by the cluster's name, including {@code bootstrap.servers}
 * @param toItsEnd whether the job ends when it has read the records that the topics contain at its start
 */
public record LoadJob(
        String jobId,
        String deployment,
        List<FeatureView> views,
        Map<String, Map<String, String>> clusters,
        StoreAddress store,
        DeploymentConfig.Load limits,
        ClockSpec clock,
        boolean toItsEnd) {
    private static final String DISCOVERY_MS = "10000";

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        views.forEach(view -> publish(environment, view));
    }

    private void publish(StreamExecutionEnvironment environment, FeatureView view) {
        String id = view.qualifiedName();
        SinkSpec topic = topic(view);
        String from = "source/" + topic.kafka() + "/" + topic.topic();
        DeadLetters letters = new KafkaDeadLetters(
                view.deadLetterTopic(), cluster(view.source().kafka()));
        environment
                .fromSource(
                        source(view, topic), WatermarkStrategy.noWatermarks(), "read " + topic.topic(), RowRecord.TYPE)
                .uid(id + "/" + from)
                .flatMap(new DecodeRows(view, neighbours(view, topic)))
                .returns(LoadItem.TYPE)
                .name("decode " + id)
                .uid(id + "/decode")
                .sinkTo(new LoadSink(view, store, letters, limits, clock, jobId))
                .name("load " + id)
                .uid(id + "/load");
    }

    private static SinkSpec topic(FeatureView view) {
        return Objects.requireNonNull(view.sink(), () -> "view " + view.qualifiedName() + " has no sink");
    }

    private List<FeatureView> neighbours(FeatureView view, SinkSpec topic) {
        return views.stream()
                .filter(other -> !other.equals(view))
                .filter(other -> topic(other).topic().equals(topic.topic())
                        && topic(other).kafka().equals(topic.kafka()))
                .toList();
    }

    private KafkaSource<RowRecord> source(FeatureView view, SinkSpec topic) {
        String group = "thalweg-" + deployment + "-publish";
        Properties client = new Properties();
        client.putAll(cluster(topic.kafka()));
        client.putIfAbsent("group.id", group);
        client.put("client.id.prefix", group + "-" + view.qualifiedName());
        client.put("isolation.level", "read_committed");
        client.put("partition.discovery.interval.ms", toItsEnd ? "-1" : DISCOVERY_MS);
        KafkaSourceBuilder<RowRecord> source = KafkaSource.<RowRecord>builder()
                .setProperties(client)
                .setTopics(topic.topic())
                .setStartingOffsets(new FromTime(oldestMs(view)))
                .setDeserializer(new RowRecords());
        return toItsEnd ? source.setBounded(OffsetsInitializer.latest()).build() : source.build();
    }

    /** Returns the timestamp of the oldest rows to read. Records of rows have their window end as timestamp. */
    private long oldestMs(FeatureView view) {
        long nowMs = clock.toClock(Clock.systemUTC()).millis();
        return Math.max(0, Retention.of(view).oldestMs(nowMs));
    }

    private Map<String, String> cluster(String name) {
        Map<String, String> properties = clusters.get(name);
        if (properties == null) {
            throw new IllegalArgumentException("kafka cluster '" + name + "' is not in thalweg.yaml");
        }
        return Map.copyOf(properties);
    }
}
