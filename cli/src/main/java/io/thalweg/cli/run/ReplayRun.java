package io.thalweg.cli.run;

import io.thalweg.cli.Console;
import io.thalweg.cli.UserError;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.ingest.IngestFile;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.jobs.ingest.IngestPreview;
import io.thalweg.jobs.ingest.SavedLetter;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.LockHolder;
import io.thalweg.warehouse.LaneAddress;
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
record ReplayRun(
        IngestPlan plan,
        LetterSource source,
        LetterSelection selection,
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
    void run(Console console, boolean quiet) throws IOException, InterruptedException {
        IngestPlaces.require(plan, deploymentConfig);
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
    private ReplayLetters letters() throws IOException {
        String what = IngestInput.fingerprint(plan, source + " " + selection);
        ReplayLetters before = resume.equals("none") ? null : ReplayLetters.of(folder());
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

    private ReplayLetters read(Path folder, String what) throws IOException {
        try (LetterTopic.@Nullable Records fetched = records == null ? null : LetterTopic.Records.of(records)) {
            return ReplayLetters.read(folder, what, plan.ingest(), source, selection, fetched);
        }
    }

    private void replay(ReplayLetters letters, Console console, boolean quiet)
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
            JobPlan job = JobPlan.replay(plan, selected, deploymentConfig, checkpoints(), letters.failed());
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
        ReplayLetters.delete(folder());
        Files.deleteIfExists(folder().resolve(DONE));
    }

    /** Judges the letters and writes nothing. */
    void dryRun(Console console) throws IOException {
        Path folder = Files.createTempDirectory("thalweg-replay-");
        LaneAddress lanes = BigQueryPlaces.lanes(plan.ingest(), deploymentConfig);
        try (IngestPreview preview =
                new IngestPreview(plan, lanes, row -> console.out().println(new String(row, StandardCharsets.UTF_8)))) {
            ReplayLetters letters = read(folder, "");
            console.err().println(letters.line(name()));
            LetterFile.lines(
                    letters.selected(),
                    (data, from, length) ->
                            preview.read(Objects.requireNonNull(SavedLetter.parse(data, from, length))));
            IngestDryRun.report(console, name(), "letters=" + letters.count("selected"), preview);
        } finally {
            ReplayLetters.delete(folder);
            Files.deleteIfExists(folder);
        }
    }
}
