package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.publish.MaterializeRun;
import io.thalweg.bench.publish.StoreWays;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench materialize}: a table into a store, compared with simpler ways. */
@Command(
        name = "materialize",
        description = "Rows of a table in Parquet into Redis: thalweg materialize, a call per row, pipelined calls.",
        footer = {"", "Example:", "  thalweg bench materialize --rows 3000000"})
final class MaterializeCommand implements Callable<Integer> {
    @Mixin
    private final Report report = new Report();

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Default 3000000; ways with a row per call write a tenth.")
    private long rows = 3_000_000;

    @Option(
            names = "--parallelism",
            split = ",",
            paramLabel = "N",
            description = "Of thalweg materialize; default 1,2.")
    private List<Integer> parallelisms = List.of(1, 2);

    @Override
    public Integer call() throws Exception {
        MaterializeRun run = new MaterializeRun(rows, parallelisms, report.rounds(), report.progress());
        Contest contest = StoreServer.each(
                List.of("redis"), report.out()::println, (redis, folder) -> run.run((RedisServer) redis, folder));
        return report.end("materialize", contest, StoreWays.ratios(contest.results()));
    }
}
