package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Meter;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Samples the Thalweg process periodically while it is measured, on its own thread. Now and then it runs a full garbage
 * collection, because only after that the heap consists of live objects.
 */
final class ProcessMonitor implements AutoCloseable {
    private static final int LOOKS = 120;
    private static final int LOOKS_PER_COLLECTION = 6;
    private static final long SHORTEST_MS = 1_000;
    private static final long LONGEST_MS = 30_000;

    /**
     * A sample.
     *
     * @param cpuSeconds of the process since it began
     * @param lagEvents sent, but not read
     * @param behindMs event time that the generator has yet to send
     */
    record Look(long atMs, double cpuSeconds, long lagEvents, long behindMs, long rssBytes, long storeBytes) {}

    private final LiveThalweg thalweg;
    private final LongSupplier sent;
    private final LongSupplier behindMs;
    private final List<Look> looks = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final FutureTask<Void> sampling;

    /**
     * Begins to sample.
     *
     * @param lasting about how long it will last
     * @param sent events sent so far
     * @param behindMs event time that the generator has yet to send
     */
    ProcessMonitor(LiveThalweg thalweg, Duration lasting, LongSupplier sent, LongSupplier behindMs) {
        this.thalweg = thalweg;
        this.sent = sent;
        this.behindMs = behindMs;
        long everyMs = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, lasting.toMillis() / LOOKS));
        sampling = new FutureTask<>(() -> sample(everyMs));
        Thread thread = new Thread(sampling, "vitals");
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable Void sample(long everyMs) throws IOException, InterruptedException {
        long nextMs = System.currentTimeMillis();
        while (!over.await(nextMs - System.currentTimeMillis(), TimeUnit.MILLISECONDS)) {
            nextMs += everyMs;
            looks.add(look());
            if (looks.size() % LOOKS_PER_COLLECTION == 0) {
                thalweg.collect();
            }
        }
        return null;
    }

    private Look look() throws IOException, InterruptedException {
        long read = thalweg.server().metrics().sum("thalweg_events_total", "");
        return new Look(
                System.currentTimeMillis(),
                thalweg.process().cpuSeconds(),
                Math.max(0, sent.getAsLong() - read),
                Math.max(0, behindMs.getAsLong()),
                Meter.residentBytes(thalweg.process().pid()),
                bytesIn(thalweg.storeFolder().toFile()));
    }

    /** Returns the size of a folder; files that are deleted meanwhile count as empty. */
    private static long bytesIn(File file) {
        File[] inside = file.listFiles();
        return inside == null
                ? file.length()
                : Stream.of(inside).mapToLong(ProcessMonitor::bytesIn).sum();
    }

    /**
     * Stops sampling and returns the samples.
     *
     * @throws IllegalStateException if sampling failed
     */
    List<Look> end() throws InterruptedException {
        close();
        try {
            Void unused = sampling.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the run could not be watched on: " + e.getCause(), e);
        }
        return List.copyOf(looks);
    }

    @Override
    public void close() {
        over.countDown();
    }
}
