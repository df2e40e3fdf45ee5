package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.versions.Switching;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Computes views from Kafka to Kafka and into the store, and serves them, until Ctrl-C.
 *
 * @param resume {@code latest}, {@code none} or a path
 * @param port where to serve; null = nowhere
 * @param switching how to handle several versions of a view; {@code KEEP} if nothing is served
 */
public record LiveRun(
        List<FeatureView> views,
        DeploymentConfig deploymentConfig,
        int parallelism,
        String resume,
        @Nullable Integer port,
        Switching.Mode switching) {
    private static final long DAY_MS = 86_400_000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY_AND_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Runs until the job fails; Ctrl-C ends the process with exit code 0. */
    public int run(Console console, boolean quiet) throws InterruptedException {
        ConfiguredLookups lookups = ConfiguredLookups.of(deploymentConfig);
        JobPlan plan = JobPlan.run(
                views,
                deploymentConfig,
                lookups.sources(views),
                ConfiguredStore.name(deploymentConfig.store()),
                ClockSpec.system());
        try (JobRun run = new JobRun(plan, parallelism, resume, console, quiet)) {
            run.check();
            run.prepare();
            run.run(new Views(run, lookups));
        }
        return 0;
    }

    /** The job, with what is open for it in this process. */
    final class Views implements JobRun.Kind {
        private final ProgressLine progress;
        private final LateEvents late =
                new LateEvents(views.stream().map(FeatureView::qualifiedName).toList(), System::nanoTime);
        private final JobWatch jobWatch = new JobWatch("run", InstantSource.system(), late::trouble);
        private final JobMetrics counts;
        private final Serving serving;

        Views(JobRun run, ConfiguredLookups lookups) {
            progress = run.progress();
            counts = JobMetrics.of(run.id());
            LookupTables tables = run.open(lookups.open(run.id(), views));
            ServerConfig server = port == null
                    ? null
                    : ConfiguredServer.on(port, deploymentConfig.server(), new Switching(switching, progress::say));
            KafkaWatch brokers = run.open(KafkaWatch.ofSourcesAndSinks(views, deploymentConfig));
            serving = run.open(Serving.start(
                    views,
                    deploymentConfig,
                    server,
                    Clock.systemUTC(),
                    () -> LiveEndpoint.routes(run.id()),
                    jobWatch,
                    metrics -> {
                        brokers.register(metrics);
                        jobWatch.register(metrics);
                        JobSeries.register(metrics, views, counts);
                        JobSeries.register(metrics, views, tables);
                    }));
        }

        @Override
        public void started(LiveJob job) {
            progress.say(job.beginning());
            SharedDisk.warn(deploymentConfig);
            progress.say(
                    port == null ? "writing to " + ConfiguredStore.name(deploymentConfig.store()) : serving.where());
        }

        @Override
        public void look(LiveJob job) throws InterruptedException {
            jobWatch.look(job.embedded(), progress);
            late.look(view -> counts(counts.view(view)), progress::warn);
            progress.show(() -> String.join("; ", lines()));
        }

        private List<String> lines() {
            return Stream.concat(
                            jobWatch.trouble().stream(),
                            views.stream()
                                    .map(view -> line(view, counts.view(view.qualifiedName()), InstantSource.system())))
                    .toList();
        }

        @Override
        public int stopped(boolean isWhole) {
            serving.stop();
            return isWhole ? 0 : 1;
        }
    }

    private static LateEvents.Counts counts(JobMetrics.View view) {
        return new LateEvents.Counts(view.outcome(EventOutcome.LATE), view.events(), view.watermarkMs());
    }

    /**
     * Describes the progress of a view; while it has no rows, what it waits for.
     *
     * @param now the clock of the events: times of another day have their date
     */
    static String line(FeatureView view, JobMetrics.View counts, InstantSource now) {
        String name = view.qualifiedName();
        if (counts.events() == 0) {
            return name + ": waiting for events in "
                    + String.join(", ", view.source().topics());
        }
        long watermark = counts.watermarkMs();
        String read = "%s: %,d events".formatted(name, counts.events());
        if (counts.maxEventTimeMs() == Long.MIN_VALUE) {
            long late = counts.outcome(EventOutcome.LATE);
            return read
                    + (late > 0
                            ? ", none of them in time, %,d late".formatted(late)
                            : ", none of them with a valid event time");
        }
        if (watermark == Long.MIN_VALUE) {
            return read + ", newest " + time(counts.maxEventTimeMs(), now)
                    + ", no watermark yet (a partition without events holds it for "
                    + view.source().idleAfter().text() + ")";
        }
        if (counts.rows() == 0) {
            return read + ", watermark " + time(watermark, now) + ", next rows at "
                    + time(nextRows(view, counts, watermark), now);
        }
        return read + ", %,d rows, watermark %s".formatted(counts.rows(), time(watermark, now));
    }

    private static long nextRows(FeatureView view, JobMetrics.View counts, long watermark) {
        return Math.max(counts.firstRowsAtMs(), view.clock().paneEndMs(watermark));
    }

    private static String time(long ms, InstantSource now) {
        boolean today = Math.floorDiv(ms, DAY_MS) == Math.floorDiv(now.millis(), DAY_MS);
        return (today ? TIME : DAY_AND_TIME).format(Instant.ofEpochMilli(ms));
    }
}
