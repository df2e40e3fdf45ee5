package io.thalweg.bench.suite;

import io.thalweg.bench.harness.Figure;
import io.thalweg.bench.harness.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The page {@code bench/results/README.md}, generated from the result files. */
public final class ResultsPage {
    private static final String HEAD = """
            # Results

            The files here are the latest answers; older ones are in the history of this folder. This page is made of them:
            `./thalweg bench list --markdown > bench/results/README.md`. A run of `./thalweg bench run NAME` replaces a file,
            and `./thalweg bench list` reports whether the code that a file measures has changed since. What the figures mean,
            which of them to distrust, and which comparisons were withdrawn: [performance](../../docs/performance.md).

            **Range** is the least and the most of the rounds. Without rounds a figure is one run, and the rates of one system
            differ by up to a fifth from run to run.
            """;

    private ResultsPage() {}

    /** Returns the page for the files of a folder. */
    public static String of(List<Scenario> scenarios, Path results) throws IOException {
        StringBuilder page = new StringBuilder(HEAD);
        for (Scenario scenario : scenarios) {
            Optional<ResultFile> answer = ResultFile.find(scenario.file(results));
            page.append("\n## %s\n\n%s\n".formatted(scenario.name(), scenario.question()));
            page.append(answer.map(found -> section(scenario, found))
                    .orElse("\nNo result. `./thalweg bench %s`\n".formatted(scenario.command())));
        }
        return page.toString();
    }

    private static String section(Scenario scenario, ResultFile answer) {
        StringBuilder text = new StringBuilder("\n[%s.json](%s.json):\n".formatted(scenario.name(), scenario.name()));
        for (ResultFile run : answer.runs()) {
            text.append(
                    "\n- `./%s`, commit %s, %s, %s".formatted(run.command(), run.commit(), run.date(), run.machine()));
        }
        text.append("\n\n| figure | load | median (range) | rounds |\n|---|---|---|---|\n");
        for (String name : scenario.figures()) {
            Figure.byVariant(answer.figures(name))
                    .forEach((variant, figures) -> text.append("| %s | %s | %s | %d |\n"
                            .formatted(
                                    name,
                                    variant,
                                    Figure.texts(figures),
                                    figures.get(0).rounds())));
        }
        return text.toString();
    }
}
