package io.thalweg.bench.advertising;

import io.thalweg.bench.advertising.AdSource.Feed;
import io.thalweg.bench.demand.Mix;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * Events of very many keys within one hour: first each key once, in order, then random keys without end. The limit on the events
 * drawn is the same for all readers of this process.
 *
 * @param keys the number of keys, numbered from 0
 */
record KeyLoad(int keys) implements Feed {
    static final long WINDOW_MS = 3_600_000;
    static final long WINDOW_END_MS = AdLoad.START_MS + WINDOW_MS;
    /**
     * The time of all events, because the cost of reading a time does not depend on the number of keys. It is also the watermark that
     * is sent after the first events of all keys.
     */
    static final long TIME_MS = AdLoad.START_MS + 1;

    private static final int MOST_READERS = 1024;
    /** The number of events that each reader of this process has drawn. */
    private static final AtomicLongArray DRAWN = new AtomicLongArray(MOST_READERS);

    private static volatile long allowed;
    private static volatile boolean closed;
    private static volatile CompletableFuture<Void> raised = new CompletableFuture<>();

    /** Lets readers draw all events before this one. */
    static void allow(long limit) {
        allowed = limit;
        wake();
    }

    /** Stops the readers and makes them report that the hour has ended. */
    static void close() {
        closed = true;
        allowed = 0;
        wake();
    }

    private static void wake() {
        CompletableFuture<Void> waiting = raised;
        raised = new CompletableFuture<>();
        waiting.complete(null);
    }

    /** The number of events drawn so far by all readers; exact once they have stopped. */
    static long drawn() {
        return LongStream.range(0, MOST_READERS)
                .map(reader -> DRAWN.get((int) reader))
                .sum();
    }

    @Override
    public long limit() {
        return allowed;
    }

    @Override
    public CompletableFuture<Void> more() {
        return raised;
    }

    @Override
    public long watermarkMs(long next) {
        return closed ? WINDOW_END_MS : next < keys ? AdLoad.START_MS : TIME_MS;
    }

    @Override
    public void countDrawn(int reader, int count) {
        DRAWN.addAndGet(reader, count);
    }

    int key(long event) {
        return event < keys ? (int) event : Mix.below(Mix.of(event), keys);
    }

    /** Returns the factor of a key's count in a digest. */
    static long weight(long key) {
        return Mix.of(key, WINDOW_MS);
    }

    /**
     * Returns the sum of the weights of the keys of all drawn events. It equals the sum of all counts times their keys' weights,
     * so it checks the counts without a second count that would need as much memory.
     */
    long digest(int readers) {
        long digest = 0;
        for (int reader = 0; reader < readers; reader++) {
            long drawn = DRAWN.get(reader);
            for (long i = 0; i < drawn; i++) {
                digest += weight(key(reader + i * readers));
            }
        }
        return digest;
    }
}
