package io.thalweg.runner;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.embedded.EmbeddedJob;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.DefinitionException;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The process in which {@link Trials} runs a variant. It runs the job over the whole sample twice, first to load and compile its
 * classes, and measures the second run. It exits when its standard input ends, so it does not outlive the command.
 */
final class TrialJob {
    /** Files in the folder of a run, beside those that the job writes. */
    static final String TASK = "task.properties";

    static final String RESULT = "result.properties";

    private static final long LOOK_MS = 5;
    private static final int LOOKS_PER_SNAPSHOT = 40;
    /** The longest time that the work on a sample may take. The error suggests a sample {@link #SMALLER} times smaller. */
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final int SMALLER = 10;
    private static final long STUCK_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final Path folder;
    private final Properties task;

    private TrialJob(Path folder, Properties task) {
        this.folder = folder;
        this.task = task;
    }

    /** Runs the task of the folder that the argument names. */
    public static void main(String[] args) {
        endWithInput();
        int exitCode = 0;
        try {
            Path folder = Path.of(args[0]);
            Properties task = new Properties();
            try (Reader in = Files.newBufferedReader(folder.resolve(TASK))) {
                task.load(in);
            }
            new TrialJob(folder, task).run();
        } catch (UserError | DefinitionException e) {
            System.err.println(e.getMessage());
            exitCode = UserError.FAILED;
        } catch (IOException | InterruptedException | RuntimeException e) {
            System.err.println(e);
            exitCode = UserError.FAILED;
        }
        System.err.flush();
        Runtime.getRuntime().halt(exitCode); // nothing of the job needs an orderly end
    }

    private static void endWithInput() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Nothing is sent; wait for the end of the stream.
                        }
                    } catch (IOException e) {
                        // A failure counts as the end of the stream.
                    }
                    Runtime.getRuntime().halt(UserError.INTERRUPTED);
                },
                "end-with-input");
        watch.setDaemon(true);
        watch.start();
    }

    private void run() throws IOException, InterruptedException {
        String config = task.getProperty("config");
        ViewFiles files = ViewFiles.of(config == null ? null : Path.of(config), System.getenv());
        TrialSpec spec = TrialSpec.of(files, text("spec"), Boolean.parseBoolean(text("publish")));
        DeploymentConfig deployment = files.deploymentConfig();
        TrialSettings settings = TrialSettings.readFrom(task, deployment.load());
        // A publication ends with a checkpoint, so the interval must be short.
        TrialSettings first = spec.loads() ? settings.with(TrialKey.CHECKPOINTS, "1s") : settings;
        long rows = run(spec, deployment, "warm-up", first, 0).rows();
        run(spec, deployment, "measured", settings, rows).write(folder.resolve(RESULT));
    }

    private String text(String key) {
        return Objects.requireNonNull(task.getProperty(key), key);
    }

    @SuppressWarnings("try") // closed after the job
    private TrialResult run(TrialSpec spec, DeploymentConfig real, String pass, TrialSettings settings, long rows)
            throws IOException, InterruptedException {
        String store = task.getProperty("store");
        Path place = Files.createDirectories(folder.resolve(pass));
        try (TrialRun run = TrialRun.start(
                        spec,
                        real,
                        new TrialTarget(
                                "try-" + pass, text("bootstrap"), place, store == null ? null : URI.create(store)),
                        settings,
                        Long.parseLong(text("records")),
                        rows);
                JobAccounts accounts = new JobAccounts(run.id())) {
            TrialMeter meter = new TrialMeter();
            CompletableFuture<?> ended = run.job().ended();
            for (int looks = 0; !run.isDone(meter); looks++) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                meter.look(run.events() + run.rows());
                requireRunning(run, ended, meter);
                if (looks % LOOKS_PER_SNAPSHOT == 0) {
                    look(run.job().embedded(), meter);
                }
            }
            meter.look(run.events() + run.rows());
            look(run.job().embedded(), meter);
            run.end(meter);
            return meter.result(run.events(), run.written());
        }
    }

    /** Throws the first failure of the job, which would otherwise keep restarting. */
    private static void look(EmbeddedJob job, TrialMeter meter) throws InterruptedException {
        EmbeddedJob.Snapshot now = job.look();
        if (now == null) {
            return;
        }
        List<EmbeddedJob.Failure> failures = now.failures();
        if (!failures.isEmpty()) {
            throw Jobs.failure(failures.get(0).cause());
        }
        meter.look(now.checkpoints());
    }

    private static void requireRunning(TrialRun run, CompletableFuture<?> ended, TrialMeter meter)
            throws InterruptedException {
        if (ended.isCompletedExceptionally()) {
            try {
                ended.get();
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
        if (meter.workNanos() > LIMIT_NANOS) {
            throw UserError.failed(
                    "the sample takes longer than %d s: %,d events so far; a smaller one would do: --sample %d"
                            .formatted(
                                    TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS),
                                    run.events(),
                                    Math.max(1, run.events() / SMALLER)),
                    "");
        }
        if (meter.quietNanos() > STUCK_NANOS) {
            throw UserError.failed(
                    "nothing happened for %d s: %,d events and %,d rows so far"
                            .formatted(TimeUnit.NANOSECONDS.toSeconds(STUCK_NANOS), run.events(), run.rows()),
                    "");
        }
    }
}
