package io.thalweg.bench.suite;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Bounds of a figure, or of a ratio. A target is met or not met; a missed one does not fail a run.
 *
 * @param figure or ratio
 * @param system of the figure; a ratio has none
 * @param variants of the load to which the target applies; it must be found in a variant's name
 * @param least negative infinity = none
 * @param most infinity = none
 * @param everyRound whether each round must meet it, not only their median
 */
public record Target(String figure, String system, Pattern variants, double least, double most, boolean everyRound) {
    private static final String OWN = "thalweg";

    /** Creates a lower bound of Thalweg's figure, or of a ratio. */
    public static Target atLeast(String figure, double least) {
        return between(figure, least, Double.POSITIVE_INFINITY);
    }

    /** Creates an upper bound. */
    public static Target atMost(String figure, double most) {
        return between(figure, Double.NEGATIVE_INFINITY, most);
    }

    /** Creates a lower and an upper bound. */
    public static Target between(String figure, double least, double most) {
        return new Target(figure, OWN, Pattern.compile(""), least, most, false);
    }

    /** Returns a copy for some variants of the load only. */
    public Target of(String variant) {
        return new Target(figure, system, Pattern.compile(variant), least, most, everyRound);
    }

    /** Returns a copy for another system. */
    public Target by(String other) {
        return new Target(figure, other, variants, least, most, everyRound);
    }

    /** Returns a copy that each round must meet: the longest delay of five runs is not the median of their longest ones. */
    public Target inEveryRound() {
        return new Target(figure, system, variants, least, most, true);
    }

    /** Returns a line for each figure of an answer to which the target applies, or one that reports that there is none. */
    public List<String> verdicts(Answer answer) {
        List<Figure> found = answer.figures(figure).stream()
                .filter(each -> each.isRatio() || each.system().equals(system))
                .filter(each -> variants.matcher(each.variant()).find())
                .toList();
        return found.isEmpty()
                ? List.of("NOT MEASURED: " + rule())
                : found.stream().map(this::verdict).toList();
    }

    private String verdict(Figure found) {
        double lowest = everyRound ? found.least() : found.median();
        double highest = everyRound ? found.most() : found.median();
        return "%s: %s, was %s%s"
                .formatted(
                        lowest >= least && highest <= most ? "met" : "NOT MET",
                        rule(),
                        Figure.shown(lowest >= least ? highest : lowest),
                        found.variant().isEmpty() ? "" : " (" + found.variant() + ")");
    }

    private String rule() {
        String bounds = Double.isInfinite(least)
                ? "at most " + Figure.shown(most)
                : Double.isInfinite(most)
                        ? "at least " + Figure.shown(least)
                        : "from %s to %s".formatted(Figure.shown(least), Figure.shown(most));
        return (system.equals(OWN) ? figure : figure + " of " + system) + " " + bounds
                + (everyRound ? " in every round" : "");
    }
}
