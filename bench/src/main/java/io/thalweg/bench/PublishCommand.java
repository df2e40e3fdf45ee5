package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.publish.PublishRun;
import io.thalweg.bench.publish.StoreWays;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench publish}: rows from Kafka into a store, compared with simpler ways. */
@Command(
        name = "publish",
        description =
                "Rows of the demand view from Kafka into Redis: thalweg publish, a call per row, pipelined calls.",
        footer = {"", "Example:", "  thalweg bench publish --rows 3000000"})
final class PublishCommand implements Callable<Integer> {
    @Mixin
    private final Report report = new Report();

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Default 3000000; ways with a row per call write a tenth.")
    private long rows = 3_000_000;

    @Option(
            names = "--batch",
            split = ",",
            paramLabel = "N",
            description = "Rows of a write of thalweg publish at most; default 1,50,100,200,5000.")
    private List<Integer> batches = List.of(1, 50, 100, 200, 5_000);

    @Option(names = "--parallelism", split = ",", paramLabel = "N", description = "Of thalweg publish; default 1,2,4.")
    private List<Integer> parallelisms = List.of(1, 2, 4);

    @Override
    public Integer call() throws Exception {
        PublishRun run = new PublishRun(rows, batches, parallelisms, report.rounds(), report.progress());
        Contest contest = StoreServer.each(
                List.of("redis"), report.out()::println, (redis, folder) -> run.run((RedisServer) redis));
        return report.end("publish", contest, StoreWays.ratios(contest.results()));
    }
}
