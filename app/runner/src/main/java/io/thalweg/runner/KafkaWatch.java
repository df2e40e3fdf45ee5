package io.thalweg.runner;

import io.thalweg.jobs.kafka.cluster.BrokerContact;
import io.thalweg.jobs.kafka.cluster.BrokerProbe;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.server.telemetry.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Watches the brokers that a job of this process reads from and writes to, and reports when they are lost and when they return. */
final class KafkaWatch implements AutoCloseable {
    /** Client properties by cluster. */
    private final Map<String, Map<String, String>> clusters = new TreeMap<>();

    private final BrokerProbe probe;

    private KafkaWatch(List<String> names, DeploymentConfig deploymentConfig) {
        Map<String, Map<String, String>> all = KafkaClusters.of(deploymentConfig);
        for (String name : names) {
            Map<String, String> properties = all.get(name);
            if (properties != null) {
                clusters.put(name, properties);
            }
        }
        probe = BrokerProbe.start(clusters.values());
    }

    /** Watches the clusters of the topics that views read and write. */
    static KafkaWatch ofSourcesAndSinks(List<FeatureView> views, DeploymentConfig deploymentConfig) {
        List<String> names = sinks(views);
        views.forEach(view -> names.add(view.source().kafka()));
        return new KafkaWatch(names, deploymentConfig);
    }

    /** Watches the clusters of the topics that views write. */
    static KafkaWatch ofSinks(List<FeatureView> views, DeploymentConfig deploymentConfig) {
        return new KafkaWatch(sinks(views), deploymentConfig);
    }

    /** Watches one cluster. */
    static KafkaWatch of(String cluster, DeploymentConfig deploymentConfig) {
        return new KafkaWatch(List.of(cluster), deploymentConfig);
    }

    private static List<String> sinks(List<FeatureView> views) {
        List<String> names = new ArrayList<>();
        for (FeatureView view : views) {
            SinkSpec sink = view.sink();
            if (sink != null) {
                names.add(sink.kafka());
            }
        }
        return names;
    }

    /** Adds the series of the watch. */
    void register(Metrics metrics) {
        clusters.forEach((name, properties) -> metrics.gauge(
                "thalweg_kafka_up",
                "1 while the brokers of a cluster answer, else 0.",
                Metrics.labels("cluster", name),
                () -> BrokerContact.isUp(properties.getOrDefault("bootstrap.servers", "")) ? 1 : 0));
    }

    @Override
    public void close() {
        probe.close();
    }
}
