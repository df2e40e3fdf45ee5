package io.thalweg.bench.demand;

import io.thalweg.bench.demand.JobCheckpoints.Checkpoint;
import io.thalweg.bench.demand.ProcessMonitor.Look;
import io.thalweg.bench.soak.Series;
import io.thalweg.bench.soak.Series.Bound;
import io.thalweg.bench.soak.Series.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The series of a soak, from the samples of a run between two moments, and how far each figure may rise. */
final class SoakSeries {
    private static final Bound LATENCY_MS = new Bound(0.5, 500);
    private static final Bound DELAY_SECONDS = new Bound(0.5, 2);
    private static final Bound CORES = new Bound(0.25, 0.1);
    private static final Bound HEAP = new Bound(0.1, 32e6);
    /** More than the heap: code that is compiled late, and caches of the store that fill up. */
    private static final Bound RESIDENT = new Bound(0.2, 256e6);

    private static final Bound STATE = new Bound(0.1, 4e6);

    private final long fromMs;
    private final long toMs;
    private final List<Series> all = new ArrayList<>();

    SoakSeries(long fromMs, long toMs) {
        this.fromMs = fromMs;
        this.toMs = toMs;
    }

    List<Series> all() {
        return List.copyOf(all);
    }

    /**
     * Adds a latency per window end.
     *
     * @param passedMs when the watermark passed each
     */
    SoakSeries latency(String name, NavigableMap<Long, Long> passedMs, ToLongFunction<Long> reachedMs) {
        return add(
                name,
                LATENCY_MS,
                passedMs.entrySet(),
                end -> end.getValue(),
                end -> reachedMs.applyAsLong(end.getKey()) - end.getValue());
    }

    /** Adds the series of the samples under a load. */
    SoakSeries looks(List<Look> looks, Load load) {
        cores(looks, (long) (Load.MINUTE_MS / load.speed()));
        look("lag_seconds", DELAY_SECONDS, looks, look -> look.lagEvents() / (load.eventsPerSecond() * load.speed()));
        look("generator_behind_seconds", DELAY_SECONDS, looks, look -> look.behindMs() / 1_000.0 / load.speed());
        look("rss_bytes", RESIDENT, looks, Look::rssBytes);
        return look("store_bytes", null, looks, Look::storeBytes);
    }

    /** Averages over one window end each: most work is done when a window ends, and none between most samples. */
    private void cores(List<Look> looks, long paneMs) {
        NavigableMap<Long, Look> byTime = new TreeMap<>();
        looks.forEach(look -> byTime.put(look.atMs(), look));
        List<Look> later = looks.stream()
                .filter(look -> byTime.floorKey(look.atMs() - paneMs) != null)
                .toList();
        look(
                "cores",
                CORES,
                later,
                look -> cores(
                        Objects.requireNonNull(byTime.floorEntry(look.atMs() - paneMs))
                                .getValue(),
                        look));
    }

    private static double cores(Look from, Look to) {
        return 1e3 * (to.cpuSeconds() - from.cpuSeconds()) / (to.atMs() - from.atMs());
    }

    private SoakSeries look(String name, @Nullable Bound bound, List<Look> looks, ToDoubleFunction<Look> value) {
        return add(name, bound, looks, Look::atMs, value);
    }

    /** Adds the live bytes after requested collections, and the bytes after the others. */
    SoakSeries heap(GcLog log) {
        pauses("heap_live_bytes", HEAP, log, pause -> pause.asked() && pause.full());
        return pauses("heap_after_gc_bytes", null, log, pause -> !pause.asked());
    }

    private SoakSeries pauses(String name, @Nullable Bound bound, GcLog log, Predicate<GcLog.Pause> which) {
        List<GcLog.Pause> pauses = log.pauses().stream().filter(which).toList();
        return add(name, bound, pauses, GcLog.Pause::atMs, GcLog.Pause::heapAfterBytes);
    }

    SoakSeries checkpoints(List<Checkpoint> completed) {
        add("state_bytes", STATE, completed, Checkpoint::triggeredMs, Checkpoint::stateBytes);
        add("checkpoint_bytes", STATE, completed, Checkpoint::triggeredMs, Checkpoint::fileBytes);
        return add("checkpoint_ms", LATENCY_MS, completed, Checkpoint::triggeredMs, Checkpoint::durationMs);
    }

    private <T> SoakSeries add(
            String name, @Nullable Bound bound, Iterable<T> seen, ToLongFunction<T> atMs, ToDoubleFunction<T> value) {
        List<Point> points = new ArrayList<>();
        for (T each : seen) {
            long at = atMs.applyAsLong(each);
            if (at >= fromMs && at < toMs) {
                points.add(new Point((at - fromMs) / 1_000.0, value.applyAsDouble(each)));
            }
        }
        all.add(new Series(name, bound, points));
        return this;
    }
}
