package io.thalweg.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What a figure of Thalweg's, or a ratio, should be. Speed never fails a run: a target is only said to be met or not.
 *
 * @param atLeast whether more is better
 */
record Target(String name, double bound, boolean atLeast) {
    static Target atLeast(String name, double bound) {
        return new Target(name, bound, true);
    }

    static Target atMost(String name, double bound) {
        return new Target(name, bound, false);
    }

    /** Prints a line for each target whose figure is there. */
    static void print(List<Target> targets, Results results, PrintWriter out) {
        for (Target target : targets) {
            results.results().stream()
                    .filter(result -> result.system().equals("thalweg"))
                    .map(result -> result.figures().get(target.name()))
                    .filter(java.util.Objects::nonNull)
                    .forEach(value -> out.println(target.verdict(value.doubleValue())));
            Double ratio = results.ratios().get(target.name());
            if (ratio != null) {
                out.println(target.verdict(ratio));
            }
        }
    }

    private String verdict(double value) {
        return String.format(
                Locale.ROOT,
                "target %s %s %s: %s, %s",
                name,
                atLeast ? "at least" : "at most",
                shown(bound),
                shown(value),
                (atLeast ? value >= bound : value <= bound) ? "met" : "not met");
    }

    private static String shown(double value) {
        return value >= 1e5
                ? String.format(Locale.ROOT, "%.1f M", value / 1e6)
                : String.format(Locale.ROOT, "%.2f", value);
    }
}
