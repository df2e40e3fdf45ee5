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

    /** Where dead letters are read; empty if they are not to be shown. */
    default Optional<DeadLetterTail> letters() {
        return Optional.empty();
    }
}
