package io.thalweg.bench.harness;

import io.thalweg.bench.harness.Contest.Contestant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A measurement as a command, with the options that all measurements share. */
public abstract class Benchmark extends BenchCommand {
    /** The name of our own system in results. */
    protected static final String OWN = "thalweg";

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    @Option(
            names = "--rounds",
            description =
                    "Rounds, in each of which all systems take turns; figures are medians. Default 1; of qalm E4 5.")
    private @Nullable Integer rounds;

    private final long startNanos = System.nanoTime();
    private int measured = 1;

    /** Returns the progress, which is silent if requested. */
    protected final Progress progress() {
        return new Progress(commandLine().getErr(), quiet);
    }

    /** The requested number of rounds; {@code usual} by default. */
    protected final int rounds(int usual) {
        measured = rounds == null ? usual : rounds;
        requireAtLeastOne("--rounds", measured);
        return measured;
    }

    /** Lets contestants take turns for the requested number of rounds; one by default. */
    protected final Contest contest(List<Contestant> contestants) throws Exception {
        return Contest.run(contestants, rounds(1), progress());
    }

    /** Prints the results and writes them to the requested file. Returns the command's exit code; a run without results fails. */
    protected final int end(String benchmark, Contest found, Map<String, Double> ratios) throws IOException {
        double roundSeconds = (System.nanoTime() - startNanos) / 1e9 / measured;
        out().println(benchmark + " at " + Clone.ofLauncher().commit() + " on " + ResultFile.presentMachine());
        out().println(command());
        found.print(out(), ratios);
        if (found.results().isEmpty()) {
            return 1;
        }
        if (json != null) {
            ResultFile.of(benchmark, command(), roundSeconds, found, ratios).write(json);
        }
        return found.wrong().isEmpty() ? 0 : 1;
    }

    /** Returns the command that was typed, without the options for the output. */
    private String command() {
        List<String> words = new ArrayList<>(commandLine()
                .getCommandSpec()
                .root()
                .commandLine()
                .getParseResult()
                .originalArgs());
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
}
