package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The properties with which clients connect to the clusters of a deployment, by the name of the cluster. */
public final class KafkaClusters {
    private KafkaClusters() {}

    /** Client properties of each cluster. */
    static Map<String, Map<String, String>> of(DeploymentConfig deploymentConfig) {
        Map<String, Map<String, String>> clusters = new LinkedHashMap<>();
        deploymentConfig.kafka().forEach((name, kafka) -> {
            Map<String, String> properties = new LinkedHashMap<>(kafka.properties());
            properties.put("bootstrap.servers", kafka.bootstrap());
            clusters.put(name, properties);
        });
        return clusters;
    }

    /** Client properties of a cluster that the deployment has. */
    static Map<String, String> of(DeploymentConfig deploymentConfig, String name) {
        return Objects.requireNonNull(of(deploymentConfig).get(name), "checked with the topics");
    }

    /**
     * Client properties of a cluster.
     *
     * @throws UserError if the deployment does not have it
     */
    public static Map<String, String> required(DeploymentConfig deploymentConfig, String name) {
        Map<String, String> cluster = of(deploymentConfig).get(name);
        if (cluster == null) {
            throw UserError.usage(
                    "kafka.%s is not in thalweg.yaml".formatted(name),
                    "add it, such as kafka: {%s: {bootstrap: \"localhost:9092\"}}".formatted(name));
        }
        return cluster;
    }

    /** How a cluster that the deployment has is read. */
    static DeploymentConfig.Kafka.Reader reader(DeploymentConfig deploymentConfig, String name) {
        return Objects.requireNonNull(deploymentConfig.kafka().get(name), "checked with the topics")
                .reader();
    }

    /** The names of the clusters that Kafka's own consumer reads. */
    static Set<String> ofConsumers(DeploymentConfig deploymentConfig) {
        return deploymentConfig.kafka().entrySet().stream()
                .filter(cluster -> cluster.getValue().reader() == DeploymentConfig.Kafka.Reader.CONSUMER)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
