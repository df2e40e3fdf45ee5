package io.thalweg.bench.harness;

import com.google.common.math.Quantiles;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One system's figures on one variant of the load: the medians of its rounds.
 *
 * @param figures by name, which ends with the unit
 * @param rounds the values of figures that differ from round to round, in the order of the rounds; empty after one round
 */
public record Result(String system, String variant, Map<String, Number> figures, Map<String, List<Number>> rounds) {
    /** Creates the result of one round. */
    public Result(String system, String variant, Map<String, Number> figures) {
        this(system, variant, figures, Map.of());
    }

    /** Returns the medians of several rounds; the median of a figure is over the rounds that have it. */
    private static Result ofRounds(List<Result> all) {
        Result first = all.get(0);
        Map<String, Number> medians = new LinkedHashMap<>();
        Map<String, List<Number>> rounds = new LinkedHashMap<>();
        Set<String> names = new LinkedHashSet<>();
        all.forEach(round -> names.addAll(round.figures.keySet()));
        for (String name : names) {
            List<Number> values = all.stream()
                    .filter(round -> round.figures.containsKey(name))
                    .map(round -> round.figures.get(name))
                    .toList();
            boolean varies = values.stream().distinct().count() > 1;
            medians.put(name, varies ? Quantiles.median().compute(values) : values.get(0));
            if (varies) {
                rounds.put(name, values);
            }
        }
        return new Result(first.system, first.variant, medians, rounds);
    }

    /** Returns the medians per system and variant, in the order in which they were first measured. */
    static List<Result> medians(List<Result> rounds) {
        return rounds.stream()
                .collect(Collectors.groupingBy(
                        each -> List.of(each.system, each.variant), LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(Result::ofRounds)
                .toList();
    }

    /** Returns the least and the greatest value of a figure's rounds, for people; empty if it did not vary. */
    String range(String name) {
        DoubleSummaryStatistics all = rounds.getOrDefault(name, List.of()).stream()
                .mapToDouble(Number::doubleValue)
                .summaryStatistics();
        return all.getCount() == 0 ? "" : String.format(Locale.ROOT, "  (%,.3f to %,.3f)", all.getMin(), all.getMax());
    }
}
