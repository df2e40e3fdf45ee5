package io.thalweg.bench.harness;

import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads a topic from the beginning, and continues as it grows, until it is closed.
 *
 * <p><b>Threads.</b> Reads on its own thread, which calls the taker; any thread may query it.
 */
public final class TopicTail implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(20);

    /** Receives the value of each record. If it throws, reading stops. */
    public interface Taker {
        /** Receives a value. */
        void take(byte[] value) throws IOException;
    }

    private final TopicReader records;
    private final Taker taker;
    private final String topic;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile @Nullable Throwable failure;

    /** Begins to read; the taker must be ready. */
    public TopicTail(String bootstrap, String topic, Taker taker) {
        this.taker = taker;
        this.topic = topic;
        records = TopicReader.ofBlocks(bootstrap, topic);
        thread = new Thread(this::run, "tail-" + topic);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try (records) {
            while (running) {
                for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
                    taker.take(record.value());
                }
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    /**
     * Checks that reading has not failed.
     *
     * @throws IllegalStateException if the topic could not be read, or the taker failed
     */
    public void requireReading() {
        Throwable ended = failure;
        if (ended != null) {
            throw new IllegalStateException(
                    "reading the topic %s failed: %s".formatted(topic, ended.getMessage()), ended);
        }
    }

    @Override
    public void close() {
        running = false;
        try {
            thread.join(2_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
