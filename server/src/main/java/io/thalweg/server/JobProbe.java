package io.thalweg.server;

import io.thalweg.live.inspect.JobState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Asks how the job that fills the store does.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface JobProbe {
    /** No job is known: nothing can be wrong with it. */
    JobProbe NONE = Optional::empty;

    /** The problem of the job in one line; empty if there is none. Must not block. */
    Optional<String> trouble();

    /**
     * The jobs of this process or of its cluster, with how they spend their time. May take seconds.
     *
     * @throws IOException if that cannot be read now
     */
    default List<JobState> jobs() throws IOException, InterruptedException {
        return List.of();
    }

    /** Whether jobs run in this process. */
    default boolean isHere() {
        return false;
    }
}
