package io.thalweg.runner;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
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
 * <p><b>Order.</b> Runs are ordered by the start times that they recorded. Each is later than all that the run could see, even if
 * another machine recorded them whose clock was ahead.
 *
 * <p><b>Errors.</b> {@link UserError} if the storage cannot be used.
 */
public final class CheckpointFolder {
    /** The file that records the common name of the files of a job's runs. */
    private static final String OUTPUT = "output.txt";

    private final CheckpointStorage storage;
    private final StatePath folder;
    private final String writerName;
    private final InstantSource clock;

    /**
     * Creates the folder of a job.
     *
     * @param job its name below {@code checkpoints.dir}, which may contain slashes
     */
    CheckpointFolder(CheckpointStorage storage, String job, InstantSource clock) {
        this.storage = storage;
        this.folder = storage.dir().resolve(job);
        this.writerName = "thalweg-" + job.replace('/', '-');
        this.clock = clock;
    }

    /**
     * Creates the folder of a job of a deployment.
     *
     * @throws UserError if this process has no file system for {@code checkpoints.dir}
     */
    static CheckpointFolder of(DeploymentConfig deploymentConfig, String job) {
        return new CheckpointFolder(CheckpointStorage.of(deploymentConfig.checkpoints()), job, InstantSource.system());
    }

    /** The name by which brokers identify the writers of this job's runs. */
    String writerName() {
        return writerName;
    }

    /**
     * Creates the folder for a new run, which resumes from a checkpoint or starts without state.
     *
     * @param names of what the run computes or writes
     * @param views the views that have state
     * @param sources the names of their reads, by the view's qualified name; none for a table
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
     * Compares views with those of the run that took a checkpoint.
     *
     * @return the changes that are not refused, for people
     * @throws UserError if a view has changed so that the checkpoint's state no longer fits
     */
    List<String> check(@Nullable StatePath resumeFrom, List<FeatureView> views) {
        try {
            return new ResumedViews(resumeFrom, views).check();
        } catch (IOException e) {
            throw storage.unreadable(e);
        }
    }

    /**
     * Returns the names of reads in the run that took a checkpoint, by the qualified names of those of its views that are
     * given.
     *
     * @throws UserError if a topic has several reads and none is recorded for a view
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
     * Resolves {@code --resume}: {@code none}, a path, or {@code latest}, the newest complete checkpoint of a run of this
     * deployment that has a name in common with these. Null for {@code none}.
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
     * Returns the newest complete checkpoint of the newest run; if that run has none yet, the one that it resumed from. If
     * it started without state, older runs are not considered.
     */
    private @Nullable StatePath latest(List<String> names) throws IOException {
        RunFolder run = newest(runs(names));
        if (run == null) {
            return null;
        }
        StatePath newest = run.newest();
        StatePath latest = newest == null ? run.begunFrom() : newest;
        if (latest != null) { // the checkpoint that a run resumed from may be in another storage
            storage.reach("what run " + run.id() + " began from", latest);
        }
        return latest;
    }

    /**
     * Excludes a run from {@code latest} if it ended before its first checkpoint. Otherwise {@code latest} would resolve to the
     * checkpoint that it resumed from.
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

    /** The file in which the run of a bounded job records its end. */
    StatePath end(String jobId) {
        return RunFolder.end(folder.resolve(jobId));
    }

    /** Returns the newest run with one of these names if it has recorded its end; otherwise null. */
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

    /** Returns the newest run. Ids break ties, so that every process sees runs with the same start time in the same order. */
    private static @Nullable RunFolder newest(List<RunFolder> runs) {
        return runs.stream()
                .max(Comparator.comparingLong(RunFolder::startedMs).thenComparing(RunFolder::id))
                .orElse(null);
    }

    /** Removes the runs that are not needed any more: those older than the run that took the checkpoint to resume from. */
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

    /** Returns the run of this job whose folder contains a checkpoint; null if it is elsewhere. */
    private @Nullable RunFolder runWith(StatePath checkpoint) throws IOException {
        for (StatePath path = checkpoint; path != null; path = path.parent()) {
            if (folder.equals(path.parent())) {
                return RunFolder.of(path);
            }
        }
        return null;
    }

    /**
     * Returns the common name of the files that the runs of a job write. A run that resumes keeps the name of the run before.
     *
     * @param fresh the name for a run that starts without state
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
     * Excludes all runs from resumption and removes them. Files may remain if Flink removes checkpoints of a job that has just
     * ended at the same time.
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
            // Without its record, the rest does not count as a run.
        }
    }

    /** Removes all runs except one, whose recorded end is still needed. */
    void forgetAllBut(String ended) {
        try {
            for (StatePath run : folder.folders()) {
                if (!run.name().equals(ended)) {
                    run.resolve(RunRecord.FILE).delete();
                    run.delete();
                }
            }
        } catch (IOException e) {
            // The run that has ended is the newest, so the others do not matter.
        }
    }
}
