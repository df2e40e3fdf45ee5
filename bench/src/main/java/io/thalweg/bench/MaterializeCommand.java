package io.thalweg.bench;

import io.thalweg.bench.publish.TableLoads;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        TableLoads loads = new TableLoads(rows, parallelisms, report.progress());
        List<Result> results = loads.run();
        Results all = new Results(
                "materialize", "thalweg bench materialize --rows " + rows, results, ratios(results), loads.wrong());
        report.print(all);
        Target.print(
                List.of(Target.atLeast("thalweg_vs_one_call_per_row", 12), Target.atLeast("thalweg_vs_replay", 0.8)),
                all,
                report.out());
        report.out()
                .println(
                        "redis-benchmark is not run: the replay sends the same calls, from memory and over one connection");
        return report.end(all);
    }

    /** Rates of Thalweg's best divided by the others'. */
    private static Map<String, Double> ratios(List<Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        double best = results.stream()
                .filter(result -> result.system().equals("thalweg"))
                .map(MaterializeCommand::rate)
                .max(Comparator.naturalOrder())
                .orElse(0.0);
        for (Result other : results) {
            if (!other.system().equals("thalweg") && !other.system().equals("read_only")) {
                ratios.put("thalweg_vs_" + other.system(), Math.rint(best / rate(other) * 100) / 100);
            }
        }
        return ratios;
    }

    private static double rate(Result result) {
        return Objects.requireNonNull(result.figures().get("rows_per_second")).doubleValue();
    }
}
