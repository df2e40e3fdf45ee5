package io.thalweg.bench.ingest;

import io.thalweg.jobs.stream.StreamAccount;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Samples the streams of a job from time to time, until it is closed. */
final class StreamWatch implements AutoCloseable {
    private static final long LOOK_MS = 100;

    private final StreamAccount streams;
    private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
    private final IntSummaryStatistics seen = new IntSummaryStatistics();

    /** Starts to sample the streams of a job. */
    StreamWatch(String jobId) {
        streams = StreamAccount.of(jobId);
        var unused = looks.scheduleWithFixedDelay(this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    private synchronized void look() {
        int now = streams.streams();
        if (now > 0) {
            seen.accept(now);
        }
    }

    /** The number of streams, and of requests that were sent again. */
    synchronized Map<String, Number> figures() {
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("lanes_most", Math.max(0, seen.getMax()));
        figures.put("lanes_mean", seen.getAverage());
        figures.put("retries", streams.total().retries());
        return figures;
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
