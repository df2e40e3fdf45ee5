package io.thalweg.server.console;

import io.thalweg.model.view.FeatureView;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What a process knows about its views besides rows and metrics, for the console.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface ViewInsight {
    /** Knows nothing. */
    ViewInsight NONE = view -> "";

    /** Describes the job of a view; empty if there is none. */
    String explain(FeatureView view);

    /**
     * Estimates from its definition the resources that a view needs under a load; empty if they cannot be estimated.
     *
     * @param eventsPerSecond that the view keeps, above 0
     * @param rowsPerSecond on average, above 0
     */
    default Optional<Footprint> footprint(FeatureView view, double eventsPerSecond, double rowsPerSecond) {
        return Optional.empty();
    }

    /**
     * An estimate.
     *
     * @param stateBytes of the job; a checkpoint is about as large
     * @param storeBytes of the rows that the store keeps
     */
    record Footprint(double stateBytes, double storeBytes) {}

    /** Returns the newest comparison of the view's answers with its feature log; empty if there is none. */
    default Optional<Skew> skew(FeatureView view) {
        return Optional.empty();
    }

    /**
     * A comparison.
     *
     * @param at when it was made
     * @param causes answers by cause
     */
    record Skew(Instant at, Map<String, Long> causes) {}

    /** The reader of dead letters; empty if they are not shown. */
    default Optional<DeadLetterTail> letters() {
        return Optional.empty();
    }
}
