package io.thalweg.bench.micro;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Micro;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg bench micro}: single steps, by JMH. */
@Command(
        name = "micro",
        description = "Single steps by JMH: TileFeatures, JsonDecoding, RowsOut, Lane, KeyedPanes.",
        footer = {"", "Example:", "  thalweg bench micro KeyedPanes --param keys=100 --rounds 5"})
public final class MicroCommand extends Benchmark {
    @Parameters(paramLabel = "NAME", description = "The beginning of a class, or a regular expression.")
    private String name = "";

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "Only this value of a parameter.")
    private Map<String, String> parameters = new TreeMap<>();

    @Override
    public Integer call() throws Exception {
        return end("micro", new Contest(new Micro(name, parameters).measure(rounds(1)), ""), Map.of());
    }
}
