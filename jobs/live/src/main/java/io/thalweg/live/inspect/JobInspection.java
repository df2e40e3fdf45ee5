package io.thalweg.live.inspect;

import java.io.IOException;
import java.util.List;

/**
 * Inspects running jobs.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface JobInspection {
    /**
     * Returns the current states of the running jobs.
     *
     * @throws IOException if Flink does not answer
     */
    List<JobState> jobs() throws IOException, InterruptedException;
}
