package io.thalweg.bench;

import io.thalweg.bench.publish.PublishRun;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench publish}: rows from Kafka into a store, beside simpler ways to do that. */
@Command(
        name = "publish",
        description =
                "Rows of the demand view from Kafka into Redis or Cassandra: thalweg publish, a call per row, pipelined calls.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench publish --store redis --rows 1000000",
            "  thalweg bench publish --store cassandra --rows 200000"
        })
final class PublishCommand implements Callable<Integer> {
    private static final List<String> STORES = List.of("redis", "cassandra");

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--store", paramLabel = "NAME", description = "redis, the default, or cassandra.")
    private String store = "redis";

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Default 1000000; ways with a call per row write a tenth.")
    private long rows = 1_000_000;

    @Option(
            names = "--batch",
            split = ",",
            paramLabel = "N",
            description = "Rows of a write at most; default 1,50,100,200,5000.")
    private List<Integer> batches = List.of(1, 50, 100, 200, 5_000);

    @Option(names = "--parallelism", split = ",", paramLabel = "N", description = "Default 1,2,4.")
    private List<Integer> parallelisms = List.of(1, 2, 4);

    PublishCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        if (!STORES.contains(store)) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--store must be one of " + STORES + ", was " + store);
        }
        PublishRun run =
                new PublishRun(store, DemandCommand.cassandraJars(), rows, batches, parallelisms, report.progress());
        List<Result> results = run.run();
        Results all = new Results(
                "publish",
                "thalweg bench publish --store " + store + " --rows " + rows,
                results,
                ratios(results),
                run.wrong());
        report.print(all);
        return report.end(all);
    }

    /** Rates of Thalweg's best divided by the others'. */
    private static Map<String, Double> ratios(List<Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        double best = results.stream()
                .filter(result -> result.system().equals("thalweg"))
                .map(PublishCommand::rate)
                .max(Comparator.naturalOrder())
                .orElse(0.0);
        for (Result other : results) {
            if (!other.system().equals("thalweg")) {
                ratios.put("thalweg_vs_" + other.system(), Math.rint(best / rate(other) * 100) / 100);
            }
        }
        return ratios;
    }

    private static double rate(Result result) {
        return Objects.requireNonNull(result.figures().get("rows_per_second")).doubleValue();
    }
}
