package io.thalweg.server;

import java.util.Optional;

/**
 * Asks whether the job that fills the store does its work.
 *
 * <p><b>Threads.</b> Safe; must not block.
 */
@FunctionalInterface
public interface JobProbe {
    /** No job is known: nothing can be wrong with it. */
    JobProbe NONE = Optional::empty;

    /** What is wrong with it, in one line; empty if nothing is. */
    Optional<String> trouble();
}
