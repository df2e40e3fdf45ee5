package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.serve.CapacityRun;
import io.thalweg.bench.stores.StoreServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench serve}: how many reads a server answers, and how fast it answers under load. */
@Command(
        name = "serve",
        description =
                "How many reads of 100 keys a second and core thalweg serve answers within 10 ms, beside plain MGET.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench serve --rows 1000000",
            "  thalweg bench serve --under-load    while the demand pipeline runs at full size, in some 30 minutes"
        })
final class ServeCommand implements Callable<Integer> {
    private static final double UNDER_LOAD_READS = 200;

    @Mixin
    private final Report report = new Report();

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "rocksdb,redis,cassandra, the default.")
    private List<String> stores = StoreServer.ALL;

    @Option(names = "--rows", paramLabel = "N", description = "Rows written before; default 1000000.")
    private long rows = 1_000_000;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each load is measured; default 30.")
    private double seconds = 30;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "Seconds of each load before anything is measured, until it is compiled; default 40.")
    private double warmUp = 40;

    @Option(
            names = "--under-load",
            description =
                    "Instead: 200 reads of 100 keys a second by gRPC while the whole demand pipeline runs, above all while rows"
                            + " of a window end are written; some answers are compared with a recount.")
    private boolean underLoad;

    @Option(names = "--scale", paramLabel = "NAME", description = "With --under-load: small, medium or full (default).")
    private String scale = "full";

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--store", StoreServer.ALL, stores);
        return underLoad ? underLoad() : capacity();
    }

    private int underLoad() throws Exception {
        Load load = Load.of(scale);
        DemandRun run = new DemandRun(load, load.parallelism(), 1, false, null, UNDER_LOAD_READS);
        Contestant reads = new Contestant("thalweg", scale, () -> {
            DemandRun.Outcome outcome = run.run(report.progress());
            return Score.of(outcome.figures(), outcome.wrong());
        });
        Contest contest = Contest.run(List.of(reads), report.rounds(), report.progress());
        return report.end("serve-under-load", contest, Map.of());
    }

    private int capacity() throws Exception {
        CapacityRun run = new CapacityRun(rows, seconds, warmUp, report.rounds(), report.progress());
        Contest contest = StoreServer.each(stores, report.out()::println, run::run);
        return report.end("serve-capacity", contest, CapacityRun.ratios(contest.results()));
    }
}
