package io.thalweg.bench;

import io.thalweg.bench.suite.Answer;
import io.thalweg.bench.suite.Clone;
import io.thalweg.bench.suite.Figure;
import io.thalweg.bench.suite.ResultsPage;
import io.thalweg.bench.suite.Scenario;
import io.thalweg.bench.suite.Scenarios;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench list}: every scenario with its question, its last answer, and whether that is up to date. */
@Command(name = "list", description = "Every scenario, its question, its last result, and whether that is current.")
final class ListCommand implements Callable<Integer> {
    private final PrintWriter out;

    @Option(names = "--markdown", description = "Print the page of all results instead, bench/results/README.md.")
    private boolean markdown;

    ListCommand(PrintWriter out) {
        this.out = out;
    }

    @Override
    public Integer call() throws IOException {
        Clone clone = Clone.ofLauncher();
        if (markdown) {
            out.print(ResultsPage.of(Scenarios.all(), clone.results()));
        } else {
            for (Scenario scenario : Scenarios.all()) {
                print(scenario, clone);
            }
        }
        return 0;
    }

    private void print(Scenario scenario, Clone clone) throws IOException {
        Answer answer = Answer.of(scenario, clone.results()).orElse(null);
        String state = Freshness.of(scenario, clone.results(), clone).text();
        String age = answer == null ? "" : ": commit %s, %s".formatted(answer.commit(), answer.date());
        out.printf("%-20s %s%s%n", scenario.name(), state, age);
        out.println("  " + scenario.question());
        if (answer != null) {
            scenario.figures().forEach(name -> print(name, answer.figures(name)));
            scenario.targets().forEach(target -> target.verdicts(answer).forEach(line -> out.println("  " + line)));
        }
    }

    /** Prints one variant of the load per line. */
    private void print(String name, List<Figure> figures) {
        Figure.byVariant(figures)
                .forEach((variant, systems) -> out.println(
                        "  " + name + (variant.isEmpty() ? "" : " (" + variant + ")") + ": " + Figure.texts(systems)));
    }
}
