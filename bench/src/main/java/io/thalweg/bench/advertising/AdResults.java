package io.thalweg.bench.advertising;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Receives the rows of this process's job: it counts them and, if requested, writes them to Redis on a thread that takes all
 * available rows at once.
 *
 * <p><b>Threads.</b> Any thread may call {@link #add}.
 */
final class AdResults {
    private static final int WAITING_MOST = 1 << 16;
    private static final int BATCH = 512;
    private static volatile @Nullable Writer writer;

    private AdResults() {}

    /** Starts over; rows are also written to Redis if there is a port. */
    static void begin(int campaigns, int redisPort) throws IOException {
        AdCounts.OF_PROCESS.clear();
        AdLatency.OF_PROCESS.clear();
        writer = redisPort == 0 ? null : new Writer(campaigns, redisPort);
    }

    static void add(long campaign, long windowEndMs, long count) {
        AdCounts.OF_PROCESS.add(campaign, windowEndMs, count);
        Writer to = writer;
        if (to != null) {
            to.add(new AdStore.Row((int) campaign, windowEndMs, count));
        }
    }

    /** Returns when all rows are readable. */
    static void end() throws InterruptedException {
        Writer to = writer;
        if (to != null) {
            to.end();
        }
    }

    private static final class Writer {
        private static final AdStore.Row LAST = new AdStore.Row(-1, 0, 0);

        private final AdStore store;
        private final BlockingQueue<AdStore.Row> waiting = new ArrayBlockingQueue<>(WAITING_MOST);
        private final Thread thread = new Thread(this::write, "results");
        private volatile @Nullable Exception failure;

        Writer(int campaigns, int redisPort) throws IOException {
            store = new AdStore(redisPort);
            store.begin(campaigns);
            thread.start();
        }

        void add(AdStore.Row row) {
            try {
                while (!waiting.offer(row, 1, java.util.concurrent.TimeUnit.SECONDS)) {
                    requireAlive();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while rows waited for Redis", e);
            }
        }

        void end() throws InterruptedException {
            add(LAST);
            thread.join();
            requireAlive();
        }

        private void requireAlive() {
            Exception cause = failure;
            if (cause != null) {
                throw new IllegalStateException("rows could not be written to Redis", cause);
            }
        }

        private void write() {
            List<AdStore.Row> rows = new ArrayList<>();
            try (store) {
                while (true) {
                    rows.add(waiting.take());
                    waiting.drainTo(rows, BATCH - 1);
                    boolean last = rows.remove(LAST);
                    store.write(rows);
                    long now = System.nanoTime();
                    rows.forEach(row -> AdLatency.OF_PROCESS.readable(row.windowEndMs(), now));
                    rows.clear();
                    if (last) {
                        return;
                    }
                }
            } catch (IOException | InterruptedException e) {
                failure = e;
            }
        }
    }
}
