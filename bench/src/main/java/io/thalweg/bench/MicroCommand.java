package io.thalweg.bench;

import io.thalweg.bench.harness.Micro;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Results;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg bench micro}: single steps, by JMH. */
@Command(
        name = "micro",
        description =
                "Single steps by JMH: TileFeatures, JsonDecoding, AdDecoding, RowsOut, NewTiles, Lane, KeyedPanes.",
        footer = {"", "Example:", "  thalweg bench micro TileFeatures --param load=dense --rounds 5"})
final class MicroCommand implements Callable<Integer> {
    @Mixin
    private final Report report;

    @Parameters(paramLabel = "NAME", description = "The beginning of a class, or a regular expression.")
    private String name = "";

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "Only this value of a parameter.")
    private Map<String, String> parameters = new TreeMap<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many processes run each benchmark, one after the other; default 1.")
    private int rounds = 1;

    MicroCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        report.requireAtLeastOne("--rounds", rounds);
        StringBuilder command = new StringBuilder("thalweg bench micro " + name);
        parameters.forEach((key, value) ->
                command.append(" --param ").append(key).append('=').append(value));
        command.append(" --rounds ").append(rounds);
        return report.end(
                new Results("micro", command.toString(), new Micro(name, parameters).measure(rounds), Map.of(), ""));
    }
}
