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

    /** The problem of the job in one line; empty if there is none. */
    Optional<String> trouble();
}
