package io.thalweg.bench;

import io.thalweg.bench.serve.ServeRun;
import java.io.PrintWriter;
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

/** {@code thalweg bench serve}: what a read takes. */
@Command(
        name = "serve",
        description = "Reads of 100 keys and of one through thalweg serve, uncached, at a steady rate.",
        footer = {"", "Example:", "  thalweg bench serve --rows 1000000"})
final class ServeCommand implements Callable<Integer> {
    private static final List<String> STORES = List.of("rocksdb", "redis");
    private static final double MANY_P99_MS = 10;
    private static final double ONE_P99_MS = 2;

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "rocksdb,redis, the default.")
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

    ServeCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        if (!STORES.containsAll(stores)) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--store must be of " + STORES + ", was " + stores);
        }
        ServeRun run = new ServeRun(rows, seconds, warmUp, DemandCommand.launcher(), report.progress());
        List<Result> results = run.run(stores);
        String command = "thalweg bench serve --store %s --rows %d --seconds %.0f"
                .formatted(String.join(",", stores), rows, seconds);
        Results all = new Results("serve", command, results, Map.of(), run.wrong());
        report.print(all);
        for (Result result : results) {
            boolean many = result.variant().contains("100 keys");
            Target target = Target.atMost("read_p99_ms", many ? MANY_P99_MS : ONE_P99_MS);
            report.out().print(result.variant() + ": ");
            Target.print(List.of(target), new Results("", "", List.of(result), Map.of(), ""), report.out());
        }
        return report.end(all);
    }
}
