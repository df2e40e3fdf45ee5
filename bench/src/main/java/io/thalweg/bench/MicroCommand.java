package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Micro;
import io.thalweg.bench.harness.Report;
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
        description = "Single steps by JMH: TileFeatures, JsonDecoding, RowsOut, Lane, KeyedPanes.",
        footer = {"", "Example:", "  thalweg bench micro KeyedPanes --param keys=100 --rounds 5"})
final class MicroCommand implements Callable<Integer> {
    @Mixin
    private final Report report = new Report();

    @Parameters(paramLabel = "NAME", description = "The beginning of a class, or a regular expression.")
    private String name = "";

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "Only this value of a parameter.")
    private Map<String, String> parameters = new TreeMap<>();

    @Override
    public Integer call() throws Exception {
        return report.end("micro", new Contest(new Micro(name, parameters).measure(report.rounds()), ""), Map.of());
    }
}
