package io.thalweg.bench.advertising;

import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.live.LiveView;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.view.FeatureView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads of one campaign each, in an open loop, while the job counts. Readers are in the job's process, like a server that is
 * embedded with its job: they need no network, and their CPU time counts as the job's. {@link LiveCounts} checks the answers.
 */
final class LiveLoad implements Readers {
    private static final int THREADS = 8;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final String job;
    private final LiveView view;
    private final KeyedRowCodec rows;
    private final int campaigns;
    private final LiveCounts counts;
    private final LiveClient client;
    private final OpenLoop loop;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private volatile boolean ended;

    /** Starts to read once the job runs. */
    LiveLoad(String job, FeatureView view, int campaigns, int readsPerSecond, LiveCounts counts) {
        this.job = job;
        this.view = new LiveView(view);
        this.rows = new KeyedRowCodec(view);
        this.campaigns = campaigns;
        this.counts = counts;
        this.client = new LiveClient(() -> LiveEndpoint.routes(job), TIMEOUT);
        this.loop = new OpenLoop(this, readsPerSecond, 1);
        Thread thread = new Thread(this::run, "live-reads");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!isRunning() && !ended) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        loop.run(dueNanos -> !ended);
        threads.shutdown();
        client.close();
    }

    private boolean isRunning() {
        return !LiveEndpoint.routes(job).isEmpty();
    }

    @Override
    public int requests() {
        return campaigns;
    }

    @Override
    public CompletableFuture<byte[]> read(int campaign) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                answer.complete(answer(campaign));
            } catch (RuntimeException e) {
                if (ended || !isRunning()) {
                    answer.cancel(false); // there is nothing to read any more
                } else {
                    answer.completeExceptionally(e);
                }
            }
        });
        return answer;
    }

    private byte[] answer(int campaign) {
        if (ended) {
            throw new IllegalStateException("the job has ended");
        }
        long before = counts.newest(campaign);
        LiveRow row = client.read(view, List.of(view.key(0, List.of((long) campaign))))
                .get(0);
        byte[] packed = row.getPacked().toByteArray();
        if (row.hasWindowEndMs() && LiveCounts.isCompared(campaign)) {
            boolean found = row.getStatus() == LiveStatus.FOUND;
            counts.read(
                    campaign,
                    before,
                    row.getWindowEndMs(),
                    found ? (long) rows.decodeRow(packed).values().get(0) : 0);
        }
        return packed;
    }

    /**
     * Reports the number and latency of reads, and for how long a read kept a task from events, on average.
     *
     * @throws IllegalStateException if an answer was wrong
     */
    Map<String, Number> figures() {
        ended = true;
        counts.requireRight();
        JobMetrics.View counted = JobMetrics.of(job).view(view.name());
        return loop.figures("live_read")
                .put("live_read_stalled_us", counted.liveReadNanos() / 1e3 / Math.max(1, counted.liveKeys()))
                .put("live_reads_compared", counts.compared())
                .asMap();
    }

    /** Stops the reads without waiting for them. */
    @Override
    public void close() {
        ended = true;
    }
}
