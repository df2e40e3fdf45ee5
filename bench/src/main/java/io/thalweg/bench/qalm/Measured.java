package io.thalweg.bench.qalm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What one system did in one experiment.
 *
 * @param windows by the window's name, then by caller; {@code all} for all of them
 * @param courses step by step, by caller
 * @param lagP99Ms how late calls were sent
 * @param serverCores processor time of the service's process per second, in the first window
 * @param unanswered calls without a known outcome
 * @param disturbance what others took of the machine meanwhile
 */
public record Measured(
        String system,
        Map<String, Map<String, Span>> windows,
        Map<String, List<Step>> courses,
        double lagP99Ms,
        double serverCores,
        long unanswered,
        Disturbance disturbance) {
    /** All callers together. */
    public static final String ALL = "all";

    /**
     * Calls of a span of time.
     *
     * @param attempts tries, more than calls where callers try again
     * @param refused that the service did not want
     * @param late whose callers waited no longer
     * @param p50Ms of the calls that were answered, as all times
     * @param refusedP99Ms until callers heard that they were refused
     * @param sentLate of the calls that were not answered, those that were sent more than 5 ms late: the load's own fault
     */
    public record Span(
            long attempts,
            long ok,
            long refused,
            long late,
            long failed,
            double p50Ms,
            double p99Ms,
            double p999Ms,
            double maxMs,
            double refusedP99Ms,
            long sentLate) {
        public long calls() {
            return ok + refused + late + failed;
        }

        /** Those that were not answered. */
        public long lost() {
            return calls() - ok;
        }

        public double refusedPercent() {
            return 100.0 * refused / Math.max(1, calls());
        }
    }

    /**
     * The second in which others used the machine most.
     *
     * @param cores that other processes used, or the hypervisor gave to other machines
     */
    public record Disturbance(double cores, int second) {
        static final Disturbance NONE = new Disturbance(0, 0);
    }

    /** A point of the course. */
    public record Step(int second, Span span) {}

    /** Of a window, all callers together or one. */
    public Span span(String window, String caller) {
        return Objects.requireNonNull(
                Objects.requireNonNull(windows.get(window), window).get(caller), caller);
    }

    /** Put together from the lines of {@link LoadProcess}. */
    static final class Reader {
        private final Map<String, Map<String, Span>> windows = new LinkedHashMap<>();
        private final Map<String, List<Step>> courses = new LinkedHashMap<>();
        private double lagP99Ms = Double.NaN;
        private long unanswered;

        synchronized void line(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "window" ->
                    windows.computeIfAbsent(words[1], name -> new LinkedHashMap<>())
                            .put(words[2], span(words));
                case "step" ->
                    courses.computeIfAbsent(words[2], name -> new ArrayList<>())
                            .add(new Step(Integer.parseInt(words[1]), span(words)));
                case "lag" -> lagP99Ms = Long.parseLong(words[2]) / 1e3;
                case "unanswered" -> unanswered = Long.parseLong(words[1]);
                default -> {
                    // how far it is
                }
            }
        }

        private static Span span(String[] words) {
            long[] numbers = new long[words.length - 3];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Long.parseLong(words[i + 3]);
            }
            return new Span(
                    numbers[0],
                    numbers[1],
                    numbers[2],
                    numbers[3],
                    numbers[4],
                    numbers[5] / 1e3,
                    numbers[6] / 1e3,
                    numbers[7] / 1e3,
                    numbers[8] / 1e3,
                    numbers[9] / 1e3,
                    numbers[10]);
        }

        synchronized Measured measured(String system, double serverCores, Disturbance disturbance) {
            if (windows.isEmpty()) {
                throw new IllegalStateException("the load's process said nothing of what it measured");
            }
            return new Measured(system, windows, courses, lagP99Ms, serverCores, unanswered, disturbance);
        }
    }
}
