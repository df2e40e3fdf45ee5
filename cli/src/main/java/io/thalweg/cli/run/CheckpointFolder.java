package io.thalweg.cli.run;

import io.thalweg.cli.Folders;
import io.thalweg.cli.UserError;
import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A deployment's checkpoints: {@code <dir>/<deployment>/<run>/<job>/chk-N}, where each run of the job has a folder of its
 * own that names its views.
 */
final class CheckpointFolder {
    /** First line: the checkpoint that the run began from, or nothing; then its views. */
    private static final String RUN = "run.txt";

    private static final String OUTPUT = "output.txt";

    private static final String END = "end.properties";

    private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d+)");

    private final Path folder;
    private final String writerName;

    CheckpointFolder(Path dir, String deployment) {
        folder = dir.resolve(deployment);
        writerName = "thalweg-" + deployment.replace('/', '-');
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
    Path newRun(
            List<String> names,
            List<FeatureView> views,
            Map<String, String> sources,
            String jobId,
            @Nullable Path resumedFrom) {
        Path run = folder.resolve(jobId);
        List<String> lines = new ArrayList<>();
        lines.add(resumedFrom == null ? "" : resumedFrom.toAbsolutePath().toString());
        names.stream().sorted().forEach(lines::add);
        try {
            Files.createDirectories(run);
            for (FeatureView view : views) {
                String source = sources.get(view.qualifiedName());
                if (source != null) {
                    ViewRecord.of(view, source).write(run, view);
                }
            }
            Files.write(run.resolve(RUN), lines);
            return run;
        } catch (IOException e) {
            throw UserError.failed(
                    "checkpoints.dir " + folder + " cannot be written: " + e.getMessage(),
                    "choose another checkpoints.dir in thalweg.yaml");
        }
    }

    /**
     * Compares views with those of the run that a checkpoint is of.
     *
     * @return what has changed without being refused, for people
     * @throws UserError if the checkpoint's state means something else than a view says now
     */
    List<String> check(@Nullable Path resumeFrom, List<FeatureView> views) {
        Path run = resumeFrom == null ? null : runOf(resumeFrom.toAbsolutePath());
        List<String> changes = new ArrayList<>();
        if (run != null) {
            try {
                for (FeatureView view : views) {
                    changes.addAll(ViewRecord.check(run, view));
                }
            } catch (IOException e) {
                throw unreadable(e);
            }
        }
        Map<String, String> before = sources(resumeFrom, views);
        Map<String, String> now = SourceNames.of(views, before);
        before.keySet().forEach(view -> requireSameRead(view, before, now));
        return changes;
    }

    /** A view's state goes with the positions of its read. */
    private static void requireSameRead(String view, Map<String, String> before, Map<String, String> now) {
        String source = Objects.requireNonNull(now.get(view));
        if (source.equals(before.get(view))) {
            return;
        }
        Optional<String> joined = before.entrySet().stream()
                .filter(other -> other.getValue().equals(source) && source.equals(now.get(other.getKey())))
                .map(Map.Entry::getKey)
                .findFirst();
        if (joined.isPresent()) {
            throw UserError.failed(
                    "view %s had a read of its topic for itself, but its source settings now equal those of view %s"
                            .formatted(view, joined.get()),
                    "make the source settings differ again, raise version of %s, or start with --resume none"
                            .formatted(view));
        }
        throw UserError.failed(
                "view %s shared the read of its topic with another view, whose source settings now differ from its own"
                        .formatted(view),
                "make the source settings of both equal again, raise version of one of them, or start with --resume none");
    }

    /**
     * The names of reads in the run that a checkpoint is of, by the qualified names of those of its views that are given.
     *
     * @throws UserError if a topic has several reads and none is recorded as that of a view
     */
    Map<String, String> sources(@Nullable Path resumeFrom, List<FeatureView> views) {
        if (resumeFrom == null) {
            return Map.of();
        }
        try {
            Path run = runOf(resumeFrom.toAbsolutePath());
            return run == null ? CheckpointOperators.of(resumeFrom).sources(views) : recordedSources(run, views);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static Map<String, String> recordedSources(Path run, List<FeatureView> views) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        Set<String> before = new HashSet<>(Files.readAllLines(run.resolve(RUN)));
        for (FeatureView view : views) {
            if (before.contains(view.qualifiedName())) {
                sources.put(view.qualifiedName(), ViewRecord.source(run, view));
            }
        }
        return sources;
    }

    /** The run's folder above a checkpoint; null for a checkpoint that was moved elsewhere. */
    private static @Nullable Path runOf(Path checkpoint) {
        for (Path folder = checkpoint.getParent(); folder != null; folder = folder.getParent()) {
            if (Files.isRegularFile(folder.resolve(RUN))) {
                return folder;
            }
        }
        return null;
    }

    /** The folder of the run that was started last, of whatever views. */
    Path newestRun() {
        Path run = newestRun(path -> true);
        if (run == null) {
            throw UserError.failed(
                    "checkpoints.dir " + folder + " holds no run of this deployment",
                    "it must be the folder that the job was started with, at the same path here and on the cluster");
        }
        return run;
    }

    /** What a run began from; null = nothing. */
    static @Nullable Path begunFrom(Path run) throws IOException {
        String checkpoint = Files.readAllLines(run.resolve(RUN)).get(0);
        return checkpoint.isEmpty() ? null : Path.of(checkpoint);
    }

    /** When a run was started, in epoch milliseconds. */
    static long startedMs(Path run) {
        return modified(run.resolve(RUN)).toMillis();
    }

    /** The newest whole checkpoint or savepoint of a run; null if it has none yet. */
    static @Nullable Path newest(Path run) throws IOException {
        List<Path> whole = checkpoints(run);
        return whole.isEmpty() ? null : whole.get(0);
    }

    /**
     * What {@code --resume} stands for: {@code none}, a path, or {@code latest}: the newest whole checkpoint of this
     * deployment that has a name in common with these.
     */
    @Nullable
    Path resumeFrom(String resume, List<String> names) {
        if (resume.equals("none")) {
            return null;
        }
        if (!resume.equals("latest")) {
            Path path = Path.of(resume);
            if (!isWhole(path)) {
                throw UserError.failed(
                        "--resume " + resume + " is no whole checkpoint or savepoint",
                        "name a folder that holds " + SavedState.METADATA + ", or: latest, none");
            }
            return path;
        }
        return latest(names);
    }

    /**
     * The newest whole checkpoint of the newest run; where that run has none yet, the one that it began from: a run that
     * began from nothing is not continued with what older runs left.
     */
    private @Nullable Path latest(List<String> names) {
        Set<String> wanted = new HashSet<>(names);
        Path run = newestRun(path -> shares(path, wanted));
        if (run == null) {
            return null;
        }
        try {
            Path newest = newest(run);
            return newest == null ? begunFrom(run) : newest;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * Removes a run from those that {@code latest} considers if it ended before its first checkpoint. Otherwise {@code latest} would
     * stand for the checkpoint that it began from.
     */
    void forgetUnlessBegun(Path run) {
        try {
            if (checkpoints(run).isEmpty()) {
                Files.deleteIfExists(run.resolve(RUN));
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** Where the run of a job that ends by itself records its end. */
    Path end(String jobId) {
        return folder.resolve(jobId).resolve(END);
    }

    /** Where the newest run with one of these names has recorded its end; null if it has not. */
    @Nullable
    Path newestEnd(List<String> names) {
        Set<String> wanted = new HashSet<>(names);
        Path run = newestRun(path -> shares(path, wanted));
        return run == null || !Files.isRegularFile(run.resolve(END)) ? null : run.resolve(END);
    }

    /** Whether a run can be resumed from a checkpoint with this number or a later one, or from a savepoint. */
    boolean hasCheckpointSince(Path run, long number) {
        try {
            List<Path> whole = checkpoints(run);
            if (whole.isEmpty()) {
                return false;
            }
            Matcher checkpoint = CHECKPOINT.matcher(whole.get(0).getFileName().toString());
            return !checkpoint.matches() || Long.parseLong(checkpoint.group(1)) >= number;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private @Nullable Path newestRun(Predicate<Path> wanted) {
        if (!Files.isDirectory(folder)) {
            return null;
        }
        try (Stream<Path> runs = Files.list(folder)) {
            return runs.filter(run -> Files.isRegularFile(run.resolve(RUN)))
                    .filter(wanted)
                    .max(Comparator.comparing(run -> modified(run.resolve(RUN))))
                    .orElse(null);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private UserError unreadable(IOException e) {
        return UserError.failed(
                "checkpoints.dir " + folder + " cannot be read: " + e.getMessage(), "start over with --resume none");
    }

    private static boolean shares(Path run, Set<String> wanted) {
        try {
            return Files.isRegularFile(run.resolve(RUN))
                    && Files.readAllLines(run.resolve(RUN)).stream().skip(1).anyMatch(wanted::contains);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whole checkpoints and savepoints of a run, newest first. */
    private static List<Path> checkpoints(Path run) throws IOException {
        try (Stream<Path> files = Files.walk(run, 3)) {
            return files.filter(path -> path.endsWith(SavedState.METADATA))
                    .sorted(Comparator.comparing(CheckpointFolder::modified).reversed())
                    .map(Path::getParent)
                    .filter(CheckpointFolder::isWhole)
                    .toList();
        }
    }

    /** Removes the runs that a finished first checkpoint of {@code run} has made superfluous: those before its forerunner. */
    void forgetBefore(List<String> names, @Nullable Path resumedFrom) {
        if (resumedFrom == null || !resumedFrom.toAbsolutePath().startsWith(folder.toAbsolutePath())) {
            return;
        }
        Path forerunner = folder.toAbsolutePath()
                .resolve(folder.toAbsolutePath()
                        .relativize(resumedFrom.toAbsolutePath())
                        .getName(0));
        Set<String> wanted = new HashSet<>(names);
        try (Stream<Path> runs = Files.list(folder)) {
            List<Path> old = runs.filter(run -> shares(run, wanted))
                    .filter(run -> modified(run.resolve(RUN)).compareTo(modified(forerunner.resolve(RUN))) < 0)
                    .toList();
            for (Path run : old) {
                Folders.delete(run);
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * The name by which the files are known that the runs of one job write: a run that resumes goes on with that of the run before.
     *
     * @param fresh the name for a run that begins from nothing
     */
    String outputName(boolean resumed, String fresh) {
        Path file = folder.resolve(OUTPUT);
        try {
            if (resumed && Files.isRegularFile(file)) {
                return Files.readString(file);
            }
            Files.createDirectories(folder);
            Files.writeString(file, fresh);
            return fresh;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The name that {@link #outputName} returned last. */
    String outputName() {
        try {
            return Files.readString(folder.resolve(OUTPUT));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * Makes that no run is gone on with, and removes what is there; not all of it where Flink removes checkpoints of a job that has
     * just ended at the same time.
     */
    void forgetAll() {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> runs = Files.list(folder)) {
            for (Path run : runs.filter(Files::isDirectory).toList()) {
                Files.deleteIfExists(run.resolve(RUN));
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
        try {
            Folders.delete(folder);
        } catch (IOException | UncheckedIOException e) {
            // Without its account, what is left does not count as a run.
        }
    }

    /** Removes all runs but one, of which its end is kept. */
    void forgetAllBut(Path ended) {
        try (Stream<Path> runs = Files.list(folder)) {
            for (Path run : runs.filter(Files::isDirectory).toList()) {
                if (!run.equals(ended)) {
                    Files.deleteIfExists(run.resolve(RUN));
                    Folders.delete(run);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The run that has ended is the newest, so no other one counts.
        }
    }

    private static FileTime modified(Path path) {
        try {
            return Files.getLastModifiedTime(path);
        } catch (IOException e) {
            return FileTime.fromMillis(0);
        }
    }

    /** A checkpoint that a crash cut short has no metadata, or metadata that cannot be read. */
    private static boolean isWhole(Path checkpoint) {
        try {
            CheckpointOperators unused = CheckpointOperators.of(checkpoint);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
