package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Figures;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.live.LiveUnavailableException;
import io.thalweg.live.LiveView;
import io.thalweg.model.FeatureView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Reads of one campaign each, at a rate that does not depend on the answers, while the job counts. A read's latency is from when it
 * should have been sent. Readers are in the job's process, as a server that is embedded with its job is: they need no network, and
 * their processor time counts as the job's.
 */
final class LiveLoad implements AutoCloseable {
    private static final int THREADS = 8;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final String job;
    private final LiveView view;
    private final int campaigns;
    private final long intervalNanos;
    private final LiveClient client;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final Histogram nanos = new ConcurrentHistogram(3);
    private final LongAdder refused = new LongAdder();
    private volatile boolean ended;

    LiveLoad(String job, FeatureView view, int campaigns, int readsPerSecond) {
        this.job = job;
        this.view = new LiveView(view);
        this.campaigns = campaigns;
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / readsPerSecond;
        this.client = new LiveClient(() -> LiveEndpoint.routes(job), TIMEOUT);
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            threads.execute(() -> read(first));
        }
    }

    /** Every eighth read. */
    private void read(int first) {
        while (LiveEndpoint.routes(job).isEmpty() && !ended) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        Random random = new Random(first);
        long due = System.nanoTime() + first * intervalNanos;
        for (; !ended; due += THREADS * intervalNanos) {
            for (long left = due - System.nanoTime(); left > 0 && !ended; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            try {
                var unused = client.read(view, List.of(view.key(0, List.of((long) random.nextInt(campaigns)))));
                nanos.recordValue(System.nanoTime() - due);
            } catch (LiveUnavailableException e) {
                if (!ended) {
                    refused.increment();
                }
            }
        }
    }

    /** How often and how fast it was read, and for how long a read kept a task from events, on average. */
    Map<String, Number> figures() {
        JobMetrics.View counted = JobMetrics.of(job).view(view.name());
        return new Figures()
                .put("live_reads", nanos.getTotalCount())
                .latencies("live_read", nanos)
                .put("live_read_stalled_us", counted.liveReadNanos() / 1e3 / Math.max(1, counted.liveKeys()))
                .put("live_reads_refused", refused.sum())
                .asMap();
    }

    @Override
    public void close() {
        ended = true;
        threads.shutdownNow();
        client.close();
    }
}
