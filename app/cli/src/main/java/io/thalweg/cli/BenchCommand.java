package io.thalweg.cli;

import io.thalweg.runner.UserError;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code thalweg bench}, for the help only: the launcher starts benchmarks from their own class path. */
@Command(
        name = "bench",
        description =
                "Measures Thalweg, and others on the same load; in a clone only. Names: demand, advertising, qalm.",
        footer = {"", "Examples:", "  thalweg bench demand --help", "  thalweg bench demand --scale small"})
final class BenchCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "NAME", description = "A benchmark and its options.")
    @SuppressWarnings("UnusedVariable") // picocli fills it, the launcher has read it
    private List<String> arguments = List.of();

    @Override
    public Integer call() {
        throw UserError.usage("benchmarks are not on this class path", "in a clone: ./thalweg bench NAME");
    }
}
