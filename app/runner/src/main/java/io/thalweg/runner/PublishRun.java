package io.thalweg.runner;

import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.versions.Switching;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Publishes rows of views from Kafka into the store, in this process, until Ctrl-C or the end of what the topics contain.
 *
 * @param resume {@code latest}, {@code none} or a path
 * @param port where to serve; null = nowhere
 * @param switching how to handle several versions of a view; {@code KEEP} if nothing is served
 */
public record PublishRun(
        JobPlan plan,
        int parallelism,
        String resume,
        @Nullable Integer port,
        Switching.Mode switching) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Runs until the job ends; Ctrl-C ends the process with exit code 0. */
    public int run(Console console, boolean quiet) throws InterruptedException {
        try (JobRun run = new JobRun(plan, parallelism, resume, console, quiet)) {
            run.prepare();
            Publication publication = new Publication(run);
            run.run(publication);
            publication.total();
        }
        return 0;
    }

    /** The job, with what is open for it in this process. */
    final class Publication implements JobRun.Kind {
        private final ProgressLine progress;
        private final JobWatch jobWatch = new JobWatch("publish", InstantSource.system());
        private final Serving serving;
        private final List<Rate> rates;

        Publication(JobRun run) {
            progress = run.progress();
            LoadMetrics counts = LoadMetrics.of(run.id());
            DeploymentConfig deploymentConfig = plan.job().deploymentConfig();
            ServerConfig server = port == null
                    ? null
                    : ConfiguredServer.on(port, deploymentConfig.server(), new Switching(switching, progress::say));
            KafkaWatch brokers = run.open(KafkaWatch.ofSinks(plan.work().views(), deploymentConfig));
            // Opens the store here first, so that a failure is reported before the job starts.
            serving = run.open(Serving.start(
                    plan.work().views(), deploymentConfig, server, Clock.systemUTC(), null, jobWatch, metrics -> {
                        jobWatch.register(metrics);
                        brokers.register(metrics);
                        JobSeries.register(metrics, plan.work().views(), counts);
                    }));
            rates = plan.work().views().stream()
                    .map(view -> new Rate(view.qualifiedName(), counts.view(view.qualifiedName())))
                    .toList();
        }

        @Override
        public void started(LiveJob job) {
            progress.say(job.beginning());
            SharedDisk.warn(plan.job().deploymentConfig());
            progress.say("writing to "
                    + ConfiguredStore.name(plan.job().deploymentConfig().store()));
            if (port != null) {
                progress.say(serving.where());
            }
        }

        @Override
        public void look(LiveJob job) throws InterruptedException {
            jobWatch.look(job.embedded(), progress);
            progress.show(() -> rates.stream().map(Rate::line).collect(Collectors.joining("; ")));
            rates.forEach(rate -> rate.tell(progress));
        }

        @Override
        public int stopped(boolean isWhole) {
            serving.stop();
            total();
            return isWhole ? 0 : 1;
        }

        void total() {
            rates.forEach(rate -> progress.say(rate.total()));
        }
    }

    private static long deadLetters(LoadMetrics.View counts) {
        return Arrays.stream(DeadLetterReason.values())
                .mapToLong(counts::deadLetters)
                .sum();
    }

    /** Reports the progress of a view. */
    private static final class Rate {
        private final String view;
        private final LoadMetrics.View counts;
        private long nanos = System.nanoTime();
        private long rows;
        private @Nullable String reported;

        Rate(String view, LoadMetrics.View counts) {
            this.view = view;
            this.counts = counts;
        }

        /** Reports a problem that blocks writes once, and its end once. */
        void tell(ProgressLine progress) {
            String trouble = counts.trouble();
            if (trouble != null && !trouble.equals(reported)) {
                progress.say(view + ": waiting, nothing is lost: " + trouble);
            } else if (trouble == null && reported != null) {
                progress.say(view + ": goes on");
            }
            reported = trouble;
        }

        String total() {
            return "%s: rows=%d writes=%d retries=%d dead_letters=%d"
                    .formatted(view, counts.rows(), counts.writes(), counts.retries(), deadLetters(counts));
        }

        String line() {
            long now = System.nanoTime();
            long more = counts.rows() - rows;
            double perSecond = more / Math.max(1e-3, (now - nanos) / 1e9);
            nanos = now;
            rows += more;
            String line = "%s: %,d rows, %,.0f a second, %d writes under way"
                    .formatted(view, rows, perSecond, counts.inFlight());
            if (counts.newestEndMs() != Long.MIN_VALUE) {
                line += ", window end %s readable after %.1f s"
                        .formatted(
                                TIME.format(Instant.ofEpochMilli(counts.newestEndMs())), counts.lastFreshnessSeconds());
            }
            long letters = deadLetters(counts);
            return letters == 0 ? line : line + ", %,d dead letters".formatted(letters);
        }
    }
}
