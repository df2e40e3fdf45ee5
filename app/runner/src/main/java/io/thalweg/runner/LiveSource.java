package io.thalweg.runner;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.server.telemetry.Metrics;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A source that an ingest reads until it is stopped. */
public interface LiveSource {
    /**
     * Plans the job that reads the source.
     *
     * @param deadLetters a file; null = the definition's topic
     */
    JobPlan job(IngestPlan plan, @Nullable Path deadLetters);

    /**
     * Starts watching the source of a job, before the job starts.
     *
     * @param id of the job
     * @param resume what the job resumes from
     * @param once whether {@link Watch#isDone} is called
     */
    Watch watch(JobPlan job, String id, String resume, boolean once);

    /**
     * The progress of a job.
     *
     * <p><b>Threads.</b> Any may call.
     */
    interface Watch extends AutoCloseable {
        /** Adds the series of the source. */
        void register(Metrics metrics, String ingest);

        /** How far the job is behind, for people; empty while that is not known. */
        String behind();

        /** Whether the job has read what a run with {@code --once} reads. */
        boolean isDone();

        /** What was read besides the records of the account, for people; empty if nothing was. */
        String summary();

        @Override
        void close();
    }
}
