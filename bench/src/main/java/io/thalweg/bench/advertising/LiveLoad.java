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
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

    /**
     * Checks the answers to live reads of campaigns: the count of a window must never decrease, and must never exceed that of the
     * window's final row, which the recount checks. Every eighth campaign is compared.
     *
     * <p><b>Threads.</b> Safe.
     */
    static final class LiveCounts {
        private static final int EACH = 8;
        /** The number of answers among which one must not be 0: a short pass may have a few, all before the first events of a window. */
        static final int JUDGED = 50;

        private static final int COUNT_BITS = 40;

        /** For each campaign, a window and its count; greater is later. */
        private final AtomicLongArray newest;

        private final LongAdder compared = new LongAdder();
        private final LongAdder positive = new LongAdder();
        private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();

        LiveCounts(int campaigns) {
            this.newest = new AtomicLongArray(campaigns);
        }

        static boolean isCompared(long campaign) {
            return campaign % EACH == 0;
        }

        private static long pack(long windowEndMs, long count) {
            return (((windowEndMs - AdLoad.START_MS) / AdLoad.WINDOW_MS) << COUNT_BITS) | count;
        }

        /** Returns the least that a read that is sent now may be answered. */
        long newest(int campaign) {
            return newest.get(campaign);
        }

        /** Checks an answer; {@code before} is {@link #newest} as of when the read was sent. */
        void read(int campaign, long before, long windowEndMs, long count) {
            long answered = pack(windowEndMs, count);
            compared.increment();
            if (count > 0) {
                positive.increment();
            }
            require(answered >= before, campaign, "less than an earlier one");
            newest.accumulateAndGet(campaign, answered, Math::max);
        }

        void row(long campaign, long windowEndMs, long count) {
            if (isCompared(campaign) && campaign < newest.length()) {
                long row = pack(windowEndMs, count);
                long answered = newest.get((int) campaign);
                require(
                        answered <= row || answered >>> COUNT_BITS != row >>> COUNT_BITS,
                        campaign,
                        "more than the row of its window has");
            }
        }

        private void require(boolean right, long campaign, String answer) {
            if (!right) {
                wrong.compareAndSet(null, "a live read of campaign %d was answered %s".formatted(campaign, answer));
            }
        }

        /** The number of answers that were compared. */
        long compared() {
            return compared.sum();
        }

        /**
         * Checks that all answers were right. Most are of windows that have events, so they cannot all be 0.
         *
         * @throws IllegalStateException with the first that was not
         */
        void requireRight() {
            String difference = wrong.get();
            if (difference != null) {
                throw new IllegalStateException(difference);
            }
            if (compared() >= JUDGED && positive.sum() == 0) {
                throw new IllegalStateException("all %,d live reads were answered 0".formatted(compared()));
            }
        }
    }
}
