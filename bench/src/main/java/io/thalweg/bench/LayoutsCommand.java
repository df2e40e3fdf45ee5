package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.layouts.LayoutsRun;
import io.thalweg.bench.stores.StoreServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench layouts}: the cost of a row in each layout and store. */
@Command(
        name = "layouts",
        description =
                "The same rows of 54 features in Thalweg's layout, Feast's and plain ones, in Redis and Cassandra:"
                        + " bytes, rows a second, latency of reads.",
        footer = {"", "Example:", "  thalweg bench layouts --rows 200000"})
final class LayoutsCommand implements Callable<Integer> {
    @Mixin
    private final Report report = new Report();

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "redis,cassandra, the default.")
    private List<String> stores = StoreServer.SERVED;

    @Option(names = "--rows", paramLabel = "N", description = "Rows in a store; default 200000.")
    private long rows = 200_000;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each kind of read is measured; default 3.")
    private double seconds = 3;

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--store", StoreServer.SERVED, stores);
        LayoutsRun run = new LayoutsRun(rows, seconds, report.rounds(), report.progress());
        Contest contest = StoreServer.each(stores, report.out()::println, (store, folder) -> run.run(store));
        return report.end("layouts", contest, Map.of());
    }
}
