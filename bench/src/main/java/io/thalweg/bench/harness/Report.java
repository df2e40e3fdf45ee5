package io.thalweg.bench.harness;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reports the results of a measurement, with the options and checks that commands share. */
public final class Report {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Rounds, in each of which all systems take turns; figures are medians. Default 1; of qalm E4 5.")
    private @Nullable Integer rounds;

    private final long startNanos = System.nanoTime();
    private int measured = 1;

    /** Returns the progress, which is silent if requested. */
    public Progress progress() {
        return new Progress(commandLine().getErr(), quiet);
    }

    /** Returns the output for lines besides the results. */
    public PrintWriter out() {
        return commandLine().getOut();
    }

    /** The requested number of rounds; one by default. */
    public int rounds() {
        return rounds(1);
    }

    /** The requested number of rounds; {@code usual} by default. */
    public int rounds(int usual) {
        int all = rounds == null ? usual : rounds;
        requireAtLeastOne("--rounds", all);
        measured = all;
        return all;
    }

    /** Prints the results and writes them to the requested file. Returns the command's exit code; a run without results fails. */
    public int end(String benchmark, Contest found, Map<String, Double> ratios) throws IOException {
        double roundSeconds = (System.nanoTime() - startNanos) / 1e9 / measured;
        Results results = new Results(benchmark, command(), roundSeconds, found.results(), ratios, found.wrong());
        results.print(out());
        if (results.results().isEmpty()) {
            return 1;
        }
        if (json != null) {
            results.write(json);
        }
        return results.wrong().isEmpty() ? 0 : 1;
    }

    /** Returns the command that was typed, without the options for the output. */
    private String command() {
        CommandLine root = commandLine().getCommandSpec().root().commandLine();
        List<String> words = new ArrayList<>(root.getParseResult().originalArgs());
        words.remove("--quiet");
        for (String option : List.of("--json", "--chart")) {
            words.removeIf(word -> word.startsWith(option + "="));
            int file = words.indexOf(option);
            if (file >= 0) {
                words.subList(file, file + 2).clear();
            }
        }
        return "thalweg bench " + String.join(" ", words);
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

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }

    /** Returns the error that prevents the command from running. */
    public ParameterException refusal(String message) {
        return new ParameterException(commandLine(), message);
    }
}
