package io.thalweg.bench.suite;

import io.thalweg.bench.harness.Figure;
import io.thalweg.bench.harness.ResultFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A question with the run that answers it. Its answer is the file {@code bench/results/NAME.json}.
 *
 * @param arguments of {@code thalweg bench}: the load, the systems and the number of rounds
 * @param figures that answer the question, the most important one first
 * @param targets of those figures, or of ratios
 * @param sources folders of the repository that the run measures, as git matches paths, wherever a module is grouped; a change in them makes the answer outdated
 */
public record Scenario(
        String name,
        String question,
        List<String> arguments,
        List<String> figures,
        List<Target> targets,
        List<String> sources) {
    private static final Duration ASSUMED = Duration.ofMinutes(30);

    Scenario asks(String what) {
        return new Scenario(name, what, arguments, figures, targets, sources);
    }

    /** Sets the figures; names are separated by blanks. */
    Scenario figures(String names) {
        return new Scenario(name, question, arguments, List.of(names.split(" ", -1)), targets, sources);
    }

    /** Adds figures that must not be above zero to the targets; names are separated by blanks. */
    Scenario mustBeZero(String names) {
        Stream<Target> more = Stream.of(names.split(" ", -1)).map(each -> Target.atMost(each, 0));
        return targets(Stream.concat(targets.stream(), more).toArray(Target[]::new));
    }

    Scenario targets(Target... bounds) {
        return new Scenario(name, question, arguments, figures, List.of(bounds), sources);
    }

    /** Sets the sources: the main sources of modules, and folders or files of the benchmarks; names are separated by blanks. */
    Scenario measures(String modules, String suite) {
        Stream<String> own =
                Stream.of(suite.split(" ", -1)).map(place -> "bench/src/main/java/io/thalweg/bench/" + place);
        Stream<String> all = Stream.of(modules.split(" ", -1)).map(module -> ":(glob)**/" + module + "/src/main/**");
        List<String> folders = Stream.concat(all, own).toList();
        return new Scenario(name, question, arguments, figures, targets, folders);
    }

    /** Returns the command line of {@code thalweg bench}. */
    String command() {
        return String.join(" ", arguments);
    }

    /** Returns a line for each figure that a target bounds. */
    List<String> verdicts(ResultFile answer) {
        return targets.stream()
                .flatMap(target -> target.verdicts(answer).stream())
                .toList();
    }

    /** The file of its answer in a folder. */
    public Path file(Path results) {
        return results.resolve(name + ".json");
    }

    /** The number of rounds that its answer has. */
    public int rounds() {
        return option("--rounds").map(Integer::parseInt).orElse(1);
    }

    /** How long a round takes if none was measured: half an hour, and the hours of a soak. */
    public Duration assumedRound() {
        double hours = option("--hours").map(Double::parseDouble).orElse(0.0);
        return ASSUMED.plusSeconds((long) (hours * 3_600));
    }

    /** Whether a command is this scenario's, with any number of rounds. */
    public boolean isMeasuredBy(String command) {
        return withoutRounds(command).equals(withoutRounds("thalweg bench " + command()));
    }

    private static List<String> withoutRounds(String command) {
        List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        int at = words.indexOf("--rounds");
        if (at >= 0) {
            words.subList(at, Math.min(words.size(), at + 2)).clear();
        }
        return words;
    }

    private Optional<String> option(String option) {
        int at = arguments.indexOf(option);
        return at < 0 ? Optional.empty() : Optional.of(arguments.get(at + 1));
    }

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
    record Target(String figure, String system, Pattern variants, double least, double most, boolean everyRound) {
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
        public List<String> verdicts(ResultFile answer) {
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
}
