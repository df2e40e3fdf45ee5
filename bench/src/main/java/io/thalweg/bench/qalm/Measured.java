package io.thalweg.bench.qalm;

import java.util.Map;
import java.util.Objects;

/**
 * What one system did in one experiment.
 *
 * @param calls what became of them
 * @param serverCores processor time of the service's process per second, in the first window
 * @param disturbance what others took of the machine meanwhile
 */
public record Measured(String system, Calls calls, double serverCores, Disturbance disturbance) {
    /** All callers together. */
    public static final String ALL = "all";

    /**
     * What the load's process says of its calls.
     *
     * @param windows by the window's name, then by caller; {@code all} for all of them
     * @param lagP99Ms how late calls were sent
     * @param unanswered calls without a known outcome
     */
    public record Calls(Map<String, Map<String, Span>> windows, double lagP99Ms, long unanswered) {}

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
        /** All of them. */
        public long calls() {
            return ok + refused + late + failed;
        }

        /** Those that were not answered. */
        public long lost() {
            return calls() - ok;
        }

        double lostPercent() {
            return 100.0 * lost() / Math.max(1, calls());
        }

        double triesPerCall() {
            return (double) attempts / Math.max(1, calls());
        }

        /** Of all. */
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

    /** Of a window, by caller. */
    public Map<String, Span> window(String name) {
        return Objects.requireNonNull(calls.windows.get(name), name);
    }

    /** Of a window, all callers together or one. */
    public Span span(String window, String caller) {
        return Objects.requireNonNull(window(window).get(caller), caller);
    }
}
