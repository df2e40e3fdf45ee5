package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Figures;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.IntCountsHistogram;

/**
 * The outcomes of calls, by window and caller, and of all callers together. A call belongs to the windows in which it was due.
 *
 * <p><b>Units.</b> Microseconds from that time to the answer. <b>Threads.</b> Safe.
 */
final class Tally {
    /** All callers together. */
    static final String ALL = "all";

    /** How a call ended. */
    enum End {
        OK,
        /** The service refused it. */
        REFUSED,
        /** Its deadline passed or it was cancelled. */
        LATE,
        FAILED
    }

    private static final long MICROS_MAX = 120_000_000;

    /** Calls of a caller in a window. */
    private static final class Count {
        private final IntCountsHistogram ok = new IntCountsHistogram(MICROS_MAX, 3);
        private final IntCountsHistogram refused = new IntCountsHistogram(MICROS_MAX, 2);
        private final Map<End, Long> ends = new EnumMap<>(End.class);
        private long lostSentLate;

        private void ended(Call call) {
            ends.merge(call.end, 1L, Long::sum);
            lostSentLate += call.sentLate && call.end != End.OK ? 1 : 0;
            long micros = Math.min(MICROS_MAX, Math.max(0, call.micros));
            if (call.end == End.OK) {
                ok.recordValue(micros);
            } else if (call.end == End.REFUSED) {
                refused.recordValue(micros);
            }
        }

        private long count(End end) {
            return ends.getOrDefault(end, 0L);
        }

        private void addTo(Figures figures, String of) {
            long calls = ends.values().stream().mapToLong(Long::longValue).sum();
            figures.put(of + "calls", calls)
                    .put(of + "answered", count(End.OK))
                    .put(of + "refused", count(End.REFUSED))
                    .put(of + "late", count(End.LATE))
                    .put(of + "failed", count(End.FAILED))
                    .put(of + "p50_ms", ok.getValueAtPercentile(50) / 1e3)
                    .put(of + "p99_ms", ok.getValueAtPercentile(99) / 1e3)
                    .put(of + "p999_ms", ok.getValueAtPercentile(99.9) / 1e3)
                    .put(of + "max_ms", ok.getMaxValue() / 1e3)
                    .put(of + "refused_p99_ms", refused.getValueAtPercentile(99) / 1e3)
                    .put(of + "lost_sent_late", lostSentLate);
        }
    }

    /**
     * A call that has ended.
     *
     * @param due the second at which it should have been sent
     * @param sentLate whether the load sent it late: if it is lost, the service may not be the cause
     */
    record Call(String caller, double due, End end, long micros, boolean sentLate) {}

    private final Map<Experiment.Window, Map<String, Count>> counts = new LinkedHashMap<>();

    Tally(Experiment experiment) {
        for (Experiment.Window window : experiment.windows()) {
            Map<String, Count> callers = new LinkedHashMap<>();
            callers.put(ALL, new Count());
            experiment.streams().forEach(stream -> callers.put(stream.caller(), new Count()));
            counts.put(window, callers);
        }
    }

    synchronized void add(Call call) {
        counts.forEach((window, callers) -> {
            if (window.holds(call.due)) {
                for (String caller : List.of(ALL, call.caller)) {
                    Objects.requireNonNull(callers.get(caller)).ended(call);
                }
            }
        });
    }

    /** Returns {@code WINDOW_CALLER_calls} and so on. */
    synchronized Figures figures() {
        Figures figures = new Figures();
        counts.forEach((window, callers) -> callers.forEach(
                (caller, count) -> count.addTo(figures, window.name() + "_" + caller.replace('-', '_') + "_")));
        return figures;
    }
}
