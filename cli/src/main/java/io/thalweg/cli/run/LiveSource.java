package io.thalweg.cli.run;

import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.server.Metrics;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What an ingest reads until it is stopped. */
interface LiveSource {
    /**
     * The job that reads it.
     *
     * @param deadLetters a file; null = the definition's topic
     */
    JobPlan job(IngestPlan plan, @Nullable Path deadLetters);

    /**
     * Begins to watch what a job reads, before it starts.
     *
     * @param id of the job
     * @param resume what the job begins from
     * @param once whether {@link Watch#isDone} is asked for
     */
    Watch watch(JobPlan job, String id, String resume, boolean once);

    /**
     * How far a job is.
     *
     * <p><b>Threads.</b> Any may ask.
     */
    interface Watch extends AutoCloseable {
        /** Adds the series of the source. */
        void register(Metrics metrics, String ingest);

        /** How far the job is behind, for people; empty while that is not known. */
        String behind();

        /** Whether the job has read what a run with {@code --once} reads. */
        boolean isDone();

        /** What was read besides the records of the account, for people; empty if there is nothing to say. */
        String summary();

        @Override
        void close();
    }
}
