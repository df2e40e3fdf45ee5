package io.thalweg.bench.demand;

import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.ToLongFunction;

/**
 * When window ends were due by the schedule of the load, were passed by the generator's watermark, and became readable. All wall
 * times are epoch ms.
 *
 * <p><b>Threads.</b> Another thread than that of the rest may call {@link #passed}.
 */
final class WindowEnds {
    private final String view;
    private final long warmMs;
    private final double speed;
    private final NavigableMap<Long, Long> passedMs = new ConcurrentSkipListMap<>();
    private final NavigableMap<Long, Long> readableMs = new TreeMap<>();
    private long anchorMs;

    /**
     * Creates a record without window ends.
     *
     * @param view the qualified name of the view whose rows are read
     * @param warmMs event time at which the schedule begins
     * @param speed event time per wall time
     */
    WindowEnds(String view, long warmMs, double speed) {
        this.view = view;
        this.warmMs = warmMs;
        this.speed = speed;
    }

    /** Starts the schedule now; returns the start. */
    long start() {
        anchorMs = System.currentTimeMillis();
        return anchorMs;
    }

    /** Returns the schedule in the format of the generator, which sends no events after a limit of event time. */
    String schedule(long limitMs) {
        return "%d %d %s %d".formatted(anchorMs, warmMs, speed, limitMs);
    }

    /** Returns the event time of the schedule. */
    long eventMs(long atMs) {
        return warmMs + (long) ((atMs - anchorMs) * speed);
    }

    /** Returns when the watermark passes a window end by the schedule. */
    long dueMs(long windowEnd) {
        return anchorMs + (long) ((windowEnd + Generator.OUT_OF_ORDER_MS - warmMs) / speed);
    }

    /** Returns the last window end that is due before a moment. */
    long lastDue(long untilMs) {
        return Math.floorDiv(eventMs(untilMs) - Generator.OUT_OF_ORDER_MS - 1, Load.MINUTE_MS) * Load.MINUTE_MS;
    }

    /** Records that the generator's watermark passed a window end. */
    void passed(long windowEnd, long atMs) {
        passedMs.put(windowEnd, atMs);
    }

    /** Records which window ends have become readable; polls the server only while one is awaited. */
    void look(ThalwegServer server) throws InterruptedException {
        long lastReadable = readableMs.isEmpty() ? Long.MIN_VALUE : readableMs.lastKey();
        if (passedMs.higherKey(lastReadable) == null) {
            return;
        }
        long reached = server.watermarkMs(view);
        long now = System.currentTimeMillis();
        passedMs.headMap(reached, true).keySet().forEach(end -> readableMs.putIfAbsent(end, now));
    }

    boolean isReadable(long windowEnd) {
        return readableMs.containsKey(windowEnd);
    }

    /** Returns when a readable window end became readable. */
    long readableMs(long windowEnd) {
        return Objects.requireNonNull(readableMs.get(windowEnd));
    }

    /** Whether the generator passed a window end between two moments. */
    boolean hasPassed(long fromMs, long toMs) {
        return passedMs.values().stream().anyMatch(at -> at >= fromMs && at < toMs);
    }

    /**
     * Returns the window ends from the first that was due at a moment to the given last one, each with when the generator passed
     * it. If the generator was behind, that is later than the measured time.
     */
    NavigableMap<Long, Long> due(long fromMs, long lastEnd) {
        NavigableMap<Long, Long> due = new TreeMap<>(passedMs.headMap(lastEnd, true));
        due.keySet().removeIf(windowEnd -> dueMs(windowEnd) < fromMs);
        return due;
    }

    /** Returns the delays since the watermark was due to pass each window end, which include delays of the generator. */
    long[] sinceDue(NavigableMap<Long, Long> ends, ToLongFunction<Long> reachedMs) {
        return ends.keySet().stream()
                .mapToLong(end -> reachedMs.applyAsLong(end) - dueMs(end))
                .toArray();
    }

    /** Returns the delays since the watermark did pass each window end. */
    static long[] since(NavigableMap<Long, Long> ends, ToLongFunction<Long> reachedMs) {
        return ends.entrySet().stream()
                .mapToLong(end -> reachedMs.applyAsLong(end.getKey()) - end.getValue())
                .toArray();
    }
}
