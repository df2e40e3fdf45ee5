package io.thalweg.runner;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operators whose state a checkpoint or savepoint contains. Their names identify its views and reads, even after it was
 * moved out of the folder of its run.
 *
 * @param uids as {@link io.thalweg.jobs.compute.ComputeJob} gives them
 */
public record CheckpointOperators(StatePath checkpoint, Set<String> uids) {
    /**
     * Reads the metadata of a checkpoint.
     *
     * @throws io.thalweg.jobs.IncompleteStateException if the checkpoint has none, or an incomplete one
     * @throws IOException if the storage cannot be read
     */
    public static CheckpointOperators of(StatePath checkpoint) throws IOException {
        return new CheckpointOperators(checkpoint, SavedState.of(checkpoint).uids());
    }

    /**
     * Returns the names of the views' reads, by the qualified names of the views whose state the checkpoint contains.
     *
     * @throws UserError if the checkpoint has several reads of a view's topics: only the folder of its run records which one was the
     *     view's
     */
    public Map<String, String> sources(List<FeatureView> views) {
        Map<String, String> sources = new LinkedHashMap<>();
        for (FeatureView view : views) {
            if (!has(view)) {
                continue;
            }
            List<String> reads = uids.stream()
                    .filter(uid -> SourceNames.hasTopicsOf(uid, view.source()))
                    .toList();
            if (reads.size() > 1) {
                throw UserError.failed(
                        "--resume %s: the checkpoint has %d reads of %s, and does not say which was that of view %s"
                                .formatted(
                                        checkpoint,
                                        reads.size(),
                                        String.join(", ", view.source().topics()),
                                        view.qualifiedName()),
                        "copy run.txt and view-*.txt of its run in checkpoints.dir into the folder that holds it, or start with"
                                + " --resume none");
            }
            if (!reads.isEmpty()) {
                sources.put(view.qualifiedName(), reads.get(0));
            }
        }
        return sources;
    }

    private boolean has(FeatureView view) {
        return uids.stream().anyMatch(uid -> uid.startsWith(view.qualifiedName() + "/"));
    }
}
