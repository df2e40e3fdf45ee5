package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.serve.FeastRun;
import io.thalweg.bench.serve.HistoryRun;
import io.thalweg.bench.serve.ServeRun;
import io.thalweg.devkit.FeastEnvironment;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench serve}: what a read takes. */
@Command(
        name = "serve",
        description = "Reads of 100 keys and of one through thalweg serve, uncached, at a steady rate.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench serve --rows 1000000",
            "  thalweg bench serve --feast         Feast's own feature server beside it",
            "  thalweg bench serve --under-load    while the demand pipeline runs at full size, in some 30 minutes",
            "  thalweg bench serve --history       reads as of a time, of partitions with thousands of rows"
        })
final class ServeCommand implements Callable<Integer> {
    private static final List<String> STORES = List.of("rocksdb", "redis", "cassandra");
    private static final double MANY_P99_MS = 10;
    private static final double ONE_P99_MS = 2;
    private static final double UNDER_LOAD_READS = 200;

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "rocksdb,redis,cassandra, the default.")
    private List<String> stores = STORES;

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
            names = "--feast",
            description =
                    "Also Feast's own feature server, as it comes from PyPI, and Thalweg's, asked the same in front of"
                            + " the same Redis; their values are compared.")
    private boolean feast;

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

    ServeCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        if (!STORES.containsAll(stores)) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--store must be of " + STORES + ", was " + stores);
        }
        if (underLoad) {
            return underLoad();
        }
        return history ? history() : loads();
    }

    private int underLoad() throws IOException, InterruptedException {
        Load load = Load.of(scale);
        DemandRun run = new DemandRun(
                load,
                1,
                DemandCommand.launcher(),
                "at_least_once",
                load.parallelism(),
                "lz4",
                List.of(load.javaOptions()),
                false,
                false,
                UNDER_LOAD_READS,
                load.cities(),
                1);
        DemandRun.Outcome outcome = run.run(report.progress());
        Results all = new Results(
                "serve-under-load",
                "thalweg bench serve --under-load --scale " + scale,
                List.of(new Result("thalweg", scale, outcome.figures())),
                Map.of(),
                outcome.wrong());
        report.print(all);
        Target.print(List.of(Target.atMost("burst_read_p99_ms", MANY_P99_MS)), all, report.out());
        return report.end(all);
    }

    private int history() throws IOException, InterruptedException {
        HistoryRun run = new HistoryRun(seconds, warmUp, DemandCommand.cassandraJars(), report.progress());
        List<Result> results = run.run(stores);
        String command = "thalweg bench serve --history --store %s --seconds %.0f --warm-up %.0f"
                .formatted(String.join(",", stores), seconds, warmUp);
        Results all = new Results("serve-history", command, results, run.ratios(), run.wrong());
        report.print(all);
        run.missing().forEach(report.out()::println);
        return results.isEmpty() ? 1 : report.end(all);
    }

    private int loads() throws IOException, InterruptedException {
        FeastRun beside = feast ? feastRun() : null;
        ServeRun run = new ServeRun(
                rows, seconds, warmUp, DemandCommand.launcher(), DemandCommand.cassandraJars(), report.progress());
        List<Result> results = new ArrayList<>(run.run(stores));
        String command = "thalweg bench serve%s --store %s --rows %d --seconds %.0f --warm-up %.0f"
                .formatted(feast ? " --feast" : "", String.join(",", stores), rows, seconds, warmUp);
        Map<String, Double> ratios = Map.of();
        String wrong = run.wrong();
        if (beside != null) {
            results.addAll(beside.run());
            ratios = beside.ratios();
            wrong = Stream.of(wrong, beside.wrong())
                    .filter(each -> !each.isEmpty())
                    .collect(Collectors.joining("; "));
        }
        Results all = new Results("serve", command, results, ratios, wrong);
        report.print(all);
        run.missing().forEach(report.out()::println);
        results.stream()
                .filter(result -> result.system().equals("thalweg"))
                .filter(result -> ServeRun.HOLDS.stream().anyMatch(result.variant()::startsWith))
                .forEach(this::judge);
        return results.isEmpty() ? 1 : report.end(all);
    }

    /** Feast is looked for before anything is measured. */
    private FeastRun feastRun() throws IOException {
        report.progress().say("looking for Feast; to install it takes a minute or two");
        return new FeastRun(
                FeastEnvironment.installed(), rows, seconds, warmUp, DemandCommand.launcher(), report.progress());
    }

    private void judge(Result result) {
        boolean many = result.variant().contains("100 keys");
        Target target = Target.atMost("read_p99_ms", many ? MANY_P99_MS : ONE_P99_MS);
        report.out().print(result.variant() + ": ");
        Target.print(List.of(target), new Results("", "", List.of(result), Map.of(), ""), report.out());
    }
}
