package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The views of a start, compared with those of the checkpoint that it resumes from.
 *
 * @param resumeFrom null = nothing
 * @param views those of the start that have state
 */
record ResumedViews(@Nullable StatePath resumeFrom, List<FeatureView> views) {
    /** Not a compact constructor, because its class file would lose the nullness annotations. */
    ResumedViews(@Nullable StatePath resumeFrom, List<FeatureView> views) {
        this.resumeFrom = resumeFrom;
        this.views = List.copyOf(views);
    }

    /**
     * Compares the views with those of the run that took the checkpoint.
     *
     * @return the changes that are not refused, for people
     * @throws UserError if a view has changed so that the checkpoint's state no longer fits
     * @throws IOException if the storage cannot be read
     */
    List<String> check() throws IOException {
        RunFolder run = resumeFrom == null ? null : runOf(resumeFrom);
        List<String> changes = new ArrayList<>();
        if (run != null) {
            for (FeatureView view : views) {
                changes.addAll(ViewRecord.check(run.path(), view));
            }
        }
        Map<String, String> before = sources(run);
        Map<String, String> now = SourceNames.of(views, before);
        before.keySet().forEach(view -> requireSameRead(view, before, now));
        return changes;
    }

    /** Requires that a view keeps its read, because its state belongs to the positions of that read. */
    private static void requireSameRead(String view, Map<String, String> before, Map<String, String> now) {
        String source = Objects.requireNonNull(now.get(view));
        if (source.equals(before.get(view))) {
            return;
        }
        throw UserError.failed(
                "view %s shared the read of its topic with another view, whose source settings now differ from its own"
                        .formatted(view),
                "make the source settings of both equal again, raise version of one of them, or start with --resume none");
    }

    /**
     * Returns the names of reads in the run that took the checkpoint, by the qualified names of those of its views that are
     * given.
     *
     * @throws UserError if a topic has several reads and none is recorded for a view
     * @throws IOException if the storage cannot be read
     */
    Map<String, String> sources() throws IOException {
        return sources(resumeFrom == null ? null : runOf(resumeFrom));
    }

    private Map<String, String> sources(@Nullable RunFolder run) throws IOException {
        if (resumeFrom == null) {
            return Map.of();
        }
        return run == null ? CheckpointOperators.of(resumeFrom).sources(views) : recordedSources(run);
    }

    private Map<String, String> recordedSources(RunFolder run) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (FeatureView view : views) {
            if (run.record().names().contains(view.qualifiedName())) {
                sources.put(view.qualifiedName(), ViewRecord.source(run.path(), view));
            }
        }
        return sources;
    }

    /** Returns the folder of the run that contains a checkpoint; null if the checkpoint was moved elsewhere. */
    private static @Nullable RunFolder runOf(StatePath checkpoint) throws IOException {
        for (StatePath folder = checkpoint.parent(); folder != null; folder = folder.parent()) {
            RunFolder run = RunFolder.of(folder);
            if (run != null) {
                return run;
            }
        }
        return null;
    }
}
