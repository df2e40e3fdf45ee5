package io.thalweg.runner;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Compares the variants of a trial with its baseline.
 *
 * <p><b>Noise.</b> A variant differs from the baseline if their ranges do not overlap and their medians differ by {@link #LEAST} or more.
 * A variant that takes less CPU for the same number of events per second is better, too. A variant that read other numbers of events or
 * made other numbers of rows than the baseline is never recommended.
 */
final class TrialTable {
    private static final double LEAST = 0.05;

    private final TrialVariant baseline;
    private final Map<TrialVariant, List<TrialResult>> results = new LinkedHashMap<>();
    private final Map<TrialVariant, String> failures = new LinkedHashMap<>();

    /** Creates a table without results. */
    TrialTable(List<TrialVariant> variants) {
        baseline = variants.get(0);
        variants.forEach(variant -> results.put(variant, new ArrayList<>()));
    }

    /** How a variant compares with the baseline. */
    enum Verdict {
        BASELINE,
        FASTER,
        LESS_CPU,
        SAME,
        MORE_CPU,
        SLOWER,
        OTHER_ROWS,
        FAILED;

        /** Whether the variant is worth a change. */
        boolean isBetter() {
            return this == FASTER || this == LESS_CPU;
        }
    }

    /** The least, the median and the greatest of some values. */
    record Spread(double least, double median, double most) {
        static Spread of(List<TrialResult> results, ToDoubleFunction<TrialResult> value) {
            double[] sorted = results.stream().mapToDouble(value).sorted().toArray();
            int half = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
            return new Spread(sorted[0], median, sorted[sorted.length - 1]);
        }

        /** Returns the difference relative to the other's median; 0 within the noise. */
        double beyond(Spread other) {
            boolean apart = least > other.most || most < other.least;
            double change = median / other.median - 1;
            return apart && Math.abs(change) >= LEAST ? change : 0;
        }
    }

    void add(TrialVariant variant, TrialResult result) {
        results.getOrDefault(variant, new ArrayList<>()).add(result);
    }

    void fail(TrialVariant variant, String why) {
        failures.put(variant, why);
    }

    boolean hasFailed(TrialVariant variant) {
        return failures.containsKey(variant);
    }

    private List<TrialResult> of(TrialVariant variant) {
        return results.getOrDefault(variant, List.of());
    }

    Verdict verdict(TrialVariant variant) {
        if (variant.equals(baseline)) {
            return Verdict.BASELINE;
        }
        if (hasFailed(variant) || of(variant).isEmpty()) {
            return Verdict.FAILED;
        }
        if (!hasRowsOfBaseline(variant)) {
            return Verdict.OTHER_ROWS;
        }
        double speed = speed(variant);
        if (speed != 0) {
            return speed > 0 ? Verdict.FASTER : Verdict.SLOWER;
        }
        double cpu = cpu(variant);
        return cpu == 0 ? Verdict.SAME : cpu < 0 ? Verdict.LESS_CPU : Verdict.MORE_CPU;
    }

    private boolean hasRowsOfBaseline(TrialVariant variant) {
        TrialResult first = of(baseline).get(0);
        return of(variant).stream().allMatch(each -> each.events() == first.events() && each.rows() == first.rows());
    }

    private double speed(TrialVariant variant) {
        return Spread.of(of(variant), TrialResult::eventsPerSecond)
                .beyond(Spread.of(of(baseline), TrialResult::eventsPerSecond));
    }

    private double cpu(TrialVariant variant) {
        return Spread.of(of(variant), TrialResult::cpuPerMillion)
                .beyond(Spread.of(of(baseline), TrialResult::cpuPerMillion));
    }

    /** The variants that are better than the baseline, the fastest first; those that only take less CPU last. */
    List<TrialVariant> better() {
        return results.keySet().stream()
                .filter(variant -> verdict(variant).isBetter())
                .sorted(Comparator.comparingDouble((TrialVariant variant) -> -speed(variant))
                        .thenComparingDouble(this::cpu))
                .toList();
    }

    /** Describes by how much a better variant is better. */
    String gain(TrialVariant variant) {
        return verdict(variant) == Verdict.FASTER
                ? String.format(Locale.ROOT, "%+.0f %% events/s", 100 * speed(variant))
                : String.format(Locale.ROOT, "%+.0f %% CPU at the same speed", 100 * cpu(variant));
    }

    void print(PrintWriter out) {
        TextTable table = new TextTable(
                1,
                List.of(
                        "variant",
                        "events/s",
                        "least",
                        "most",
                        "against baseline",
                        "CPU s/M events",
                        "GC",
                        "checkpoints",
                        "longest",
                        "rows"));
        results.keySet().forEach(variant -> table.add(line(variant)));
        table.print(out, "");
        failures.forEach((variant, why) -> out.println("  %s: %s".formatted(variant.name(), why)));
    }

    private List<String> line(TrialVariant variant) {
        List<TrialResult> all = of(variant);
        if (hasFailed(variant) || all.isEmpty()) {
            return Arrays.asList(variant.name(), "-", "-", "-", text(Verdict.FAILED, variant), "-", "-", "-", "-", "-");
        }
        Spread speed = Spread.of(all, TrialResult::eventsPerSecond);
        long longest = all.stream().mapToLong(TrialResult::checkpointMs).max().orElse(0);
        return List.of(
                variant.name(),
                number(speed.median()),
                number(speed.least()),
                number(speed.most()),
                text(verdict(variant), variant),
                String.format(
                        Locale.ROOT,
                        "%.2f",
                        Spread.of(all, TrialResult::cpuPerMillion).median()),
                String.format(
                        Locale.ROOT,
                        "%.0f %%",
                        100 * Spread.of(all, TrialResult::gcShare).median()),
                number(Spread.of(all, TrialResult::checkpoints).median()),
                longest == 0 ? "-" : longest + " ms",
                rows(all));
    }

    private static String rows(List<TrialResult> all) {
        Spread rows = Spread.of(all, TrialResult::rows);
        return rows.least() == rows.most() ? number(rows.least()) : number(rows.least()) + " to " + number(rows.most());
    }

    private String text(Verdict verdict, TrialVariant variant) {
        return switch (verdict) {
            case BASELINE -> "";
            case FASTER, SLOWER -> String.format(Locale.ROOT, "%+.0f %%", 100 * speed(variant));
            case SAME -> "within noise";
            case LESS_CPU, MORE_CPU -> String.format(Locale.ROOT, "%+.0f %% CPU", 100 * cpu(variant));
            case OTHER_ROWS -> "other rows";
            case FAILED -> "failed";
        };
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
