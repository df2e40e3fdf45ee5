package io.thalweg.bench.qalm;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.IntCountsHistogram;

/**
 * What became of the calls of one caller, by the time when each should have been sent.
 *
 * <p><b>Units.</b> Microseconds from that time to the answer. <b>Threads.</b> Safe.
 */
final class Tally {
    /** How a call ended. */
    enum End {
        OK,
        /** The service did not want it. */
        REFUSED,
        /** The caller's patience ended. */
        LATE,
        FAILED
    }

    private static final long MICROS_MAX = 120_000_000;

    /** Calls of a window. */
    private static final class Count {
        private final IntCountsHistogram ok = new IntCountsHistogram(MICROS_MAX, 3);
        private final IntCountsHistogram refused = new IntCountsHistogram(MICROS_MAX, 2);
        private final Map<End, Long> ends = new EnumMap<>(End.class);
        private long attempts;
        private long sentLate;

        private void ended(End end, long micros, int tries) {
            ends.merge(end, 1L, Long::sum);
            attempts += tries;
            if (end == End.OK) {
                ok.recordValue(micros);
            } else if (end == End.REFUSED) {
                refused.recordValue(micros);
            }
        }

        private long count(End end) {
            return ends.getOrDefault(end, 0L);
        }

        private Measured.Span span() {
            return new Measured.Span(
                    attempts,
                    count(End.OK),
                    count(End.REFUSED),
                    count(End.LATE),
                    count(End.FAILED),
                    ok.getValueAtPercentile(50) / 1e3,
                    ok.getValueAtPercentile(99) / 1e3,
                    ok.getValueAtPercentile(99.9) / 1e3,
                    ok.getMaxValue() / 1e3,
                    refused.getValueAtPercentile(99) / 1e3,
                    sentLate);
        }
    }

    private final List<Experiment.Window> windows;
    private final List<Count> counts = new ArrayList<>();

    Tally(Experiment experiment) {
        windows = experiment.windows();
        windows.forEach(window -> counts.add(new Count()));
    }

    /** A call that should have been sent at {@code second} has ended, after so many tries. */
    synchronized void ended(double second, End end, long micros, int tries) {
        long latency = Math.min(MICROS_MAX, Math.max(0, micros));
        for (int i = 0; i < windows.size(); i++) {
            if (windows.get(i).holds(second)) {
                counts.get(i).ended(end, latency, tries);
            }
        }
    }

    /** A call that was lost, and should have been sent at {@code second}, was sent late: that is not the service's doing. */
    synchronized void sentLate(double second) {
        for (int i = 0; i < windows.size(); i++) {
            if (windows.get(i).holds(second)) {
                counts.get(i).sentLate++;
            }
        }
    }

    /** By the name of a window and of a caller, what some callers' tallies counted. */
    static Map<String, Map<String, Measured.Span>> spans(Map<String, Tally> byCaller) {
        Map<String, Map<String, Measured.Span>> spans = new LinkedHashMap<>();
        byCaller.forEach((caller, tally) -> tally.addTo(spans, caller));
        return spans;
    }

    private synchronized void addTo(Map<String, Map<String, Measured.Span>> spans, String caller) {
        for (int i = 0; i < windows.size(); i++) {
            spans.computeIfAbsent(windows.get(i).name(), name -> new LinkedHashMap<>())
                    .put(caller, counts.get(i).span());
        }
    }
}
