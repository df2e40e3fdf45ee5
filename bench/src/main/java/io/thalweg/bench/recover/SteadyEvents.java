package io.thalweg.bench.recover;

import io.thalweg.bench.harness.TopicWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    private final Thread thread = new Thread(this::run, "steady-events");
    private volatile boolean running = true;
    private volatile @Nullable IOException failure;

    SteadyEvents(String bootstrap, String topic) {
        this.topic = new TopicWriter(bootstrap, topic);
        this.partitions = this.topic.partitions();
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (running) {
                long due = System.currentTimeMillis() - startMs;
                for (long event = sent.get(); event < due; event = sent.incrementAndGet()) {
                    String json = "{\"kind\":\"steady\",\"key\":%d,\"amount\":1,\"ts\":%d}"
                            .formatted(event % KEYS, BASE_MS + event);
                    topic.send(
                            (int) (event % partitions), BASE_MS + event, null, json.getBytes(StandardCharsets.UTF_8));
                }
                TimeUnit.MILLISECONDS.sleep(TICK_MS);
            }
            topic.flush();
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
        thread.join();
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    @Override
    public void close() throws IOException {
        running = false;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        topic.close();
    }
}
