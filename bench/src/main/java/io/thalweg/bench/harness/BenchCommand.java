package io.thalweg.bench.harness;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command of {@code thalweg bench}, with the checks of options that commands share. */
public abstract class BenchCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    protected final CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }

    protected final PrintWriter out() {
        return commandLine().getOut();
    }

    /** Returns the error that prevents the command from running. */
    protected final ParameterException refusal(String message) {
        return new ParameterException(commandLine(), message);
    }

    /** Refuses values that an option does not have. */
    protected final void requireOneOf(String option, List<String> possible, List<String> values) {
        if (!possible.containsAll(values)) {
            throw refusal(
                    option + " must be one of " + String.join(", ", possible) + ", was " + String.join(", ", values));
        }
    }

    /** Refuses a number below one. */
    protected final void requireAtLeastOne(String option, long value) {
        if (value < 1) {
            throw refusal(option + " must be at least 1, was " + value);
        }
    }
}
