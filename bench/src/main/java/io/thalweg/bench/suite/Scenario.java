package io.thalweg.bench.suite;

import java.util.List;

/**
 * A question with the run that answers it. Its answer is the file {@code bench/results/NAME.json}.
 *
 * @param arguments of {@code thalweg bench}: the load, the systems and the number of rounds
 * @param figures that answer the question, the most important one first
 * @param targets of those figures, or of ratios
 * @param sources folders of the repository that the run measures; a change in them makes the answer old
 */
public record Scenario(
        String name,
        String question,
        List<String> arguments,
        List<String> figures,
        List<Target> targets,
        List<String> sources) {
    /** Copies the lists. */
    public Scenario {
        arguments = List.copyOf(arguments);
        figures = List.copyOf(figures);
        targets = List.copyOf(targets);
        sources = List.copyOf(sources);
    }

    /** What {@code thalweg bench} is called with, as a line. */
    public String command() {
        return String.join(" ", arguments);
    }
}
