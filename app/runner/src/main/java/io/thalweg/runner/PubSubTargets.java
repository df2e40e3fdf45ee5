package io.thalweg.runner;

import io.thalweg.google.GoogleAccess;
import io.thalweg.google.pubsub.PubSubAddress;
import io.thalweg.google.pubsub.PubSubAddress.Limits;
import io.thalweg.google.pubsub.PubSubAdmin;
import io.thalweg.google.pubsub.PubSubAdmin.Found;
import io.thalweg.google.pubsub.PubSubAdmin.LookupDeniedException;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.warehouse.WarehouseException;
import java.nio.file.Path;
import java.util.List;

/** Subscriptions of Pub/Sub that ingests read, and topics that generated messages are published to. */
public final class PubSubTargets {
    /** Google's own variable, which its clients and tools support. */
    private static final String EMULATOR = "PUBSUB_EMULATOR_HOST";

    private PubSubTargets() {}

    /** Returns how to reach Pub/Sub: by {@code google.pubsub_endpoint}, by the emulator of the environment, or at Google. */
    static GoogleAccess access(DeploymentConfig deploymentConfig) {
        Path file = deploymentConfig.google().credentials();
        String credentials = file == null ? null : file.toAbsolutePath().toString();
        String endpoint = deploymentConfig.google().pubsubEndpoint();
        String emulator = System.getenv(EMULATOR);
        return endpoint == null && emulator != null && !emulator.isBlank()
                ? new GoogleAccess(null, emulator, true)
                : GoogleAccess.of(credentials, endpoint);
    }

    static PubSubAddress address(Ingest.PubSub source, DeploymentConfig deploymentConfig) {
        return new PubSubAddress(source.subscription(), access(deploymentConfig), Limits.STANDARD);
    }

    /**
     * Requires that a subscription can be pulled from; returns warnings about it, for people.
     *
     * @throws UserError if it cannot
     */
    static List<String> require(Ingest.PubSub source, DeploymentConfig deploymentConfig) {
        String name = source.subscription();
        try (PubSubAdmin admin = PubSubAdmin.connect(access(deploymentConfig))) {
            Found found = admin.find(name)
                    .orElseThrow(() -> UserError.failed(
                            "subscription %s does not exist".formatted(name),
                            "create it: gcloud pubsub subscriptions create %s --topic %s; or see source.pubsub"
                                    .formatted(name, source.topic())));
            if (!found.isPulled()) {
                throw UserError.failed(
                        "subscription %s sends its messages elsewhere".formatted(name),
                        "an ingest pulls: create a subscription of its own for it, without push, BigQuery or Cloud Storage");
            }
            return found.deliveryAttempts() == 0
                    ? List.of()
                    : List.of(
                            "subscription %s gives up a message after %d deliveries (dead-letter policy): an ingest that fails so often loses it"
                                    .formatted(name, found.deliveryAttempts()));
        } catch (LookupDeniedException e) {
            return List.of(); // Reading may still be allowed; if not, the stream reports why.
        } catch (WarehouseException e) {
            throw failed(e);
        }
    }

    /**
     * Creates the topic and the subscription if they are missing; returns a line for each.
     *
     * @throws UserError if one cannot be created
     */
    static List<String> create(Ingest.PubSub source, DeploymentConfig deploymentConfig) {
        try (PubSubAdmin admin = PubSubAdmin.connect(access(deploymentConfig))) {
            return List.of(
                    line(admin.createTopic(source.topic()), "topic " + source.topic()),
                    line(
                            admin.createSubscription(source.subscription(), source.topic()),
                            "subscription " + source.subscription()));
        } catch (WarehouseException e) {
            throw failed(e);
        }
    }

    private static String line(boolean created, String what) {
        return created ? "created " + what : what + " is there";
    }

    /** Returns a failure of the service with a hint. */
    static UserError failed(WarehouseException e) {
        return UserError.failed(
                        String.valueOf(e.getMessage()),
                        "see google in thalweg.yaml; without it, %s and the credentials of the environment count (GOOGLE_APPLICATION_CREDENTIALS)"
                                .formatted(EMULATOR))
                .causedBy(e);
    }
}
