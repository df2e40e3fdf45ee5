package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.TopicWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process that sends the events. It reads its rate limit from its standard input, a line
 * {@code WALL_MS EVENT_MS SPEED LIMIT_MS} at a time: event time runs from {@code EVENT_MS}, which it shows at {@code WALL_MS}, at
 * {@code SPEED}, and stops at {@code LIMIT_MS}. It prints {@code sent EVENTS EVENT_MS} some times a second,
 * {@code passed WINDOW_END_MS WALL_MS} when each partition has been sent an event that moves its clock past a window's end, and
 * {@code sent …}, {@code done} when the last event is acknowledged. It exits at the end of its input.
 */
public final class Generator {
    /** The out-of-orderness that the view allows. */
    static final long OUT_OF_ORDER_MS = 10_000;

    static final Child.Program PROGRAM = Child.Program.of(Generator.class, "-Xmx512m", "-XX:+UseSerialGC");

    private static final long SAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The order for a generator.
     *
     * @param fromMs event time of the first tick
     * @param endMs event time after the last one
     * @param byRider whether all events of a rider are in one partition; otherwise partitions are random
     */
    record Order(
            Load load,
            long seed,
            String bootstrap,
            String topic,
            int partitions,
            long fromMs,
            long endMs,
            boolean byRider) {
        Cities cities() {
            return new Cities(load);
        }
    }

    /** The progress of event time. */
    private record RateLimit(long wallMs, long eventMs, double speed, long limitMs) {
        static RateLimit parse(String line) {
            String[] words = line.split(" ", -1);
            return new RateLimit(
                    Long.parseLong(words[0]),
                    Long.parseLong(words[1]),
                    Double.parseDouble(words[2]),
                    Long.parseLong(words[3]));
        }

        long reachedMs(long nowMs) {
            return Math.min(limitMs, eventMs + (long) ((nowMs - wallMs) * speed));
        }
    }

    private final SplittableRandom anyPartition = new SplittableRandom(1);
    private final RiderEvents events;
    private final EventText text;
    private final TopicWriter topic;
    private final long[] nextEnd;
    private final long endMs;
    private final boolean byRider;
    private volatile RateLimit pace = new RateLimit(0, Long.MIN_VALUE, 0, Long.MIN_VALUE);
    private volatile boolean running = true;
    private long sent;
    private long endsPassed = Long.MIN_VALUE;

    private Generator(Order order) {
        Cities cities = order.cities();
        events = new RiderEvents(order.load(), cities, order.seed());
        text = new EventText(events, cities, order.seed());
        topic = new TopicWriter(order.bootstrap(), order.topic());
        endMs = order.endMs();
        byRider = order.byRider();
        nextEnd = new long[order.partitions()];
        Arrays.fill(nextEnd, Math.floorDiv(order.fromMs(), Load.MINUTE_MS) + 1);
    }

    /** Runs until the end of its standard input; the argument is an {@link Order}. */
    public static void main(String[] args) throws IOException {
        Order order = Messages.read(args[0], Order.class);
        Generator generator = new Generator(order);
        Thread listener = new Thread(generator::listen, "pace");
        listener.setDaemon(true);
        listener.start();
        generator.run(order.fromMs());
    }

    private void listen() {
        try (BufferedReader in = Messages.input()) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                pace = RateLimit.parse(line);
            }
        } catch (IOException e) {
            // Also at the end of the input.
        }
        running = false;
    }

    private void run(long fromMs) throws IOException {
        Messages.say("ready");
        long tick = Math.floorDiv(fromMs, Load.TICK_MS);
        long lastTick = Math.floorDiv(endMs, Load.TICK_MS);
        long nextSay = System.nanoTime();
        while (running && tick < lastTick) {
            long reached = Math.floorDiv(pace.reachedMs(System.currentTimeMillis()), Load.TICK_MS);
            if (tick < reached) {
                send(tick++);
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            if (System.nanoTime() - nextSay >= 0) {
                nextSay += SAY_NANOS;
                Messages.say("sent " + sent + " " + tick * Load.TICK_MS);
            }
        }
        topic.flush();
        Messages.say("sent " + sent + " " + tick * Load.TICK_MS);
        Messages.say("done");
        while (running) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        topic.close();
    }

    private void send(long tick) throws IOException {
        int count = events.begin(tick);
        for (int e = 0; e < count; e++) {
            events.draw(tick, e, count);
            byte[] json = text.write();
            int partition = byRider ? (int) (events.rider() % nextEnd.length) : anyPartition.nextInt(nextEnd.length);
            topic.send(partition, events.timeMs(), text.key(), json);
            // The left side is the partition's clock once this event has been read.
            if (events.timeMs() - OUT_OF_ORDER_MS >= nextEnd[partition] * Load.MINUTE_MS) {
                passed(partition);
            }
        }
        sent += count;
    }

    private void passed(int partition) {
        nextEnd[partition] = Math.floorDiv(events.timeMs() - OUT_OF_ORDER_MS, Load.MINUTE_MS) + 1;
        long all = Arrays.stream(nextEnd).min().orElseThrow() - 1;
        if (all > endsPassed) {
            endsPassed = all;
            Messages.say("passed " + all * Load.MINUTE_MS + " " + System.currentTimeMillis());
        }
    }
}
