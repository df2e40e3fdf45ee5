package io.thalweg.server.health;

import io.thalweg.live.inspect.JobState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reports the state of the job that fills the store.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface JobProbe {
    /** A probe for when no job is known; it reports no problems. */
    JobProbe NONE = Optional::empty;

    /** The problem of the job in one line; empty if there is none. Must not block. */
    Optional<String> trouble();

    /**
     * Returns the jobs of this process or of its cluster, with how they spend their time. May take seconds.
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
