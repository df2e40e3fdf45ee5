package io.thalweg.bench.qalm;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
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

    /** Calls of a span of time. */
    static final class Span {
        private final IntCountsHistogram ok;
        private final IntCountsHistogram refused;
        private final Map<End, Long> ends = new EnumMap<>(End.class);
        private long attempts;
        private long sentLate;

        Span(int digits) {
            ok = new IntCountsHistogram(MICROS_MAX, digits);
            refused = new IntCountsHistogram(MICROS_MAX, 2);
        }

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

        String line() {
            return String.format(
                    Locale.ROOT,
                    "%d %d %d %d %d %d %d %d %d %d %d",
                    attempts,
                    count(End.OK),
                    count(End.REFUSED),
                    count(End.LATE),
                    count(End.FAILED),
                    ok.getValueAtPercentile(50),
                    ok.getValueAtPercentile(99),
                    ok.getValueAtPercentile(99.9),
                    ok.getMaxValue(),
                    refused.getValueAtPercentile(99),
                    sentLate);
        }
    }

    private static final long MICROS_MAX = 120_000_000;
    private static final int STEPS_MAX = 240;

    private final List<Experiment.Window> windows;
    private final List<Span> inWindows = new ArrayList<>();
    private final List<Span> steps = new ArrayList<>();
    private final int stepSeconds;

    Tally(Experiment experiment) {
        windows = experiment.windows();
        windows.forEach(window -> inWindows.add(new Span(3)));
        stepSeconds = stepSeconds(experiment);
        for (int at = 0; at < experiment.seconds(); at += stepSeconds) {
            steps.add(new Span(2));
        }
    }

    /** How long the steps of the course are. */
    static int stepSeconds(Experiment experiment) {
        return Math.max(1, (experiment.seconds() + STEPS_MAX - 1) / STEPS_MAX);
    }

    /** A call that should have been sent at {@code second} has ended, after so many tries. */
    synchronized void ended(double second, End end, long micros, int tries) {
        long latency = Math.min(MICROS_MAX, Math.max(0, micros));
        for (int i = 0; i < windows.size(); i++) {
            if (windows.get(i).holds(second)) {
                inWindows.get(i).ended(end, latency, tries);
            }
        }
        int step = (int) Math.floor(second / stepSeconds);
        if (step >= 0 && step < steps.size()) {
            steps.get(step).ended(end, latency, tries);
        }
    }

    /** A call that was lost, and should have been sent at {@code second}, was sent late: that is not the service's doing. */
    synchronized void sentLate(double second) {
        for (int i = 0; i < windows.size(); i++) {
            if (windows.get(i).holds(second)) {
                inWindows.get(i).sentLate++;
            }
        }
    }

    /** {@code window NAME CALLER …} and {@code step SECOND CALLER …}. */
    synchronized List<String> lines(String caller) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < windows.size(); i++) {
            lines.add("window %s %s %s"
                    .formatted(windows.get(i).name(), caller, inWindows.get(i).line()));
        }
        for (int i = 0; i < steps.size(); i++) {
            lines.add("step %d %s %s"
                    .formatted(i * stepSeconds, caller, steps.get(i).line()));
        }
        return lines;
    }

    /** {@code lag P50 P99 MAX}, of how late calls were sent. */
    static String lag(Histogram micros) {
        return "lag %d %d %d"
                .formatted(micros.getValueAtPercentile(50), micros.getValueAtPercentile(99), micros.getMaxValue());
    }
}
