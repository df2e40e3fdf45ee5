package io.thalweg.bench.harness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
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

    /** Runs all rounds. */
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
        Map<String, Double> best = results.stream()
                .filter(result -> result.figures().containsKey(figure))
                .collect(Collectors.groupingBy(
                        Result::system,
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), all -> best(all, figure, bestFirst))));
        Map<String, Double> ratios = new LinkedHashMap<>();
        Double own = best.remove(OWN);
        if (own != null) {
            best.forEach((system, other) ->
                    ratios.put("thalweg_vs_" + system, Math.rint(ratio.applyAsDouble(own, other) * 100) / 100));
        }
        return ratios;
    }

    private static double best(List<Result> results, String figure, Comparator<Double> bestFirst) {
        return results.stream()
                .map(result ->
                        Objects.requireNonNull(result.figures().get(figure)).doubleValue())
                .min(bestFirst)
                .orElseThrow();
    }
}
