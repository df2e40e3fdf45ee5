package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.Outcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveRoutes;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Surroundings;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.Metrics;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerStartException;
import io.thalweg.store.OnlineStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The store of this process and the server in front of it, where there is one, started and ended together. */
final class Serving implements AutoCloseable {
    private static final double[] FRESHNESS_BOUNDS = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

    private static final Duration LIVE_TIMEOUT = Duration.ofSeconds(1);

    private final OnlineStore store;
    private final @Nullable LiveClient live;
    private final @Nullable FeatureServer server;

    private Serving(OnlineStore store, @Nullable LiveClient live, @Nullable FeatureServer server) {
        this.store = store;
        this.live = live;
        this.server = server;
    }

    /**
     * Opens the store and serves it.
     *
     * @param config null = nothing is served: the store is open for the job only
     * @param routes to the job that is read from; null where none is known
     * @param job whose counts {@code /metrics} shows; null where no job runs in this process
     */
    static Serving start(
            List<FeatureView> views,
            Surroundings.Store configured,
            @Nullable ServerConfig config,
            Clock now,
            @Nullable LiveRoutes routes,
            @Nullable JobMetrics job) {
        OnlineStore store = ConfiguredStore.open(configured, now);
        if (config == null) {
            return new Serving(store, null, null);
        }
        LiveClient live = routes == null ? null : new LiveClient(routes, LIVE_TIMEOUT);
        try {
            Metrics metrics = new Metrics();
            if (job != null) {
                views.forEach(view -> register(metrics, view.qualifiedName(), job.view(view.qualifiedName())));
            }
            return new Serving(store, live, FeatureServer.start(config, views, store, live, now, metrics));
        } catch (ServerStartException e) {
            store.close();
            throw UserError.failed(String.valueOf(e.getMessage()), "server.port in thalweg.yaml, or --port")
                    .causedBy(e);
        }
    }

    private static void register(Metrics metrics, String view, JobMetrics.View counts) {
        for (Outcome outcome : Outcome.values()) {
            metrics.counter(
                    "thalweg_events_total",
                    "Events by what became of them.",
                    Metrics.labels("view", view, "outcome", outcome.text()),
                    () -> counts.outcome(outcome));
        }
        for (BadReason reason : BadReason.values()) {
            metrics.counter(
                    "thalweg_bad_events_total",
                    "Bad and late events by reason.",
                    Metrics.labels("view", view, "reason", reason.text()),
                    () -> counts.badCount(reason));
        }
        metrics.counter(
                "thalweg_events_sent_total",
                "Accepted events that crossed to where they are counted: less the repeats dropped on the way.",
                Metrics.labels("view", view),
                counts::sent);
        metrics.counter("thalweg_rows_total", "Rows assembled.", Metrics.labels("view", view), counts::rows);
        Metrics.Histogram freshness = metrics.histogram(
                "thalweg_freshness_seconds",
                "Wall time from the watermark passing a window end to its rows being readable.",
                Metrics.labels("view", view),
                FRESHNESS_BOUNDS);
        counts.onFreshness(freshness);
    }

    int port() {
        return Objects.requireNonNull(server, "nothing is served").port();
    }

    OnlineStore store() {
        return store;
    }

    /** Drains the requests under way, then closes the store. */
    void stop() {
        if (server != null) {
            server.stop();
        }
        if (live != null) {
            live.close();
        }
        store.close();
    }

    @Override
    public void close() {
        stop();
    }
}
