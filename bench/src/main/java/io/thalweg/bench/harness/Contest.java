package io.thalweg.bench.harness;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Collectors;

/**
 * Contestants that do the same work in turn, round after round, so that drift of the machine does not favour any of them.
 *
 * @param results one for each contestant, with the medians of its rounds
 * @param wrong how rows differed, by contestant; empty if they did not
 */
public record Contest(List<Result> results, String wrong) {
    private static final String OWN = "thalweg";

    /** A way to do the work: a system on a variant of the load. */
    public record Contestant(String system, String variant, Callable<Score> work) {
        String name() {
            return variant.isEmpty() ? system : system + ", " + variant;
        }
    }

    public static Contest run(List<Contestant> contestants, int rounds, Progress progress) throws Exception {
        List<Result> measured = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            for (Contestant each : contestants) {
                progress.say((rounds == 1 ? "" : "round %d of %d: ".formatted(round, rounds)) + each.name());
                Score once = each.work().call();
                measured.add(new Result(each.system(), each.variant(), once.figures()));
                if (!once.difference().isEmpty()) {
                    wrong.add(each.name() + ": " + once.difference());
                }
            }
        }
        return new Contest(Result.medians(measured), String.join("; ", wrong));
    }

    /** Prints the results, ratios of their figures, and whether the run is valid. */
    void print(PrintWriter out, Map<String, Double> ratios) {
        for (Result result : results) {
            out.println(result.system() + " " + result.variant());
            int width = result.figures().keySet().stream()
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            result.figures()
                    .forEach((name, value) -> out.printf(
                            Locale.ROOT,
                            "  %-" + width + "s" + (value instanceof Long ? "%,20d" : "%,24.3f") + "%s%n",
                            name,
                            value,
                            result.range(name)));
        }
        ratios.forEach((name, ratio) -> out.printf(Locale.ROOT, "%s %.2f%n", name, ratio));
        out.println(wrong.isEmpty() ? "run: valid" : "run: NOT VALID: " + wrong);
    }

    /** Merges contests on different inputs. */
    public static Contest all(List<Contest> contests) {
        return new Contest(
                contests.stream().flatMap(each -> each.results.stream()).toList(),
                contests.stream()
                        .map(Contest::wrong)
                        .filter(each -> !each.isEmpty())
                        .collect(Collectors.joining("; ")));
    }

    /** Returns {@code thalweg_vs_<rival>} of a cost: the rival's cost divided by Thalweg's, each at its best variant. */
    public static Map<String, Double> costRatios(List<Result> results, String cost) {
        return ratios(results, cost, Comparator.naturalOrder(), (own, other) -> other / own);
    }

    /** Returns {@code thalweg_vs_<rival>} of a rate: Thalweg's rate divided by the rival's, each at its best variant. */
    public static Map<String, Double> rateRatios(List<Result> results, String rate) {
        return ratios(results, rate, Comparator.reverseOrder(), (own, other) -> own / other);
    }

    private static Map<String, Double> ratios(
            List<Result> results, String figure, Comparator<Double> bestFirst, DoubleBinaryOperator ratio) {
        Map<String, Double> best = new LinkedHashMap<>();
        for (Result result : results) {
            Number value = result.figures().get(figure);
            if (value != null) {
                BinaryOperator<Double> better = BinaryOperator.minBy(bestFirst);
                best.merge(result.system(), value.doubleValue(), better);
            }
        }
        Map<String, Double> ratios = new LinkedHashMap<>();
        Double own = best.remove(OWN);
        if (own != null) {
            best.forEach((system, other) ->
                    ratios.put("thalweg_vs_" + system, Math.rint(ratio.applyAsDouble(own, other) * 100) / 100));
        }
        return ratios;
    }

    /**
     * The cost of one contestant's work, once.
     *
     * @param figures by names that end in their units
     * @param difference how its rows differ from the expected ones, or why it does not count; empty otherwise
     */
    public record Score(LinkedHashMap<String, Number> figures, String difference) {
        /** Copies the figures. */
        public static Score of(Map<String, ? extends Number> figures, String difference) {
            return new Score(new LinkedHashMap<>(figures), difference);
        }
    }
}
