package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.model.FeatureView;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a job: {@code <checkpoints.dir>/<job>/<run>}, a {@link RunFolder} for each start of the job.
 *
 * <p><b>Order.</b> Runs are in the order of the starts that they recorded, where each start is later than those that it could see, also
 * if it was on another machine whose clock was ahead.
 *
 * <p><b>Errors.</b> {@link UserError} where the storage cannot be used.
 */
final class CheckpointFolder {
    /** The file with the name that the files of a job's runs have. */
    private static final String OUTPUT = "output.txt";

    private final CheckpointStorage storage;
    private final StatePath folder;
    private final String writerName;
    private final InstantSource clock;

    /**
     * The folder of a job.
     *
     * @param job its name below {@code checkpoints.dir}, which may have slashes
     */
    CheckpointFolder(CheckpointStorage storage, String job, InstantSource clock) {
        this.storage = storage;
        this.folder = storage.dir().resolve(job);
        this.writerName = "thalweg-" + job.replace('/', '-');
        this.clock = clock;
    }

    /**
     * The folder of a job of a deployment.
     *
     * @throws UserError if this process has no file system for {@code checkpoints.dir}
     */
    static CheckpointFolder of(DeploymentConfig deploymentConfig, String job) {
        return new CheckpointFolder(CheckpointStorage.of(deploymentConfig.checkpoints()), job, InstantSource.system());
    }

    /** The name by which brokers know who writes for the runs of this job. */
    String writerName() {
        return writerName;
    }

    /**
     * The folder for a new run, which begins from a checkpoint or from nothing.
     *
     * @param names of what the run computes or writes
     * @param views those of its views that have state
     * @param sources the names of their reads, by qualified name; none for a table
     */
    RunFolder newRun(
            List<String> names,
            List<FeatureView> views,
            Map<String, String> sources,
            String jobId,
            @Nullable StatePath resumedFrom) {
        StatePath path = folder.resolve(jobId);
        try {
            long afterAllMs =
                    1 + runs().stream().mapToLong(RunFolder::startedMs).max().orElse(0);
            RunRecord record = new RunRecord(resumedFrom, names, Math.max(clock.millis(), afterAllMs));
            for (FeatureView view : views) {
                String source = sources.get(view.qualifiedName());
                if (source != null) {
                    ViewRecord.of(view, source).write(path, view);
                }
            }
            record.write(path);
            return new RunFolder(path, record);
        } catch (IOException e) {
            throw storage.unwritable(e);
        }
    }

