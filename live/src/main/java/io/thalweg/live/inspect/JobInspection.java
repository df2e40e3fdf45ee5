package io.thalweg.live.inspect;

import java.io.IOException;
import java.util.List;

/**
 * Looks at running jobs.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface JobInspection {
    /**
     * The jobs that run, as they are now.
     *
     * @throws IOException if Flink does not answer
     */
    List<JobState> jobs() throws IOException, InterruptedException;
}
