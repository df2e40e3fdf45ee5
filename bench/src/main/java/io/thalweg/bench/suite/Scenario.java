package io.thalweg.bench.suite;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /** Copies the lists. */
    public Scenario {
        arguments = List.copyOf(arguments);
        figures = List.copyOf(figures);
        targets = List.copyOf(targets);
        sources = List.copyOf(sources);
    }

    Scenario asks(String what) {
        return new Scenario(name, what, arguments, figures, targets, sources);
    }

    Scenario figures(String... names) {
        return new Scenario(name, question, arguments, List.of(names), targets, sources);
    }

    /** Adds figures that must not be above zero to the targets. */
    Scenario mustBeZero(String... names) {
        Stream<Target> more = Stream.of(names).map(each -> Target.atMost(each, 0));
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
        return new Scenario(
                name,
                question,
                arguments,
                figures,
                targets,
                Stream.concat(all, own).toList());
    }

    /** Returns the command line of {@code thalweg bench}. */
    public String command() {
        return String.join(" ", arguments);
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
}