    /**
     * Compares views with those of the run that a checkpoint is of.
     *
     * @return what has changed without being refused, for people
     * @throws UserError if the checkpoint's state means something else than a view says now
     */
    List<String> check(@Nullable StatePath resumeFrom, List<FeatureView> views) {
        try {
            return new ResumedViews(resumeFrom, views).check();
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /**
     * The names of reads in the run that a checkpoint is of, by the qualified names of those of its views that are given.
     *
     * @throws UserError if a topic has several reads and none is recorded as that of a view
     */
    Map<String, String> sources(@Nullable StatePath resumeFrom, List<FeatureView> views) {
        try {
            return new ResumedViews(resumeFrom, views).sources();
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /** The newest run, whichever views it computes. */
    RunFolder newestRun() {
        try {
            RunFolder run = newest(runs());
            if (run == null) {
                throw UserError.failed(
                        "checkpoints.dir " + folder + " holds no run of this deployment",
                        "it must be the folder that the job was started with, at the same path here and on the cluster");
            }
            return run;
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /**
     * What {@code --resume} stands for: {@code none}, a path, or {@code latest}: the newest whole checkpoint of this
     * deployment that has a name in common with these.
     */
    @Nullable
    StatePath resumeFrom(String resume, List<String> names) {
        if (resume.equals("none")) {
            return null;
        }
        try {
            return resume.equals("latest") ? latest(names) : whole(resume);
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    private StatePath whole(String resume) throws IOException {
        StatePath path = StatePath.of(resume);
        storage.reach("--resume", path);
        if (!RunFolder.isWhole(path)) {
            throw UserError.failed(
                    "--resume " + resume + " is no whole checkpoint or savepoint",
                    "name a folder that holds " + SavedState.METADATA + ", or: latest, none");
        }
        return path;
    }

    /**
     * The newest whole checkpoint of the newest run; where that run has none yet, the one that it began from: a run that
     * began from nothing is not continued with what older runs left.
     */
    private @Nullable StatePath latest(List<String> names) throws IOException {
        RunFolder run = newest(runs(names));
        if (run == null) {
            return null;
        }
        StatePath newest = run.newest();
        StatePath latest = newest == null ? run.begunFrom() : newest;
        if (latest != null) { // where a run began may be elsewhere
            storage.reach("what run " + run.id() + " began from", latest);
        }
        return latest;
    }

    /**
     * Removes a run from those that {@code latest} considers if it ended before its first checkpoint. Otherwise {@code latest} would
     * stand for the checkpoint that it began from.
     */
    void forgetUnlessBegun(RunFolder run) {
        try {
            if (run.newest() == null) {
                run.forget();
            }
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /** Where the run of a job that ends by itself records its end. */
    StatePath end(String jobId) {
        return RunFolder.end(folder.resolve(jobId));
    }

    /** The newest run with one of these names if it has recorded its end; null if it has not. */
    @Nullable
    RunFolder newestEnded(List<String> names) {
        try {
            RunFolder run = newest(runs(names));
            return run == null || !RunFolder.end(run.path()).isFile() ? null : run;
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /** Whether a run can be resumed from a checkpoint with this number or a later one, or from a savepoint. */
    boolean hasCheckpointSince(RunFolder run, long number) {
        try {
            return run.hasCheckpointSince(number);
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    private List<RunFolder> runs() throws IOException {
        List<RunFolder> runs = new ArrayList<>();
        for (StatePath path : folder.folders()) {
            RunFolder run = RunFolder.of(path);
            if (run != null) {
                runs.add(run);
            }
        }
        return runs;
    }

    private List<RunFolder> runs(List<String> names) throws IOException {
        Set<String> wanted = new HashSet<>(names);
        return runs().stream().filter(run -> run.shares(wanted)).toList();
    }

    /** Two that were started at the same time on two machines are in one order for all who look. */
    private static @Nullable RunFolder newest(List<RunFolder> runs) {
        return runs.stream()
                .max(Comparator.comparingLong(RunFolder::startedMs).thenComparing(RunFolder::id))
                .orElse(null);
    }

    /** Removes the runs that a finished first checkpoint of {@code run} has made superfluous: those before its forerunner. */
    void forgetBefore(List<String> names, @Nullable StatePath resumedFrom) {
        try {
            RunFolder forerunner = resumedFrom == null ? null : runWith(resumedFrom);
            if (forerunner == null) {
                return;
            }
            for (RunFolder run : runs(names)) {
                if (run.startedMs() < forerunner.startedMs()) {
                    run.path().delete();
                }
            }
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /** The run of this job that a checkpoint is in; null if it is elsewhere. */
    private @Nullable RunFolder runWith(StatePath checkpoint) throws IOException {
        for (StatePath path = checkpoint; path != null; path = path.parent()) {
            if (folder.equals(path.parent())) {
                return RunFolder.of(path);
            }
        }
        return null;
    }

    /**
     * The name by which the files are known that the runs of one job write: a run that resumes goes on with that of the run before.
     *
     * @param fresh the name for a run that begins from nothing
     */
    String outputName(boolean resumed, String fresh) {
        StatePath file = folder.resolve(OUTPUT);
        try {
            String before = resumed ? file.text() : null;
            if (before != null) {
                return before;
            }
            file.write(fresh);
            return fresh;
        } catch (IOException e) {
            throw storage.unwritable(e);
        }
    }

    /** The name that {@link #outputName} returned last. */
    String outputName() {
        try {
            String name = folder.resolve(OUTPUT).text();
            if (name == null) {
                throw new IOException(folder.resolve(OUTPUT) + " is missing");
            }
            return name;
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /**
     * Makes that no run is gone on with, and removes what is there; not all of it where Flink removes checkpoints of a job that has
     * just ended at the same time.
     */
    void forgetAll() {
        try {
            for (RunFolder run : runs()) {
                run.forget();
            }
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
        try {
            folder.delete();
        } catch (IOException e) {
            // Without its account, what is left does not count as a run.
        }
    }

    /** Removes all runs but one, of which its end is kept. */
    void forgetAllBut(String ended) {
        try {
            for (StatePath run : folder.folders()) {
                if (!run.name().equals(ended)) {
                    run.resolve(RunRecord.FILE).delete();
                    run.delete();
                }
            }
        } catch (IOException e) {
            // The run that has ended is the newest, so no other one counts.
        }
    }
}
