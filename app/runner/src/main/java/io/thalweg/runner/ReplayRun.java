package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.ingest.IngestPreview;
import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.LockHolder;
import io.thalweg.warehouse.StreamAddress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs a definition over dead letters. Messages that are good now go to the table; the letters of the others are left. The
 * letters are copied first, so that an interrupted replay resumes with the same ones.
 *
 * @param records client properties of the cluster from which cut off messages are fetched again; null = none
 * @param resume {@code latest} or {@code none}
 */
public record ReplayRun(
        IngestPlan plan,
        DeadLetterSource source,
        DeadLetterSelection selection,
        @Nullable Map<String, String> records,
        DeploymentConfig deploymentConfig,
        String resume) {
    private static final String DONE = "account";

    private String name() {
        return plan.ingest().qualifiedName();
    }

    /** Returns a folder on this machine. Letters are copied to it, and a lock excludes other replays. */
    private Path folder() {
        StatePath dir = StatePath.of(deploymentConfig.checkpoints().dir());
        if (!dir.isLocal()) {
            throw UserError.usage(
                    "replay keeps letters in checkpoints.dir, which must be a folder of this machine, was " + dir,
                    "name one in a copy of thalweg.yaml for replays, such as checkpoints: {dir: .thalweg/checkpoints}, and pass"
                            + " it by --config");
        }
        return dir.local().resolve(deploymentConfig.deployment() + "/replay/" + name());
    }

    private CheckpointFolder checkpoints() {
        return CheckpointFolder.of(deploymentConfig, deploymentConfig.deployment() + "/replay/" + name() + "/job");
    }

    /**
     * Runs until everything is written.
     *
     * @throws UserError if the account does not balance, or another replay of the definition is running
     */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        IngestTargets.require(plan, deploymentConfig);
        Files.createDirectories(folder());
        try (FileChannel file = FileChannel.open(
                        folder().resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = locked(file)) {
            Objects.requireNonNull(lock);
            replay(letters(), console, quiet);
        }
    }

    private FileLock locked(FileChannel file) throws IOException {
        FileLock lock;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw UserError.failed(
                    "another replay of %s is running%s".formatted(name(), LockHolder.shown(folder().resolve("lock"))),
                    "wait for its end");
        }
        return lock;
    }

    /** Returns the letters of an interrupted replay; if there is none, those that exist now. */
    private ReplayedDeadLetters letters() throws IOException {
        String what = IngestInput.fingerprint(plan, source + " " + selection);
        ReplayedDeadLetters before = resume.equals("none") ? null : ReplayedDeadLetters.of(folder());
        if (before != null && !source.isFinished(before.plan())) {
            if (!before.what().equals(what)) {
                throw UserError.usage(
                        "a replay of %s was interrupted, which had other options or another definition"
                                .formatted(name()),
                        "finish it with the same command and definition, or start over with --resume none, which writes"
                                + " again what it has written");
            }
            return before;
        }
        forget();
        source.requireWritable();
        return read(folder(), what);
    }

    private ReplayedDeadLetters read(Path folder, String what) throws IOException {
        try (DeadLetterTopic.@Nullable Records fetched = records == null ? null : DeadLetterTopic.Records.of(records)) {
            return ReplayedDeadLetters.read(folder, what, plan.ingest(), source, selection, fetched);
        }
    }

    private void replay(ReplayedDeadLetters letters, Console console, boolean quiet)
            throws IOException, InterruptedException {
        console.err().println(letters.line(name()));
        if (letters.count("selected") == 0) {
            forget();
            console.err().println(name() + ": nothing to replay");
            return;
        }
        Path done = folder().resolve(DONE);
        if (!Files.isRegularFile(done)) {
            IngestFile selected = IngestInput.lines(letters.selected());
            JobPlan job = JobPlan.replay(plan, selected, deploymentConfig, letters.failed());
            IngestReport report = new BoundedIngest(plan, deploymentConfig, job, 0, source.leftText())
                    .run(1, "latest", console, quiet);
            report.requireBalance();
            Files.writeString(done, report.line(), StandardCharsets.UTF_8);
        }
        console.err().println(Files.readString(done));
        long left = letters.close();
        source.finish(letters.plan(), letters.all());
        console.err().println("%s: left=%d in %s".formatted(name(), left, source.leftText()));
        forget();
    }

    private void forget() throws IOException {
        checkpoints().forgetAll();
        ReplayedDeadLetters.delete(folder());
        Files.deleteIfExists(folder().resolve(DONE));
    }

    /** Judges the letters and writes nothing. */
    public void dryRun(Console console) throws IOException {
        Path folder = Files.createTempDirectory("thalweg-replay-");
        StreamAddress streams = BigQueryTargets.streams(plan.ingest(), deploymentConfig);
        try (IngestPreview preview = new IngestPreview(
                plan, streams, row -> console.out().println(new String(row, StandardCharsets.UTF_8)))) {
            ReplayedDeadLetters letters = read(folder, "");
            console.err().println(letters.line(name()));
            DeadLetterFile.lines(
                    letters.selected(),
                    (data, from, length) ->
                            preview.read(Objects.requireNonNull(SavedDeadLetter.parse(data, from, length))));
            IngestDryRun.report(console, name(), "letters=" + letters.count("selected"), preview);
        } finally {
            ReplayedDeadLetters.delete(folder);
            Files.deleteIfExists(folder);
        }
    }
}
