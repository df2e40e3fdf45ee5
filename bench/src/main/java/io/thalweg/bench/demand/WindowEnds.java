package io.thalweg.bench.demand;

import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.ToLongFunction;

/**
 * When window ends were due by the schedule of the load, were passed by the generator's watermark, and became readable. All times
 * by the clock are epoch ms.
 *
 * <p><b>Threads.</b> {@link #passed} may be called by another thread than the rest.
 */
final class WindowEnds {
    private final String view;
    private final long warmMs;
    private final double speed;
    private final NavigableMap<Long, Long> passedMs = new ConcurrentSkipListMap<>();
    private final NavigableMap<Long, Long> readableMs = new TreeMap<>();
    private long anchorMs;

    /**
     * Of no window end yet.
     *
     * @param view the qualified name of the view whose rows are read
     * @param warmMs event time at which the schedule begins
     * @param speed event time per time by the clock
     */
    WindowEnds(String view, long warmMs, double speed) {
        this.view = view;
        this.warmMs = warmMs;
        this.speed = speed;
    }

    /** Starts the schedule now; returns when that is. */
    long start() {
        anchorMs = System.currentTimeMillis();
        return anchorMs;
    }

    /** The schedule in the words of the generator, which sends no event that happens later than a limit. */
    String schedule(long limitMs) {
        return "%d %d %s %d".formatted(anchorMs, warmMs, speed, limitMs);
    }

    /** Event time by the schedule. */
    long eventMs(long atMs) {
        return warmMs + (long) ((atMs - anchorMs) * speed);
    }

    /** When the schedule has the watermark pass a window end. */
    long dueMs(long windowEnd) {
        return anchorMs + (long) ((windowEnd + Generator.OUT_OF_ORDER_MS - warmMs) / speed);
    }

    /** The last window end that is due before a moment. */
    long lastDue(long untilMs) {
        return Math.floorDiv(eventMs(untilMs) - Generator.OUT_OF_ORDER_MS - 1, Load.MINUTE_MS) * Load.MINUTE_MS;
    }

    /** Notes that the generator's watermark passed a window end. */
    void passed(long windowEnd, long atMs) {
        passedMs.put(windowEnd, atMs);
    }

    /** Notes which window ends have become readable; asks only while one is awaited. */
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

    /** When a window end that is readable became so. */
    long readableMs(long windowEnd) {
        return Objects.requireNonNull(readableMs.get(windowEnd));
    }

    /** Whether the generator passed a window end between two moments. */
    boolean hasPassed(long fromMs, long toMs) {
        return passedMs.values().stream().anyMatch(at -> at >= fromMs && at < toMs);
    }

    /**
     * The window ends from the first that was due at a moment to the given last one, with when the generator passed them. If it was behind,
     * this is later than the time that is measured.
     */
    NavigableMap<Long, Long> due(long fromMs, long lastEnd) {
        NavigableMap<Long, Long> due = new TreeMap<>(passedMs.headMap(lastEnd, true));
        due.keySet().removeIf(windowEnd -> dueMs(windowEnd) < fromMs);
        return due;
    }

    /** From when the watermark was due to pass each of these, so that delays of the generator are included. */
    long[] sinceDue(NavigableMap<Long, Long> ends, ToLongFunction<Long> reachedMs) {
        return ends.keySet().stream()
                .mapToLong(end -> reachedMs.applyAsLong(end) - dueMs(end))
                .toArray();
    }

    /** From when it did pass each of these. */
    static long[] since(NavigableMap<Long, Long> ends, ToLongFunction<Long> reachedMs) {
        return ends.entrySet().stream()
                .mapToLong(end -> reachedMs.applyAsLong(end.getKey()) - end.getValue())
                .toArray();
    }
}
