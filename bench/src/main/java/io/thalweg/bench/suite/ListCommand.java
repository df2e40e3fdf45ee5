package io.thalweg.bench.suite;

import io.thalweg.bench.harness.BenchCommand;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Figure;
import io.thalweg.bench.harness.ResultFile;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench list}: every scenario with its question, its last answer, and whether that is up to date. */
@Command(name = "list", description = "Every scenario, its question, its last result, and whether that is current.")
public final class ListCommand extends BenchCommand {
    @Option(names = "--markdown", description = "Print the page of all results instead, bench/results/README.md.")
    private boolean markdown;

    @Override
    public Integer call() throws IOException {
        Clone clone = Clone.ofLauncher();
        if (markdown) {
            out().print(ResultsPage.of(Scenarios.all(), clone.results()));
        } else {
            for (Scenario scenario : Scenarios.all()) {
                print(scenario, clone);
            }
        }
        return 0;
    }

    private void print(Scenario scenario, Clone clone) throws IOException {
        Optional<ResultFile> answer = ResultFile.find(scenario.file(clone.results()));
        String state = Freshness.of(scenario, clone.results(), clone).text();
        String age = answer.map(found -> ": commit %s, %s".formatted(found.commit(), found.date()))
                .orElse("");
        out().printf("%-20s %s%s%n  %s%n", scenario.name(), state, age, scenario.question());
        answer.ifPresent(found -> {
            scenario.figures()
                    .forEach(name -> Figure.byVariant(found.figures(name))
                            .forEach((variant, systems) -> out().printf(
                                            "  %s%s: %s%n",
                                            name,
                                            variant.isEmpty() ? "" : " (" + variant + ")",
                                            Figure.texts(systems))));
            scenario.verdicts(found).forEach(line -> out().println("  " + line));
        });
    }
}
