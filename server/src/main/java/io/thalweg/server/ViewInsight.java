package io.thalweg.server;

import io.thalweg.model.FeatureView;
import java.util.Optional;

/**
 * What a process knows of its views beside rows and metrics, for the console.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface ViewInsight {
    /** Nothing. */
    ViewInsight NONE = view -> "";

    /** The job of a view in words, empty if there is none. */
    String explain(FeatureView view);

    /**
     * What a view takes at a load, estimated from its definition; empty if that cannot be estimated.
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
     * @param stateBytes of the job; a checkpoint has about as many
     * @param storeBytes of the rows that the store keeps
     */
    record Footprint(double stateBytes, double storeBytes) {}

    /** Where dead letters are read; empty if they are not to be shown. */
    default Optional<DeadLetterTail> letters() {
        return Optional.empty();
    }
}
