package io.thalweg.bench.suite;

import io.thalweg.bench.harness.BenchCommand;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.ResultFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg bench run}: runs scenarios again and updates their answers. */
@Command(
        name = "run",
        description = "Runs scenarios of thalweg bench list, and writes their results to bench/results.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench run advertising-kafka --rounds 5",
            "  thalweg bench run demand-full --rounds 1 --add"
        })
public final class RunCommand extends BenchCommand {
    private final BiFunction<PrintWriter, PrintWriter, CommandLine> commands;

    @Parameters(arity = "1..*", paramLabel = "SCENARIO", description = "A name from thalweg bench list.")
    private List<String> names = List.of();

    @Option(names = "--rounds", description = "Instead of the scenario's number of rounds.")
    private @Nullable Integer rounds;

    @Option(
            names = "--add",
            description =
                    "Add the rounds to those of the kept result; for scenarios of one system, whose code has not changed.")
    private boolean add;

    @Option(names = "--out", paramLabel = "FOLDER", description = "Instead of bench/results.")
    private @Nullable Path folder;

    /** Creates a command; {@code commands} creates all commands, with their output and their errors. */
    public RunCommand(BiFunction<PrintWriter, PrintWriter, CommandLine> commands) {
        this.commands = commands;
    }

    @Override
    public Integer call() throws IOException {
        Path results = folder == null ? Clone.ofLauncher().results() : folder;
        List<Scenario> scenarios = names.stream().map(this::scenario).toList();
        if (add) { // before any of them is measured
            for (Scenario scenario : scenarios) {
                requireAddable(scenario, scenario.file(results));
            }
        }
        Files.createDirectories(results); // a result that cannot be written would waste the time of its measurement
        int worst = 0;
        for (Scenario scenario : scenarios) {
            worst = Math.max(worst, run(scenario, results));
        }
        return worst;
    }

    private Scenario scenario(String name) {
        return Scenarios.named(name)
                .orElseThrow(
                        () -> refusal("no scenario is called '" + name + "'; thalweg bench list prints their names"));
    }

    /** Measures into another file, so that a run that fails or whose rows differ leaves the kept result as it is. */
    private int run(Scenario scenario, Path results) throws IOException {
        PrintWriter err = commandLine().getErr();
        Path file = scenario.file(results);
        Path measured = Files.createTempFile(scenario.name(), ".json");
        int code = commands.apply(out(), err).execute(arguments(scenario, measured, results));
        if (Files.size(measured) == 0) {
            Files.delete(measured);
            err.println("nothing was measured, and %s is as it was".formatted(file));
            return Math.max(1, code);
        }
        ResultFile later = ResultFile.read(measured);
        if (!later.hasEqualResults() || (add && code != 0)) {
            err.println("%s is as it was; what was measured is in %s".formatted(file, measured));
            return Math.max(1, code);
        }
        Files.delete(measured);
        ResultFile answer = add ? ResultFile.read(file).plus(later) : later;
        answer.write(file);
        scenario.verdicts(answer).forEach(out()::println);
        return code;
    }

    private String[] arguments(Scenario scenario, Path measured, Path results) {
        List<String> arguments = new ArrayList<>(scenario.arguments());
        if (rounds != null) {
            int at = arguments.indexOf("--rounds");
            if (at >= 0) {
                arguments.subList(at, at + 2).clear();
            }
            arguments.addAll(List.of("--rounds", rounds.toString()));
        }
        if (arguments.contains("--hours")) {
            arguments.addAll(
                    List.of("--chart", results.resolve(scenario.name() + ".svg").toString()));
        }
        arguments.addAll(List.of("--json", measured.toString()));
        return arguments.toArray(String[]::new);
    }

    /** Requires a kept result that was measured with the present code on this kind of machine. */
    private void requireAddable(Scenario scenario, Path file) throws IOException {
        ResultFile kept = ResultFile.find(file)
                .orElseThrow(() -> refusal(
                        "scenario %s has no result to add rounds to; run it without --add".formatted(scenario.name())));
        Clone clone = Clone.ofLauncher();
        String why = clone.commit().endsWith("-dirty")
                ? "this clone has changes that are not committed"
                : clone.commitsSince(kept.commit(), scenario.sources()).orElse(1) > 0
                        ? "the code that it measures has changed since commit " + kept.commit()
                        : kept.refusal();
        if (!why.isEmpty()) {
            throw refusal(
                    "cannot add rounds to the result of %s: %s; run it without --add".formatted(scenario.name(), why));
        }
    }
}
