package io.thalweg.devkit;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Feeds a simulated city into Kafka: riders to {@value #RIDER_TOPIC}, drivers to {@value #DRIVER_TOPIC}. A record's key is the
 * sender's UUID text, its timestamp the event time.
 *
 * <p><b>Threads.</b> {@link #backfill} and {@link #follow} are called by one thread; {@link #close} and {@link #failure} by any.
 *
 * <p><b>Errors.</b> A permanent refusal by the broker ends the feed: {@link #backfill} and {@link #close} throw it,
 * {@link #failure} reports it.
 */
public final class CityFeed implements AutoCloseable {
    /** The topic of riders' events. */
    public static final String RIDER_TOPIC = "rider-events";
    /** The topic of drivers' events. */
    public static final String DRIVER_TOPIC = "driver-events";
    /** The number of partitions of each topic. */
    public static final int PARTITIONS = 4;

    private static final List<String> PRODUCT_NAMES = List.of("Standard", "Comfort", "Pool", "XL", "Premium");

    private static final long SLICE_MS = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final CitySimulator city;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile long sent;
    private volatile boolean closing;
    private @Nullable Thread follower;

    /** Connects to a broker; the topics must exist, see {@link #createTopics}. */
    public CityFeed(CityConfig config, String bootstrap) {
        this(config, bootstrap, Map.of());
    }

    CityFeed(CityConfig config, String bootstrap, Map<String, String> more) {
        city = new CitySimulator(config);
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers", bootstrap,
                "client.id", "city-feed",
                "compression.type", "lz4",
                "linger.ms", "5",
                "batch.size", Integer.toString(256 << 10)));
        settings.putAll(more);
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Returns the names of the products, by their UUID text. */
    public static Map<String, String> productNames() {
        Map<String, String> names = new HashMap<>();
        List<String> products = CitySimulator.products();
        for (int i = 0; i < products.size(); i++) {
            names.put(products.get(i), PRODUCT_NAMES.get(i % PRODUCT_NAMES.size()));
        }
        return names;
    }

    /** Returns the city as GeoJSON: its edge, and the path of each wandering hot spot. */
    public static String geoJson(CityConfig config) {
        return new CityMap(config).geoJson();
    }

    /**
     * Creates both topics.
     *
     * @param retentionBytes how much each partition keeps, compressed; -1 keeps all. Time does not expire records here,
     *   because it is simulated
     */
    public static void createTopics(EmbeddedKafka kafka, long retentionBytes) {
        Map<String, String> config = retentionBytes < 0
                ? Map.of()
                : Map.of(
                        "retention.bytes",
                        Long.toString(retentionBytes),
                        "segment.bytes",
                        Long.toString(Math.max(1 << 20, retentionBytes / 8)));
        kafka.createTopic(RIDER_TOPIC, PARTITIONS, config);
        kafka.createTopic(DRIVER_TOPIC, PARTITIONS, config);
    }

    /**
     * Sends the events that arrive in [fromMs, toMs), epoch milliseconds, as fast as the broker accepts them, and returns when it
     * has stored all.
     *
     * @throws IllegalStateException if the broker refused an event
     */
    public void backfill(long fromMs, long toMs) {
        long from = fromMs;
        while (from < toMs && !closing && failure.get() == null) {
            long to = Math.min(toMs, from + SLICE_MS);
            send(from, to);
            from = to;
        }
        producer.flush();
        throwFailure();
    }

    /** Starts to send the events that arrive from {@code fromMs} on, when {@code clock} reaches their time, until closed. */
    public synchronized void follow(long fromMs, Clock clock) {
        if (follower != null) {
            throw new IllegalStateException("this feed follows a clock already; make another one");
        }
        Thread thread = new Thread(() -> run(fromMs, clock), "city-feed");
        thread.setDaemon(true);
        thread.start();
        follower = thread;
    }

    private void run(long fromMs, Clock clock) {
        long from = fromMs;
        while (!closing && failure.get() == null) {
            long now = Math.floorDiv(clock.millis(), CitySimulator.TICK_MS) * CitySimulator.TICK_MS;
            if (now <= from) {
                LockSupport.parkNanos(PAUSE_NANOS);
                continue;
            }
            long to = Math.min(now, from + SLICE_MS);
            send(from, to);
            from = to;
        }
    }

    private void send(long fromMs, long toMs) {
        try {
            city.riderEvents(fromMs, toMs, (timeMs, id, json) -> send(RIDER_TOPIC, timeMs, id, json));
            city.driverEvents(fromMs, toMs, (timeMs, id, json) -> send(DRIVER_TOPIC, timeMs, id, json));
        } catch (RuntimeException e) {
            // Closing interrupts a send that waits for the broker, which is not a failure.
            if (!closing) {
                failure.compareAndSet(null, e);
            }
        }
    }

    // Only the feeding thread counts, others read; the callback learns what the future would tell.
    @SuppressWarnings({"NonAtomicVolatileUpdate", "NonAtomicOperationOnVolatileField", "FutureReturnValueIgnored"})
    private void send(String topic, long timeMs, byte[] id, byte[] json) {
        // After a failure, the rest of a slice would wait for the broker event by event.
        if (closing || failure.get() != null) {
            return;
        }
        producer.send(new ProducerRecord<>(topic, null, timeMs, id, json), (metadata, error) -> {
            if (error != null && !closing) {
                failure.compareAndSet(null, error);
            }
        });
        sent++;
    }

    /** Returns the number of events passed to the Kafka client so far. */
    public long sent() {
        return sent;
    }

    /** The failure that ended the feed, or null. */
    public @Nullable Exception failure() {
        return failure.get();
    }

    private void throwFailure() {
        Exception cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("the city's events cannot be sent: " + cause.getMessage(), cause);
        }
    }

    /**
     * Stops within about a second and drops unsent events.
     *
     * @throws IllegalStateException if the feed had failed
     */
    @Override
    public synchronized void close() {
        closing = true;
        Thread thread = follower;
        if (thread != null) {
            LockSupport.unpark(thread);
            thread.interrupt();
            join(thread);
            follower = null;
        }
        producer.close(Duration.ofSeconds(1));
        throwFailure();
    }

    private static void join(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
