package io.thalweg.runner;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.lookup.LookupTable;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.CommitAccount;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestAccount.Stage;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.jobs.pubsub.PullAccount;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import io.thalweg.records.RecordFault;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.warehouse.RetryCause;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.DoubleConsumer;

/** The series in {@code /metrics} of a job that runs in this process. */
final class JobSeries {
    private static final double[] FRESHNESS_BOUNDS = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
    private static final double[] BATCH_BOUNDS = {1, 10, 50, 100, 500, 1_000, 2_500, 5_000, 10_000, 50_000};
    private static final double[] WRITE_BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};

    private static final double[] APPEND_BOUNDS = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120};
    private static final double[] LATENCY_BOUNDS = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600};
    private static final String APPEND = "Time of a request to the warehouse, or of a commit.";

    private JobSeries() {}

    static void register(Metrics metrics, List<FeatureView> views, JobMetrics job) {
        views.forEach(view -> register(metrics, view.qualifiedName(), job.view(view.qualifiedName())));
    }

    private static void register(Metrics metrics, String view, JobMetrics.View counts) {
        for (EventOutcome outcome : EventOutcome.values()) {
            metrics.counter(
                    "thalweg_events_total",
                    "Events by what became of them.",
                    Metrics.labels("view", view, "outcome", outcome.text()),
                    new HighWater(() -> counts.outcome(outcome)));
        }
        for (BadReason reason : BadReason.values()) {
            metrics.counter(
                    "thalweg_bad_events_total",
                    "Bad and late events by reason.",
                    Metrics.labels("view", view, "reason", reason.text()),
                    new HighWater(() -> counts.badCount(reason)));
        }
        metrics.counter(
                "thalweg_events_sent_total",
                "Accepted events that crossed to where they are counted: less the repeats dropped on the way.",
                Metrics.labels("view", view),
                counts::sent);
        metrics.counter(
                "thalweg_live_keys_total", "Keys of live reads.", Metrics.labels("view", view), counts::liveKeys);
        metrics.timeSpent(
                "thalweg_live_read_seconds_total",
                "Time for which live reads kept the job's tasks from events.",
                Metrics.labels("view", view),
                counts::liveReadNanos);
        metrics.counter("thalweg_rows_total", "Rows assembled.", Metrics.labels("view", view), counts::rows);
        metrics.counter(
                "thalweg_store_refused_rows_total",
                "Rows that the store refused for good; they are dead letters.",
                Metrics.labels("view", view),
                counts::refused);
        metrics.gauge(
                "thalweg_newest_event_timestamp_seconds",
                "The newest event time that the job has read.",
                Metrics.labels("view", view),
                () -> timestamp(counts.maxEventTimeMs()));
        metrics.gauge(
                "thalweg_watermark_timestamp_seconds",
                "Event time that has reached the assembly of rows.",
                Metrics.labels("view", view),
                () -> timestamp(counts.watermarkMs()));
        metrics.gauge(
                "thalweg_lag_records",
                "Offsets between what was fetched from the view's topics and their ends.",
                Metrics.labels("view", view),
                () -> records(counts.lag()));
        DoubleConsumer freshness = metrics.histogram(
                "thalweg_freshness_seconds",
                "Wall time from the watermark passing a window end to its rows being readable.",
                Metrics.labels("view", view),
                FRESHNESS_BOUNDS);
        counts.onFreshness(freshness);
    }

    private static double records(OptionalLong lag) {
        return lag.isPresent() ? lag.getAsLong() : Double.NaN;
    }

    /** Returns seconds; NaN if there is no time yet, or the bounded topic has ended. */
    private static double timestamp(long ms) {
        return ms == Long.MIN_VALUE || ms == Long.MAX_VALUE ? Double.NaN : ms / 1e3;
    }

    /** Registers the series of an ingest under its qualified name. */
    static void register(Metrics metrics, String ingest, IngestJobAccount counts) {
        for (Count outcome : List.of(Count.FILTERED, Count.BAD, Count.KEPT)) {
            metrics.counter(
                    "thalweg_ingest_events_total",
                    "Messages by what became of them.",
                    Metrics.labels("ingest", ingest, "outcome", outcome.text()),
                    new HighWater(() -> counts.sinceStart().get(outcome)));
        }
        for (RecordFault fault : RecordFault.values()) {
            metrics.counter(
                    "thalweg_ingest_bad_events_total",
                    "Bad messages by reason.",
                    Metrics.labels("ingest", ingest, "reason", fault.reason()),
                    new HighWater(() -> counts.sinceStart().badByReason().getOrDefault(fault.reason(), 0L)));
        }
        metrics.counter(
                "thalweg_ingest_unknown_fields_total",
                "Fields of messages that the schema does not have.",
                Metrics.labels("ingest", ingest),
                new HighWater(() -> counts.sinceStart().get(Count.UNKNOWN_FIELDS)));
        metrics.counter(
                "thalweg_ingest_bytes_total",
                "Bytes of the records read, and of the rows written.",
                Metrics.labels("ingest", ingest, "direction", "in"),
                new HighWater(() -> counts.sinceStart().get(Count.BYTES_IN)));
        for (Stage stage : Stage.values()) {
            metrics.timeSpent(
                    "thalweg_ingest_stage_seconds_total",
                    "Time that subtasks spend on translating messages and on handing rows to the sink.",
                    Metrics.labels("ingest", ingest, "stage", stage.text()),
                    new HighWater(() -> counts.spentNanos(stage)));
        }
        counts.onLatency(metrics.histogram(
                "thalweg_ingest_latency_seconds",
                "From the timestamp of the oldest record of a checkpoint to its commit.",
                Metrics.labels("ingest", ingest),
                LATENCY_BOUNDS));
    }

    /** Registers the series of an ingest that reads a topic. */
    static void register(Metrics metrics, String ingest, IngestJobAccount counts, TopicLag lag) {
        metrics.counter(
                "thalweg_ingest_lost_records_total",
                "Offsets of the topic whose records Kafka deleted before they were read.",
                Metrics.labels("ingest", ingest),
                new HighWater(() -> counts.sinceStart().get(Count.LOST)));
        metrics.counter(
                "thalweg_ingest_tombstones_total",
                "Records of the topic without a value, which are skipped.",
                Metrics.labels("ingest", ingest),
                new HighWater(() -> counts.sinceStart().get(Count.TOMBSTONES)));
        metrics.gauge(
                "thalweg_ingest_lag_records",
                "Offsets between what was read and the end of the topic.",
                Metrics.labels("ingest", ingest),
                () -> lag.records() < 0 ? Double.NaN : lag.records());
    }

    /** Registers the series of an ingest into files or a table. */
    static void register(Metrics metrics, String ingest, CommitAccount commits) {
        metrics.counter(
                "thalweg_ingest_events_total",
                "Messages by what became of them.",
                Metrics.labels("ingest", ingest, "outcome", "written"),
                () -> commits.total().rows());
        metrics.counter(
                "thalweg_ingest_bytes_total",
                "Bytes of the records read, and of the rows written.",
                Metrics.labels("ingest", ingest, "direction", "out"),
                () -> commits.total().bytes());
        commits.onCommit(metrics.histogram(
                "thalweg_ingest_append_seconds", APPEND, Metrics.labels("ingest", ingest), APPEND_BOUNDS));
    }

    /** Registers the series of an ingest into a topic. */
    static void register(Metrics metrics, String ingest, TopicAccount topic) {
        Map<String, String> labels = Metrics.labels("ingest", ingest);
        metrics.counter(
                "thalweg_ingest_events_total",
                "Messages by what became of them.",
                with(labels, "outcome", "written"),
                new HighWater(() -> topic.sinceStart().records()));
        metrics.counter(
                "thalweg_ingest_bytes_total",
                "Bytes of the records read, and of the rows written.",
                with(labels, "direction", "out"),
                new HighWater(() -> topic.sinceStart().bytes()));
    }

    /** Registers the series of an ingest that reads a subscription. */
    static void register(Metrics metrics, String ingest, PullAccount account) {
        Map<String, String> labels = Metrics.labels("ingest", ingest);
        metrics.gauge(
                "thalweg_ingest_lag_seconds",
                "Age of the last message when it was read; 0 while the subscription delivers nothing.",
                labels,
                () -> account.behind().toMillis() / 1e3);
        metrics.gauge(
                "thalweg_ingest_unacknowledged",
                "Messages that were delivered and are not acknowledged.",
                labels,
                account::unacknowledged);
        metrics.counter("thalweg_ingest_delivered_total", "Messages that were delivered.", labels, account::delivered);
        metrics.counter(
                "thalweg_ingest_repeated_total",
                "Messages that dedup dropped, because they were delivered before.",
                labels,
                account::repeated);
        metrics.counter(
                "thalweg_ingest_source_retries_total",
                "Connections to the subscription that were opened again, and requests that were repeated.",
                labels,
                new HighWater(account::retries));
    }

    /** Registers the series of an ingest into a warehouse. */
    static void register(Metrics metrics, String ingest, StreamAccount streams) {
        Map<String, String> labels = Metrics.labels("ingest", ingest);
        metrics.counter(
                "thalweg_ingest_events_total",
                "Messages by what became of them.",
                with(labels, "outcome", "written"),
                new HighWater(() -> streams.sinceStart().written()));
        metrics.counter(
                "thalweg_ingest_events_total",
                "Messages by what became of them.",
                with(labels, "outcome", "refused"),
                new HighWater(() -> streams.sinceStart().refused()));
        metrics.counter(
                "thalweg_ingest_bytes_total",
                "Bytes of the records read, and of the rows written.",
                with(labels, "direction", "out"),
                new HighWater(() -> streams.sinceStart().bytes()));
        for (RetryCause cause : RetryCause.values()) {
            metrics.counter(
                    "thalweg_ingest_retries_total",
                    "Requests to the warehouse that were sent again, by cause.",
                    with(labels, "cause", cause.text()),
                    () -> streams.retries().get(cause));
        }
        streams.onAppend(metrics.histogram("thalweg_ingest_append_seconds", APPEND, labels, APPEND_BOUNDS));
        metrics.gauge("thalweg_ingest_writers", "Streams into the warehouse.", labels, streams::streams);
    }

    static void register(Metrics metrics, List<FeatureView> views, LookupTables tables) {
        views.forEach(view -> view.lookups()
                .forEach(lookup -> register(
                        metrics,
                        view,
                        lookup,
                        Objects.requireNonNull(tables.all().get(lookup)))));
    }

    private static void register(Metrics metrics, FeatureView view, Lookup lookup, LookupTable table) {
        Map<String, String> labels = Metrics.labels(
                "view", view.qualifiedName(),
                "table", lookup.table().name(),
                "key", lookup.key().text());
        String looked = "Events by whether a lookup table had a row of theirs.";
        metrics.counter("thalweg_lookups_total", looked, with(labels, "outcome", "hit"), table::hits);
        metrics.counter("thalweg_lookups_total", looked, with(labels, "outcome", "miss"), table::misses);
        metrics.counter(
                "thalweg_lookup_failures_total",
                "Readings of a lookup table that failed; the last good copy stays.",
                labels,
                table::failures);
        metrics.gauge("thalweg_lookup_rows", "Keys of a lookup table.", labels, table::size);
        metrics.gauge(
                "thalweg_lookup_age_seconds",
                "Since a lookup table was last seen to hold what is at hand.",
                labels,
                table::ageSeconds);
    }

    private static Map<String, String> with(Map<String, String> labels, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(name, value);
        return more;
    }

    static void register(Metrics metrics, List<FeatureView> views, LoadMetrics job) {
        views.forEach(view -> register(metrics, view.qualifiedName(), job.view(view.qualifiedName())));
    }

    private static void register(Metrics metrics, String view, LoadMetrics.View counts) {
        Map<String, String> labels = Metrics.labels("view", view);
        metrics.counter("thalweg_loaded_rows_total", "Rows that the store has taken.", labels, counts::rows);
        metrics.counter("thalweg_load_retries_total", "Writes that were tried again.", labels, counts::retries);
        metrics.gauge("thalweg_load_in_flight", "Writes under way.", labels, counts::inFlight);
        for (DeadLetterReason reason : DeadLetterReason.values()) {
            metrics.counter(
                    "thalweg_load_dead_letters_total",
                    "Records and rows that went to the dead letters, by reason.",
                    Metrics.labels("view", view, "reason", reason.text()),
                    () -> counts.deadLetters(reason));
        }
        counts.onBatch(metrics.histogram("thalweg_load_batch_rows", "Rows of a write.", labels, BATCH_BOUNDS));
        counts.onLatency(
                metrics.histogram("thalweg_load_write_seconds", "Time that a write took.", labels, WRITE_BOUNDS));
        counts.onFreshness(metrics.histogram(
                "thalweg_load_freshness_seconds",
                "Wall time from a window end to its rows being readable.",
                labels,
                FRESHNESS_BOUNDS));
    }

    /** Registers the series of a table that is loaded. */
    static void register(Metrics metrics, String view, LoadMetrics.View counts, long bytes) {
        Map<String, String> labels = Metrics.labels("view", view);
        metrics.gauge("thalweg_load_table_bytes", "Size of the files that are loaded.", labels, () -> bytes);
        metrics.gauge(
                "thalweg_load_left_bytes",
                "About how many bytes of these files are still to be read.",
                labels,
                () -> counts.bytesLeft().isPresent() ? counts.bytesLeft().getAsLong() : Double.NaN);
    }
}
