package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Results;
import io.thalweg.bench.layouts.LayoutsRun;
import io.thalweg.bench.stores.StoreServer;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench layouts}: what a row takes, in each layout and store. */
@Command(
        name = "layouts",
        description =
                "The same rows of 54 features in Thalweg's layout, Feast's and plain ones, in Redis and Cassandra:"
                        + " bytes, rows a second, latency of reads.",
        footer = {"", "Example:", "  thalweg bench layouts --rows 200000"})
final class LayoutsCommand implements Callable<Integer> {
    @Mixin
    private final Report report;

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "redis,cassandra, the default.")
    private List<String> stores = StoreServer.SERVED;

    @Option(names = "--rows", paramLabel = "N", description = "Rows in a store; default 200000.")
    private long rows = 200_000;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each kind of read is measured; default 3.")
    private double seconds = 3;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds, in each of which all are measured; default 1.")
    private int rounds = 1;

    LayoutsCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--store", StoreServer.SERVED, stores);
        report.requireAtLeastOne("--rounds", rounds);
        LayoutsRun run = new LayoutsRun(rows, seconds, rounds, report.progress());
        List<Contest> found = new ArrayList<>();
        List<String> missing = StoreServer.each(stores, (store, folder) -> found.add(run.run(store)));
        Contest all = Contest.all(found);
        String command = "thalweg bench layouts --store %s --rows %d --seconds %.0f --rounds %d"
                .formatted(String.join(",", stores), rows, seconds, rounds);
        missing.forEach(report.out()::println);
        return report.end(new Results("layouts", command, all.results(), Map.of(), all.wrong()));
    }
}
