package io.thalweg.bench.qalm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gate is met.
 *
 * @param gate what is asked for
 * @param found what was measured
 */
public record Verdict(String gate, String found, boolean met) {
    private static final double ANY = Double.POSITIVE_INFINITY;

    /**
     * What is asked of a run.
     *
     * @param least what its value must be at least
     * @param most what it may be at most
     * @param format of the value
     */
    private record Gate(String text, ToDoubleFunction<Measured> value, double least, double most, String format) {
        Verdict of(Measured run) {
            double found = value.applyAsDouble(run);
            return new Verdict(text, String.format(Locale.ROOT, format, found), found >= least && found <= most);
        }
    }

    /** One line. */
    public String line() {
        return (met ? "met      " : "NOT MET  ") + gate + ": " + found;
    }

    /** The gates of an experiment; those of systems that were not measured are left out. */
    public static List<Verdict> of(Experiment experiment, Map<String, Measured> measured) {
        List<Verdict> verdicts = new ArrayList<>();
        measured.values().forEach(run -> check(run, valid(run.system()), verdicts));
        check(measured.get("none"), none(experiment), verdicts);
        check(measured.get("thalweg"), ours(experiment), verdicts);
        return verdicts;
    }

    private static void check(@Nullable Measured run, List<Gate> gates, List<Verdict> verdicts) {
        if (run != null) {
            gates.forEach(gate -> verdicts.add(gate.of(run)));
        }
    }

    private static Gate atMost(String text, double most, String format, ToDoubleFunction<Measured> value) {
        return new Gate(text, value, -ANY, most, format);
    }

    private static Gate atLeast(String text, double least, String format, ToDoubleFunction<Measured> value) {
        return new Gate(text, value, least, ANY, format);
    }

    /** A run that the machine did not carry says nothing. */
    private static List<Gate> valid(String system) {
        return List.of(
                atMost(
                        system + ": the load is sent in time, p99 within 5 ms",
                        5,
                        "%.1f ms",
                        run -> run.calls().lagP99Ms()),
                atMost(
                        system + ": the service has processor time to spare, at most 0.9 cores",
                        0.9,
                        "%.2f cores",
                        Measured::serverCores),
                atMost(
                        system + ": others leave the machine alone, at most half a core in any second",
                        0.5,
                        "%.2f cores",
                        run -> run.disturbance().cores()));
    }

    private static List<Gate> none(Experiment experiment) {
        return switch (experiment.name()) {
            case "E1" ->
                List.of(atLeast(
                        "none: p99 of 20 s after 80 of 90 s",
                        20_000,
                        "%.0f ms",
                        run -> run.span("at_8_9", Measured.ALL).p99Ms()));
            case "E3" ->
                List.of(atLeast(
                        "none: apply times out",
                        90,
                        "%.1f %%",
                        run -> run.span("spikes", "checkout").lostPercent()));
            default -> List.of();
        };
    }

    private static List<Gate> ours(Experiment experiment) {
        Experiment.Window counted = experiment.windows().get(0);
        double seconds = counted.to() - counted.from();
        double capacity = experiment.capacityPerSecond();
        String window = counted.name();
        return switch (experiment.name()) {
            case "E1" ->
                List.of(
                        p99("p99 below 400 ms (stretch 130)", window, 400),
                        shed("20 % shed, ± 2", window, Measured.ALL, 18, 22),
                        noneLost("core"),
                        p99("p99 of the first second under control below 400 ms", "second_1", 400),
                        recovered());
            case "E2" ->
                List.of(
                        noneLost("document"),
                        shed("half of document-staging shed, ± 3", window, "document-staging", 47, 53),
                        recovered());
            case "E3" -> {
                long most = 2L * experiment.seconds() / 1_800;
                yield List.of(
                        atMost(
                                "apply: at most " + most + " calls lost (2 in half an hour)",
                                (double) most,
                                "%.0f",
                                run -> run.span("whole", "checkout").lost()),
                        atMost(
                                "of those, sent late by the load itself; reported only",
                                ANY,
                                "%.0f",
                                run -> run.span("whole", "checkout").sentLate()),
                        atMost(
                                "apply: p99 in the spikes at most 1.5 × the calm one",
                                1.5,
                                "%.2f ×",
                                run -> run.span("spikes", "checkout").p99Ms()
                                        / run.span("calm", "checkout").p99Ms()));
            }
            case "E5" ->
                List.of(
                        atLeast(
                                "98 % of the capacity are answered in time",
                                98,
                                "%.1f %%",
                                run -> 100 * run.span(window, Measured.ALL).ok() / seconds / capacity),
                        p99("p99 within the deadline", window, 1_000),
                        atLeast(
                                "what is refused pages an operator: critical_overflow",
                                1,
                                "%.0f",
                                run -> run.span(window, Measured.ALL).refused()));
            case "E6", "E7" -> List.of(noneLost("core"), recovered());
            case "E8" -> List.of(shed("0.2 % shed at most", window, Measured.ALL, 0, 0.2));
            case "E9" ->
                List.of(
                        noneLost("core"),
                        atMost(
                                "tries per call",
                                1.1,
                                "%.2f",
                                run -> run.span(window, Measured.ALL).triesPerCall()));
            case "E10" -> List.of(noneLost("core"), refused("nothing is shed before", "calm"), recovered());
            case "E11" ->
                List.of(atMost(
                        "light callers are shed at most a quarter as often as the heavy one",
                        0.25,
                        "%.3f",
                        run -> lightRefused(run, window)
                                / Math.max(1e-9, run.span(window, "heavy").refusedPercent())));
            case "E12" ->
                List.of(
                        atLeast("0.9 of the tasks that are possible succeed", 0.9, "%.3f", run -> {
                            Measured.Span all = run.span(window, Measured.ALL);
                            return all.ok() / Math.min(capacity / 2 * seconds, (double) all.calls());
                        }),
                        recovered());
            default -> List.of();
        };
    }

    private static double lightRefused(Measured run, String window) {
        return run.window(window).entrySet().stream()
                .filter(span -> span.getKey().startsWith("light-"))
                .mapToDouble(span -> span.getValue().refusedPercent())
                .max()
                .orElseThrow();
    }

    private static Gate p99(String text, String window, double mostMs) {
        return atMost(
                text, mostMs, "%.2f ms", run -> run.span(window, Measured.ALL).p99Ms());
    }

    private static Gate shed(String text, String window, String caller, double least, double most) {
        return new Gate(text, run -> run.span(window, caller).refusedPercent(), least, most, "%.3f %%");
    }

    private static Gate noneLost(String caller) {
        return atMost(
                "no call of " + caller + " lost",
                0,
                "%.0f",
                run -> run.calls().unanswered()
                        + run.calls().windows().keySet().stream()
                                .mapToLong(window -> run.span(window, caller).lost())
                                .sum());
    }

    private static Gate recovered() {
        return refused("nothing is shed once the load has gone", "after");
    }

    private static Gate refused(String text, String window) {
        return atMost(text, 0, "%.0f", run -> run.span(window, Measured.ALL).refused());
    }
}
