package io.thalweg.cli.run;

import io.thalweg.cli.Console;
import io.thalweg.cli.ProgressLine;
import io.thalweg.cli.UserError;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Lookup;
import io.thalweg.model.Surroundings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Views from Kafka to Kafka on a Flink cluster. The cluster runs the job; this process submits it, tells how it does, and
 * stops it with a savepoint on Ctrl-C.
 *
 * @param rest the cluster's REST API
 * @param resume {@code latest}, {@code none} or a path
 */
record ClusterRun(List<FeatureView> views, Surroundings surroundings, URI rest, int parallelism, String resume) {
    private static final long LOOK_MS = 1_000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** The name by which a deployment's job is known on its cluster. */
    static String jobName(Surroundings surroundings) {
        return "thalweg " + surroundings.deployment();
    }

    /**
     * Submits the job.
     *
     * @param replace stop the deployment's running job first, if there is one, and go on from its savepoint
     * @param detach return when it is submitted
     */
    int run(Console console, boolean quiet, boolean replace, boolean detach) throws InterruptedException {
        requireSinks();
        requireFiles();
        FlinkRest flink = new FlinkRest(rest);
        try (ProgressLine progress = console.progress(quiet)) {
            new KafkaTopics(LiveJob.clusters(surroundings)).prepare(views).forEach(progress::say);
            Optional<String> running = running(flink);
            if (running.isPresent()) {
                takeOver(flink, running.get(), replace, progress);
            }
            if (!(surroundings.store() instanceof Surroundings.RocksDb)) {
                progress.say("rows go to the sink topics only: a job on a cluster does not write to "
                        + ConfiguredStore.name(surroundings.store()));
            }
            LiveJob job = LiveJob.submit(views, surroundings, rest, parallelism, resume);
            Path from = job.resumedFrom();
            progress.say(from == null ? "starting anew" : "resuming from " + from);
            progress.say("job %s on %s".formatted(job.flinkId(), rest));
            if (detach) {
                progress.say("it runs on; stop it with a savepoint: ./thalweg stop");
                return 0;
            }
            Interrupt interrupt = Interrupt.with(0, () -> {
                progress.say("stopping: taking a savepoint");
                job.stop();
            });
            try {
                watch(flink, job, progress);
            } finally {
                interrupt.disarm();
            }
        }
        return 0;
    }

    private void requireSinks() {
        for (FeatureView view : views) {
            if (view.sink() == null) {
                throw UserError.usage(
                        "view %s has no sink, and a job on a cluster does not write to the store"
                                .formatted(view.qualifiedName()),
                        "give it one, such as sink: {topic: %s-features}".formatted(view.name()));
            }
        }
    }

    private void requireFiles() {
        for (FeatureView view : views) {
            for (Lookup lookup : view.lookups()) {
                if (lookup.table() instanceof Lookup.Redis) {
                    throw UserError.usage(
                            "view %s looks up %s in Redis, which a job on a cluster does not in this version"
                                    .formatted(
                                            view.qualifiedName(), lookup.table().name()),
                            "use a file that every machine of the cluster has, or run without flink.rest");
                }
            }
        }
    }

    private Optional<String> running(FlinkRest flink) throws InterruptedException {
        try {
            return flink.running(jobName(surroundings));
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }

    private void takeOver(FlinkRest flink, String job, boolean replace, ProgressLine progress)
            throws InterruptedException {
        if (!replace) {
            throw UserError.failed(
                    "deployment %s already runs on %s as job %s".formatted(surroundings.deployment(), rest, job),
                    "go on from where it is with --replace, end it with: ./thalweg stop, or name another deployment in thalweg.yaml");
        }
        progress.say("stopping job " + job + ": taking a savepoint");
        StopCommand.stop(flink, job, surroundings);
    }

    private void watch(FlinkRest flink, LiveJob job, ProgressLine progress) throws InterruptedException {
        while (true) {
            Supplier<String> line;
            try {
                FlinkRest.Job now = flink.job(job.flinkId()).orElse(null);
                if (now == null) {
                    throw forgotten(job);
                }
                if (now.isOver()) {
                    job.failIfFailed();
                    progress.say("job " + now.id() + " is " + now.state().toLowerCase(Locale.ROOT));
                    return;
                }
                line = () -> line(now);
            } catch (IOException e) {
                line = () -> "the cluster does not answer; its job may run on";
            }
            progress.show(line);
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private UserError forgotten(LiveJob job) {
        return UserError.failed(
                "the cluster does not know job %s any more: its JobManager was started anew, without high availability"
                        .formatted(job.flinkId()),
                "start the same command again; it resumes from the last checkpoint");
    }

    private static String line(FlinkRest.Job job) {
        String state = "%s, %d of %d tasks run"
                .formatted(job.state().toLowerCase(Locale.ROOT), job.runningTasks(), job.tasks());
        String restarts = job.restarts() == 0 ? "" : ", restarted " + job.restarts() + " times";
        return state + restarts + checkpoint(job.checkpoint());
    }

    private static String checkpoint(FlinkRest.@Nullable Checkpoint checkpoint) {
        return checkpoint == null
                ? ", no checkpoint yet"
                : ", checkpoint %d at %s: %,d KB in %,d ms"
                        .formatted(
                                checkpoint.id(),
                                TIME.format(Instant.ofEpochMilli(checkpoint.completedAtMs())),
                                checkpoint.bytes() / 1_000,
                                checkpoint.durationMs());
    }
}
