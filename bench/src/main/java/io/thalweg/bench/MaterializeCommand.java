package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.publish.TableLoads;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench materialize}: a table into a store, beside simpler ways to do that. */
@Command(
        name = "materialize",
        description = "Rows of a table in Parquet into Redis: thalweg materialize, a call per row, pipelined calls.",
        footer = {"", "Example:", "  thalweg bench materialize --rows 3000000"})
final class MaterializeCommand implements Callable<Integer> {
    @Mixin
    private final Report report;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Default 3000000; ways with a call per row write a thirtieth, 50000 at least.")
    private long rows = 3_000_000;

    @Option(names = "--parallelism", split = ",", paramLabel = "N", description = "Default 1,2.")
    private List<Integer> parallelisms = List.of(1, 2);

    MaterializeCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        Contest contest = new TableLoads(rows, parallelisms, report.rounds(), report.progress()).run();
        Map<String, Double> ratios = Contest.rateRatios(contest.results(), "rows_per_second");
        ratios.remove("thalweg_vs_read_only");
        return report.end("materialize", contest, ratios);
    }
}
