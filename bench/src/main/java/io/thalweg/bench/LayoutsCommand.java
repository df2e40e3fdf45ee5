package io.thalweg.bench;

import io.thalweg.bench.layouts.LayoutsRun;
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

/** {@code thalweg bench layouts}: what a row takes, in each layout and store. */
@Command(
        name = "layouts",
        description =
                "The same rows of 54 features in Thalweg's layout, Feast's and plain ones, in Redis and Cassandra:"
                        + " bytes, rows a second, latency of reads.",
        footer = {"", "Example:", "  thalweg bench layouts --rows 200000"})
final class LayoutsCommand implements Callable<Integer> {
    private static final List<String> STORES = List.of("redis", "cassandra");

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "redis,cassandra, the default.")
    private List<String> stores = STORES;

    @Option(names = "--rows", paramLabel = "N", description = "Rows that stand in a store; default 200000.")
    private long rows = 200_000;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each kind of read is measured; default 3.")
    private double seconds = 3;

    LayoutsCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        if (!STORES.containsAll(stores)) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--store must be of " + STORES + ", was " + stores);
        }
        LayoutsRun run = new LayoutsRun(rows, seconds, report.progress());
        if (stores.contains("redis")) {
            run.redis();
        }
        String missing = stores.contains("cassandra") ? run.cassandra(DemandCommand.cassandraJars()) : "";
        String command = "thalweg bench layouts --store %s --rows %d --seconds %.0f"
                .formatted(String.join(",", stores), rows, seconds);
        Results all = new Results("layouts", command, run.results(), Map.of(), run.wrong());
        report.print(all);
        report.out()
                .println(
                        "published for its three layouts: 36.8, 43.6 and 132.6 TB, of other rows and copies: no ratio");
        if (!missing.isEmpty()) {
            report.out().println("cassandra is not measured: " + missing);
        }
        return run.results().isEmpty() ? 1 : report.end(all);
    }
}
