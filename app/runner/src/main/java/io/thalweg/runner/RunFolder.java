package io.thalweg.runner;

import io.thalweg.jobs.IncompleteStateException;
import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a run: {@code JOB/chk-N} and {@code savepoint-…}, which Flink writes, and the records of this program beside them.
 *
 * <p>Checkpoints and savepoints of a run are ordered by their numbers, because a storage may not keep modification times.
 *
 * <p><b>Errors.</b> {@link IOException} if the storage cannot be read. An incomplete checkpoint is skipped. One that temporarily cannot
 * be read is not, because resuming from an older one would repeat rows.
 */
public record RunFolder(StatePath path, RunRecord record) {
    private static final String END = "end.properties";
    private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d+)");

    /**
     * A checkpoint or savepoint.
     *
     * @param known whether its metadata has been read, so that it is known to be complete
     */
    private record Found(StatePath path, long number, boolean known) {}

    /** Returns the run of a folder; null if the folder is not that of a run. */
    static @Nullable RunFolder of(StatePath path) throws IOException {
        RunRecord record = RunRecord.of(path);
        return record == null ? null : new RunFolder(path, record);
    }

    /** Returns the file in which a run of a bounded job records its end. */
    static StatePath end(StatePath run) {
        return run.resolve(END);
    }

    /** The id that the run was started with. */
    String id() {
        return path.name();
    }

    /** The checkpoint that the run resumed from; null = none. */
    @Nullable
    StatePath begunFrom() {
        return record.begunFrom();
    }

    /** When the run was started, in epoch milliseconds. */
    long startedMs() {
        return record.startedMs();
    }

    /** Whether it has a name in common with these. */
    boolean shares(Set<String> names) {
        return !Collections.disjoint(record.names(), names);
    }

    /** Deletes the record of the run, without which the rest of its folder does not count as a run. */
    void forget() throws IOException {
        path.resolve(RunRecord.FILE).delete();
    }

    /** Returns the newest complete checkpoint or savepoint; null if there is none yet. */
    @Nullable
    StatePath newest() throws IOException {
        for (Found each : found()) {
            if (each.known() || isWhole(each.path())) {
                return each.path();
            }
        }
        return null;
    }

    /** Whether the run can be resumed from a checkpoint with this number or a later one, or from a savepoint. */
    boolean hasCheckpointSince(long number) throws IOException {
        StatePath newest = newest();
        if (newest == null) {
            return false;
        }
        Matcher checkpoint = CHECKPOINT.matcher(newest.name());
        return !checkpoint.matches() || Long.parseLong(checkpoint.group(1)) >= number;
    }

    /** Whether a checkpoint has metadata that can be read. */
    static boolean isWhole(StatePath checkpoint) throws IOException {
        try {
            SavedState unused = SavedState.of(checkpoint);
            return true;
        } catch (IncompleteStateException e) {
            return false;
        }
    }

    /** Returns checkpoints and savepoints, newest first. Reads the metadata of savepoints, which contains their number. */
    private List<Found> found() throws IOException {
        List<Found> found = new ArrayList<>();
        for (StatePath child : path.folders()) {
            if (child.resolve(SavedState.METADATA).isFile()) {
                addSavepoint(child, found);
            } else {
                for (StatePath checkpoint : child.folders()) {
                    Matcher number = CHECKPOINT.matcher(checkpoint.name());
                    if (number.matches()) {
                        found.add(new Found(checkpoint, Long.parseLong(number.group(1)), false));
                    }
                }
            }
        }
        found.sort(Comparator.comparingLong(Found::number).reversed());
        return found;
    }

    private static void addSavepoint(StatePath savepoint, List<Found> found) throws IOException {
        try {
            found.add(new Found(savepoint, SavedState.of(savepoint).number(), true));
        } catch (IncompleteStateException e) {
            // The savepoint is incomplete.
        }
    }
}
