package io.thalweg.bench.suite;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The bound of a figure of Thalweg's, or of a ratio. Low speed never fails a run: a target is met or it is not.
 *
 * @param figure or ratio
 * @param variants of the load to which the target applies; it must be found in a variant's name
 * @param atLeast whether more is better
 */
public record Target(String figure, Pattern variants, double bound, boolean atLeast) {
    private static final String OWN = "thalweg";

    /** A lower bound. */
    public static Target atLeast(String figure, double bound) {
        return new Target(figure, Pattern.compile(""), bound, true);
    }

    /** An upper bound. */
    public static Target atMost(String figure, double bound) {
        return new Target(figure, Pattern.compile(""), bound, false);
    }

    /** The same for some variants of the load only. */
    public Target of(String variant) {
        return new Target(figure, Pattern.compile(variant), bound, atLeast);
    }

    /** A line for each figure of an answer to which the target applies. */
    public List<String> verdicts(Answer answer) {
        return answer.figures(figure).stream()
                .filter(each -> each.isRatio() || each.system().equals(OWN))
                .filter(each -> variants.matcher(each.variant()).find())
                .map(this::verdict)
                .toList();
    }

    private String verdict(Figure found) {
        return "%s: %s %s %s, was %s%s"
                .formatted(
                        (atLeast ? found.median() >= bound : found.median() <= bound) ? "met" : "NOT MET",
                        figure,
                        atLeast ? "at least" : "at most",
                        Figure.shown(bound),
                        Figure.shown(found.median()),
                        found.variant().isEmpty() ? "" : " (" + found.variant() + ")");
    }
}
