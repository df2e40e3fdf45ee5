package io.thalweg.runner;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveRoutes;
import io.thalweg.live.LiveTls;
import io.thalweg.model.deployment.Access;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.ServingLogConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.console.DeadLetterTail;
import io.thalweg.server.console.ViewInsight;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.read.ServingLog;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.server.versions.VersionConflictException;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The store of this process and the server in front of it, if there is one, started and stopped together. */
public final class Serving implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIVE_TIMEOUT = Duration.ofSeconds(1);

    private final OnlineStore store;
    /** The store first, the server last. */
    private final Closeables open;

    private final @Nullable FeatureServer server;
    private final @Nullable ServerConfig config;

    private Serving(OnlineStore store, Closeables open, @Nullable FeatureServer server, @Nullable ServerConfig config) {
        this.store = store;
        this.open = open;
        this.server = server;
        this.config = config;
    }

    /**
     * Opens the store and serves it.
     *
     * @param deploymentConfig names the store, and the clusters of dead letters
     * @param config null = nothing is served: the store is only open for the job
     * @param routes to the job that is read from; null where none is known
     * @param job queried by {@code /readyz}
     * @param series adds the series of a job of this process to {@code /metrics}
     */
    static Serving start(
            List<FeatureView> views,
            DeploymentConfig deploymentConfig,
            @Nullable ServerConfig config,
            Clock now,
            @Nullable LiveRoutes routes,
            JobProbe job,
            Consumer<Metrics> series) {
        Closeables open = new Closeables();
        try {
            LiveClient live = routes == null || config == null
                    ? null
                    : open.add(new LiveClient(routes, LIVE_TIMEOUT, tls(deploymentConfig)));
            OnlineStore store = open.add(ConfiguredStore.open(deploymentConfig.store(), views, now));
            if (config == null) {
                return new Serving(store, open, null, null);
            }
            Metrics metrics = new Metrics();
            registerBuild(metrics);
            series.accept(metrics);
            ServingLogConfig kept = deploymentConfig.server().servingLog();
            ServingLog log = kept == null ? ServingLog.NONE : open.add(SampledAnswers.start(kept, views, metrics));
            FeatureServer server = FeatureServer.start(
                    config.withServingLog(log), views, store, live, now, job, metrics, new Insight(deploymentConfig));
            open.add(server::stop);
            return new Serving(store, open, server, config);
        } catch (RuntimeException e) {
            open.close();
            throw failure(e);
        }
    }

    private static RuntimeException failure(RuntimeException e) {
        if (e instanceof VersionConflictException) {
            return UserError.usage(String.valueOf(e.getMessage()), "").causedBy(e);
        }
        if (e instanceof StoreException) {
            return UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
        if (e instanceof ServerStartException) {
            return UserError.failed(String.valueOf(e.getMessage()), "server in thalweg.yaml, or --port")
                    .causedBy(e);
        }
        return e;
    }

    private static @Nullable LiveTls tls(DeploymentConfig deploymentConfig) {
        DeploymentConfig.Flink flink = deploymentConfig.flink();
        DeploymentConfig.PeerTls files = flink == null ? null : flink.tls();
        try {
            return files == null ? null : LiveTls.ofFiles(files.certificate(), files.key(), files.ca());
        } catch (IOException | GeneralSecurityException e) {
            throw UserError.failed(
                            "flink.tls cannot be used: " + e.getMessage(),
                            "flink.tls.certificate, key and ca in thalweg.yaml: PEM files, the key without a password")
                    .causedBy(e);
        }
    }

    /** Describes views by their definitions and the deployment. */
    private record Insight(DeploymentConfig deploymentConfig) implements ViewInsight {
        @Override
        public String explain(FeatureView view) {
            return ViewGraph.of(view);
        }

        @Override
        public Optional<Footprint> footprint(FeatureView view, double eventsPerSecond, double rowsPerSecond) {
            ViewFootprint footprint = ViewFootprint.of(view, eventsPerSecond, rowsPerSecond);
            return Optional.of(new Footprint(footprint.stateBytes(), footprint.storeBytes()));
        }

        @Override
        public Optional<Skew> skew(FeatureView view) {
            ServingLogConfig log = deploymentConfig.server().servingLog();
            Path file = log == null ? null : SkewRun.json(log.dir(), view.qualifiedName());
            if (file == null || !Files.exists(file)) {
                return Optional.empty();
            }
            try {
                Map<String, Long> causes = new LinkedHashMap<>();
                JSON.readTree(file.toFile())
                        .path("causes")
                        .properties()
                        .forEach(cause ->
                                causes.put(cause.getKey(), cause.getValue().asLong()));
                return Optional.of(new Skew(Files.getLastModifiedTime(file).toInstant(), causes));
            } catch (IOException e) {
                return Optional.empty(); // it is being written
            }
        }

        @Override
        public Optional<DeadLetterTail> letters() {
            return deploymentConfig.server().deadLetters()
                    ? Optional.of(new KafkaDeadLetterTail(deploymentConfig))
                    : Optional.empty();
        }
    }

    /** Adds the series that names the running build. */
    static void registerBuild(Metrics metrics) {
        metrics.gauge(
                "thalweg_build_info",
                "1; the labels name what runs.",
                Metrics.labels(
                        "version", Version.version(),
                        "commit", Version.commit(),
                        "java", Runtime.version().toString()),
                () -> 1);
    }

    int port() {
        return Objects.requireNonNull(server, "nothing is served").port();
    }

    /** The addresses that it serves on, for people. */
    String where() {
        FeatureServer serving = Objects.requireNonNull(server, "nothing is served");
        String at = "serving " + address(serving.port());
        return serving.adminPort().isPresent()
                ? at + ", console " + address(serving.adminPort().getAsInt())
                : at;
    }

    /** The address of the console, for people. */
    String console() {
        FeatureServer serving = Objects.requireNonNull(server, "nothing is served");
        return address(serving.adminPort().orElseThrow());
    }

    private String address(int port) {
        ServerConfig listens = Objects.requireNonNull(config, "nothing is served");
        return address(listens.access(), listens.bind(), port);
    }

    /** Returns the address of a port, for people. */
    static String address(Access access, String bind, int port) {
        String host = bind.contains(":") ? "[" + bind + "]" : bind;
        return "%s://%s:%d".formatted(access.scheme(), host, port);
    }

    OnlineStore store() {
        return store;
    }

    /** Drains the requests in flight, then closes the store. */
    void stop() {
        open.close();
    }

    @Override
    public void close() {
        stop();
    }
}
