package io.thalweg.bench.recover;

import io.thalweg.bench.harness.TopicWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sends an event of one of a few keys every millisecond, regardless of the job. Event time starts at the beginning of a past day
 * and advances with the clock.
 *
 * <p><b>Threads.</b> Sends on its own thread; any thread may query it.
 */
final class SteadyEvents implements AutoCloseable {
    /** 2026-01-01T00:00:00Z, so that windows of a day do not end for 24 hours. */
    static final long BASE_MS = 1_767_225_600_000L;

    static final int KEYS = 100;
    private static final long TICK_MS = 10;

    private final TopicWriter topic;
    private final int partitions;
    private final long startMs = System.currentTimeMillis();
    private final AtomicLong sent = new AtomicLong();
    private final FutureTask<Void> sending = new FutureTask<>(this::send);
    private volatile boolean running = true;

    SteadyEvents(String bootstrap, String name) {
        topic = new TopicWriter(bootstrap, name);
        partitions = topic.partitions();
        Thread thread = new Thread(sending, "steady-events");
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable Void send() throws IOException, InterruptedException {
        while (running) {
            long due = System.currentTimeMillis() - startMs;
            for (long event = sent.get(); event < due; event = sent.incrementAndGet()) {
                long timeMs = BASE_MS + event;
                String json = "{\"kind\":\"steady\",\"key\":%d,\"amount\":1,\"ts\":%d}".formatted(event % KEYS, timeMs);
                topic.send((int) (event % partitions), timeMs, null, json.getBytes(StandardCharsets.UTF_8));
            }
            TimeUnit.MILLISECONDS.sleep(TICK_MS);
        }
        topic.flush();
        return null;
    }

    /** Returns when the clock shows the event time, epoch ms. */
    long clockMs(long eventMs) {
        return eventMs - BASE_MS + startMs;
    }

    /** Returns the last window end whose rows follow from the events sent so far, epoch ms. */
    long lastEndMs(long slideMs, long disorderMs) {
        long lastMs = BASE_MS + count() - 2L * partitions - disorderMs;
        return Math.floorDiv(lastMs, slideMs) * slideMs;
    }

    /** The number of events sent. */
    long count() {
        return sent.get();
    }

    /** Returns the number of events sent in a span of event time. */
    long between(long fromMs, long toMs) {
        return before(toMs) - before(fromMs);
    }

    private long before(long eventMs) {
        return Math.max(0, Math.min(count(), eventMs - BASE_MS));
    }

    /** Stops sending, and returns when all events are acknowledged. */
    void stop() throws IOException, InterruptedException {
        running = false;
        try {
            Void unused = sending.get();
        } catch (ExecutionException e) {
            throw new IOException("the steady load ended: " + e.getCause(), e);
        }
    }

    @Override
    public void close() throws IOException {
        running = false;
        topic.close();
    }
}
