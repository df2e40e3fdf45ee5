package io.thalweg.bench.qalm;

import io.thalweg.bench.qalm.Measured.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gate is met.
 *
 * @param gate what is asked for
 * @param found what was measured
 */
public record Verdict(String gate, String found, boolean met) {
    private static final double LAG_MS_MAX = 5;
    private static final double CORES_MAX = 0.9;
    private static final double OTHERS_CORES_MAX = 0.5;
    private static final String OURS = "thalweg";

    /** One line. */
    public String line() {
        return (met ? "met      " : "NOT MET  ") + gate + ": " + found;
    }

    /** The gates of an experiment; those of systems that were not measured are left out. */
    public static List<Verdict> of(Experiment experiment, Map<String, Measured> measured) {
        Gates gates = new Gates(experiment);
        measured.values().forEach(gates::valid);
        Measured none = measured.get("none");
        if (none != null) {
            gates.none(none);
        }
        Measured ours = measured.get(OURS);
        if (ours != null) {
            gates.ours(ours);
        }
        return gates.verdicts;
    }

    private static final class Gates {
        final List<Verdict> verdicts = new ArrayList<>();
        private final Experiment experiment;
        private final String counted;

        Gates(Experiment experiment) {
            this.experiment = experiment;
            this.counted = experiment.windows().get(0).name();
        }

        /** A run that the machine did not carry says nothing. */
        void valid(Measured run) {
            check(
                    run.system() + ": the load is sent in time, p99 within 5 ms",
                    run.lagP99Ms() <= LAG_MS_MAX,
                    "%.1f ms",
                    run.lagP99Ms());
            check(
                    run.system() + ": the service has processor time to spare, at most 0.9 cores",
                    run.serverCores() <= CORES_MAX,
                    "%.2f cores",
                    run.serverCores());
            check(
                    run.system() + ": others leave the machine alone, at most half a core in any second",
                    run.disturbance().cores() <= OTHERS_CORES_MAX,
                    "%.2f cores at %d s",
                    run.disturbance().cores(),
                    run.disturbance().second());
        }

        void none(Measured none) {
            switch (experiment.name()) {
                case "E1" -> {
                    Span late = none.span("at_8_9", Measured.ALL);
                    check("none: p99 of 20 s after 80 of 90 s", late.p99Ms() >= 20_000, "%.1f s", late.p99Ms() / 1e3);
                }
                case "E3" -> {
                    Span apply = none.span("spikes", "checkout");
                    double lost = 100.0 * apply.lost() / Math.max(1, apply.calls());
                    check("none: apply times out", lost > 90, "%.1f %%", lost);
                }
                default -> {
                    // nothing is said about it
                }
            }
        }

        void ours(Measured ours) {
            Span all = ours.span(counted, Measured.ALL);
            switch (experiment.name()) {
                case "E1" -> {
                    below("p99 below 400 ms (stretch 130)", all.p99Ms(), 400, "ms");
                    near("20 % shed, ± 2", all.refusedPercent(), 20, 2);
                    noneLost("core", ours);
                    below("p99 of the first second under control below 400 ms", second1(ours), 400, "ms");
                    recovered(ours);
                }
                case "E2" -> {
                    noneLost("document", ours);
                    Span staging = ours.span(counted, "document-staging");
                    near("half of document-staging shed, ± 3", staging.refusedPercent(), 50, 3);
                    recovered(ours);
                }
                case "E3" -> {
                    Span apply = ours.span("whole", "checkout");
                    long most = 2L * experiment.seconds() / 1_800;
                    check(
                            "apply: at most " + most + " calls lost (2 in half an hour)",
                            apply.lost() <= most,
                            "%d: %d refused, %d too late; %d of them sent late",
                            apply.lost(),
                            apply.refused(),
                            apply.late() + apply.failed(),
                            apply.sentLate());
                    double calm = ours.span("calm", "checkout").p99Ms();
                    double spikes = ours.span("spikes", "checkout").p99Ms();
                    below("apply: p99 in the spikes at most 1.5 × the calm one", spikes / calm, 1.5, "×");
                }
                case "E5" -> {
                    Experiment.Window window = experiment.windows().get(0);
                    double perSecond = all.ok() / (window.to() - window.from());
                    check(
                            "98 % of the capacity are answered in time",
                            perSecond >= 0.98 * experiment.capacityPerSecond(),
                            "%.1f %%",
                            100 * perSecond / experiment.capacityPerSecond());
                    below("p99 within the deadline", all.p99Ms(), 1_000, "ms");
                    check(
                            "what is refused pages an operator: critical_overflow",
                            all.refused() > 0,
                            "%d",
                            all.refused());
                }
                case "E6", "E7" -> {
                    noneLost("core", ours);
                    recovered(ours);
                }
                case "E8" -> check("0.2 % shed at most", all.refusedPercent() < 0.2, "%.3f %%", all.refusedPercent());
                case "E9" -> {
                    noneLost("core", ours);
                    below("tries per call", (double) all.attempts() / Math.max(1, all.calls()), 1.1, "");
                }
                case "E10" -> {
                    noneLost("core", ours);
                    check(
                            "nothing is shed before",
                            ours.span("calm", Measured.ALL).refused() == 0,
                            "%d",
                            ours.span("calm", Measured.ALL).refused());
                    recovered(ours);
                }
                case "E11" -> {
                    double heavy = ours.span(counted, "heavy").refusedPercent();
                    double light = 0;
                    for (int i = 0; i < 4; i++) {
                        light = Math.max(light, ours.span(counted, "light-" + i).refusedPercent());
                    }
                    check(
                            "light callers are shed at most a quarter as often as the heavy one",
                            light <= heavy / 4,
                            "%.1f %% and %.1f %%",
                            light,
                            heavy);
                }
                case "E12" -> {
                    Experiment.Window window = experiment.windows().get(0);
                    double possible = experiment.capacityPerSecond() / 2 * (window.to() - window.from());
                    double part = all.ok() / Math.min(possible, (double) all.calls());
                    check("0.9 of the tasks that are possible succeed", part >= 0.9, "%.3f", part);
                    recovered(ours);
                }
                default -> {
                    // nothing is said about it
                }
            }
        }

        private static double second1(Measured ours) {
            return ours.span("second_1", Measured.ALL).p99Ms();
        }

        private void noneLost(String caller, Measured ours) {
            long lost = ours.windows().keySet().stream()
                    .mapToLong(window -> ours.span(window, caller).lost())
                    .sum();
            check(
                    "no call of " + caller + " lost",
                    lost == 0 && ours.unanswered() == 0,
                    "%d",
                    lost + ours.unanswered());
        }

        private void recovered(Measured ours) {
            long refused = ours.span("after", Measured.ALL).refused();
            check("nothing is shed once the load has gone", refused == 0, "%d", refused);
        }

        private void below(String gate, double value, double most, String unit) {
            check(gate, value <= most, "%.2f " + unit, value);
        }

        private void near(String gate, double percent, double wanted, double tolerance) {
            check(gate, Math.abs(percent - wanted) <= tolerance, "%.2f %%", percent);
        }

        private void check(String gate, boolean met, String format, @Nullable Object... values) {
            verdicts.add(
                    new Verdict(gate, String.format(Locale.ROOT, format, values).strip(), met));
        }
    }
}
