package io.thalweg.bench;

import io.thalweg.bench.suite.Answer;
import io.thalweg.bench.suite.Clone;
import io.thalweg.bench.suite.Scenario;
import io.thalweg.bench.suite.Scenarios;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code thalweg bench run}: answers scenarios again. */
@Command(
        name = "run",
        description = "Runs scenarios of thalweg bench list, and writes their results to bench/results.",
        footer = {"", "Example:", "  thalweg bench run advertising-kafka --rounds 5"})
final class RunCommand implements Callable<Integer> {
    private final PrintWriter out;
    private final PrintWriter err;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "SCENARIO", description = "A name from thalweg bench list.")
    private List<String> names = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Instead of the scenario's number of rounds.")
    private @Nullable Integer rounds;

    @Option(names = "--out", paramLabel = "FOLDER", description = "Instead of bench/results.")
    private @Nullable Path folder;

    RunCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws IOException {
        List<Scenario> scenarios = names.stream().map(this::scenario).toList();
        int worst = 0;
        for (Scenario scenario : scenarios) {
            worst = Math.max(worst, run(scenario));
        }
        return worst;
    }

    private Scenario scenario(String name) {
        return Scenarios.named(name)
                .orElseThrow(() -> new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "no scenario is called '" + name + "'; thalweg bench list prints their names"));
    }

    private int run(Scenario scenario) throws IOException {
        Path results = folder == null ? Clone.ofLauncher().results() : folder;
        List<String> arguments = new ArrayList<>(scenario.arguments());
        if (rounds != null) {
            int at = arguments.indexOf("--rounds");
            if (at >= 0) {
                arguments.subList(at, at + 2).clear();
            }
            arguments.addAll(List.of("--rounds", rounds.toString()));
        }
        arguments.addAll(
                List.of("--json", results.resolve(scenario.name() + ".json").toString()));
        int code = Main.commandLine(out, err).execute(arguments.toArray(String[]::new));
        Answer.of(scenario, results)
                .ifPresent(answer -> scenario.targets()
                        .forEach(target -> target.verdicts(answer).forEach(out::println)));
        return code;
    }
}
