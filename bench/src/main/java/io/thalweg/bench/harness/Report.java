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

/** Where a measurement reports its results, with the options and checks that commands share. */
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

    /** Reports progress unless that was asked not to. */
    public Progress progress() {
        return new Progress(commandLine().getErr(), quiet);
    }

    /** For lines beside the results. */
    public PrintWriter out() {
        return commandLine().getOut();
    }

    /** How many rounds were asked for; one otherwise. */
    public int rounds() {
        return rounds(1);
    }

    /** How many rounds were asked for, or as many as usual. */
    public int rounds(int usual) {
        int all = rounds == null ? usual : rounds;
        requireAtLeastOne("--rounds", all);
        return all;
    }

    /** Prints the results, and writes them to the file asked for; the command's exit code. A run without results fails. */
    public int end(String benchmark, Contest found, Map<String, Double> ratios) throws IOException {
        Results results = new Results(benchmark, command(), found.results(), ratios, found.wrong());
        results.print(out());
        if (results.results().isEmpty()) {
            return 1;
        }
        if (json != null) {
            results.write(json);
        }
        return results.wrong().isEmpty() ? 0 : 1;
    }

    /** What was typed, without where results go. */
    private String command() {
        CommandLine root = commandLine().getCommandSpec().root().commandLine();
        List<String> words = new ArrayList<>(root.getParseResult().originalArgs());
        words.removeIf(word -> word.equals("--quiet") || word.startsWith("--json="));
        int file = words.indexOf("--json");
        if (file >= 0) {
            words.subList(file, file + 2).clear();
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

    /** Why the command does not run. */
    public ParameterException refusal(String message) {
        return new ParameterException(commandLine(), message);
    }
}
