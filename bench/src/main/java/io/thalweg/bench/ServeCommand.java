package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.serve.CapacityRun;
import io.thalweg.bench.serve.FeastRun;
import io.thalweg.bench.serve.HistoryRun;
import io.thalweg.bench.serve.ServeRun;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.FeastEnvironment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench serve}: the cost of a read. */
@Command(
        name = "serve",
        description = "Reads of 100 keys and of one through thalweg serve, uncached, at a steady rate.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench serve --rows 1000000",
            "  thalweg bench serve --capacity      how many reads a second a core answers within 10 ms",
            "  thalweg bench serve --feast         Feast's own feature server beside it, in front of Redis",
            "  thalweg bench serve --under-load    while the demand pipeline runs at full size, in some 30 minutes",
            "  thalweg bench serve --history       reads as of a time, of partitions with thousands of rows"
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
            names = "--share",
            paramLabel = "N",
            description = "Share of the usual rates, above 0 to 1, for a machine that does not hold them; default 1.")
    private double share = 1;

    @Option(
            names = "--feast",
            description =
                    "Instead: Thalweg's server and Feast's own, as it comes from PyPI, asked the same in front of the"
                            + " same Redis; their values are compared.")
    private boolean feast;

    @Option(
            names = "--capacity",
            description =
                    "Instead: how many reads of 100 keys a second and core are answered within 10 ms, beside plain MGET.")
    private boolean capacity;

    @Option(
            names = "--history",
            description =
                    "Instead: reads as of a time by the stores' own calls, of partitions with 6000 rows,"
                            + " expired or not, and with a few. --seconds is for each of a store's six views, --warm-up for all.")
    private boolean history;

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
        if (!(share > 0 && share <= 1)) {
            throw report.refusal("--share must be above 0 and at most 1, was " + share);
        }
        if (Stream.of(feast, history, capacity, underLoad)
                        .filter(given -> given)
                        .count()
                > 1) {
            throw report.refusal("only one of --feast, --history, --capacity and --under-load can be given");
        }
        if (underLoad) {
            return underLoad();
        }
        if (history) {
            return history();
        }
        if (capacity) {
            return capacity();
        }
        return feast ? feast() : loads();
    }

    private int underLoad() throws Exception {
        io.thalweg.bench.demand.Load load = io.thalweg.bench.demand.Load.of(scale);
        DemandRun run = new DemandRun(load, load.parallelism(), 1, false, null, UNDER_LOAD_READS);
        Contestant reads = new Contestant("thalweg", scale, () -> {
            DemandRun.Outcome outcome = run.run(report.progress());
            return Score.of(outcome.figures(), outcome.wrong());
        });
        Contest contest = Contest.run(List.of(reads), report.rounds(), report.progress());
        return report.end("serve-under-load", contest, Map.of());
    }

    private int history() throws Exception {
        HistoryRun run = new HistoryRun(seconds, warmUp, report.progress());
        Contest contest = StoreServer.each(stores, report.out()::println, (store, folder) -> run.run(store));
        return report.end("serve-history", contest, run.ratios());
    }

    private int loads() throws Exception {
        ServeRun run = new ServeRun(rows, share, seconds, warmUp, report.rounds(), report.progress());
        return report.end("serve", StoreServer.each(stores, report.out()::println, run::run), Map.of());
    }

    private int capacity() throws Exception {
        CapacityRun run = new CapacityRun(rows, seconds, warmUp, report.rounds(), report.progress());
        Contest contest = StoreServer.each(stores, report.out()::println, run::run);
        return report.end("serve-capacity", contest, CapacityRun.ratios(contest.results()));
    }

    /** Checks that Feast is installed before anything is measured. */
    private int feast() throws Exception {
        report.progress().say("looking for Feast; to install it takes a minute or two");
        FeastRun run =
                new FeastRun(FeastEnvironment.installed(), rows, seconds, warmUp, report.rounds(), report.progress());
        Contest contest = StoreServer.each(List.of("redis"), report.out()::println, run::run);
        return report.end("serve-feast", contest, FeastRun.ratios(contest.results()));
    }
}
