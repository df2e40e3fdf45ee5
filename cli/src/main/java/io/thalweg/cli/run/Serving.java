package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.LookupTable;
import io.thalweg.formats.LookupTables;
import io.thalweg.formats.Outcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveRoutes;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Lookup;
import io.thalweg.model.Surroundings;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.Metrics;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerStartException;
import io.thalweg.store.OnlineStore;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
     * @param tables that it looks up; null as well
     */
    static Serving start(
            List<FeatureView> views,
            Surroundings.Store configured,
            @Nullable ServerConfig config,
            Clock now,
            @Nullable LiveRoutes routes,
            @Nullable JobMetrics job,
            @Nullable LookupTables tables) {
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
            if (tables != null) {
                views.forEach(view -> view.lookups().forEach(lookup -> register(metrics, view, lookup, tables)));
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

    private static void register(Metrics metrics, FeatureView view, Lookup lookup, LookupTables tables) {
        LookupTable table = Objects.requireNonNull(tables.all().get(lookup));
        Map<String, String> of = Metrics.labels(
                "view", view.qualifiedName(),
                "table", lookup.table().name(),
                "key", lookup.key().text());
        metrics.counter(
                "thalweg_lookups_total",
                "Events by whether a lookup table had a row of theirs.",
                with(of, "outcome", "hit"),
                table::hits);
        metrics.counter(
                "thalweg_lookups_total",
                "Events by whether a lookup table had a row of theirs.",
                with(of, "outcome", "miss"),
                table::misses);
        metrics.counter(
                "thalweg_lookup_failures_total",
                "Readings of a lookup table that failed; the last good copy stays.",
                of,
                table::failures);
        metrics.gauge("thalweg_lookup_rows", "Keys of a lookup table.", of, table::size);
        metrics.gauge(
                "thalweg_lookup_age_seconds",
                "Since a lookup table was last seen to hold what is at hand.",
                of,
                table::ageSeconds);
    }

    private static Map<String, String> with(Map<String, String> labels, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(name, value);
        return more;
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
