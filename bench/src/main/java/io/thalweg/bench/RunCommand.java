package io.thalweg.bench;

import io.thalweg.bench.harness.KeptRounds;
import io.thalweg.bench.suite.Answer;
import io.thalweg.bench.suite.Clone;
import io.thalweg.bench.suite.Scenario;
import io.thalweg.bench.suite.Scenarios;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
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
final class RunCommand implements Callable<Integer> {
    private final PrintWriter out;
    private final PrintWriter err;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "SCENARIO", description = "A name from thalweg bench list.")
    private List<String> names = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Instead of the scenario's number of rounds.")
    private @Nullable Integer rounds;

    @Option(
            names = "--add",
            description =
                    "Add the rounds to those of the kept result; for scenarios of one system, whose code has not changed.")
    private boolean add;

    @Option(names = "--out", paramLabel = "FOLDER", description = "Instead of bench/results.")
    private @Nullable Path folder;

    RunCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
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

    private ParameterException refusal(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }

    /** Measures into another file, so that a run that fails or whose rows differ leaves the kept result as it is. */
    private int run(Scenario scenario, Path results) throws IOException {
        Path file = scenario.file(results);
        Path measured = Files.createTempFile(scenario.name(), ".json");
        int code = Main.commandLine(out, err).execute(arguments(scenario, measured, results));
        if (Files.size(measured) == 0) {
            Files.delete(measured);
            err.println("nothing was measured, and %s is as it was".formatted(file));
            return Math.max(1, code);
        }
        KeptRounds later = KeptRounds.read(measured);
        if (!later.json().path("equal_results").asBoolean() || (add && code != 0)) {
            err.println("%s is as it was; what was measured is in %s".formatted(file, measured));
            return Math.max(1, code);
        }
        if (add) {
            KeptRounds.read(file).add(later, file);
        } else {
            Files.writeString(file, Files.readString(measured)); // not moved: temporary files are only for their owner
        }
        Files.delete(measured);
        Answer.of(scenario, results)
                .ifPresent(answer -> scenario.targets()
                        .forEach(target -> target.verdicts(answer).forEach(out::println)));
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
        if (!Files.exists(file)) {
            throw refusal(
                    "scenario %s has no result to add rounds to; run it without --add".formatted(scenario.name()));
        }
        KeptRounds kept = KeptRounds.read(file);
        Clone clone = Clone.ofLauncher();
        String commit = kept.json().path("commit").asText();
        String why = clone.commit().endsWith("-dirty")
                ? "this clone has changes that are not committed"
                : clone.commitsSince(commit, scenario.sources()).orElse(1) > 0
                        ? "the code that it measures has changed since commit " + commit
                        : kept.refusal();
        if (!why.isEmpty()) {
            throw refusal(
                    "cannot add rounds to the result of %s: %s; run it without --add".formatted(scenario.name(), why));
        }
    }
}
