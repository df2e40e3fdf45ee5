package io.thalweg.bench.harness;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where a measurement reports its results, with the options and checks that commands share. */
public final class Report {
    private final PrintWriter out;
    private final PrintWriter err;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    /** Of a command that prints to these. */
    public Report(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    /** Reports progress unless that was asked not to. */
    public Progress progress() {
        return new Progress(err, quiet);
    }

    /** For lines beside the results. */
    public PrintWriter out() {
        return out;
    }

    /** Prints the results, and writes them to the file asked for; the command's exit code. */
    public int end(Results results) throws IOException {
        results.print(out);
        return write(results);
    }

    /** The same for results that the command has printed in its own way. A run without results fails. */
    public int write(Results results) throws IOException {
        if (results.results().isEmpty()) {
            return 1;
        }
        if (json != null) {
            results.write(json);
        }
        return results.wrong().isEmpty() ? 0 : 1;
    }

    /** Refuses values that an option does not have. */
    public void requireOneOf(String option, List<String> possible, List<String> values) {
        if (!possible.containsAll(values)) {
            throw refusal(
                    option + " must be one of " + String.join(", ", possible) + ", was " + String.join(", ", values));
        }
    }

    /** Refuses a number below one. */
    public void requireAtLeastOne(String option, long value) {
        if (value < 1) {
            throw refusal(option + " must be at least 1, was " + value);
        }
    }

    /** Why the command does not run. */
    public ParameterException refusal(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }
}
