package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code thalweg tune SPEC --try}. */
public final class TryOptions {
    private static final int STANDARD_SAMPLE = 200_000;
    private static final int STANDARD_ROUNDS = 3;
    private static final int MOST_ROUNDS = 20;

    @Option(
            names = "--try",
            description = "Instead of observing: run a sample of the topic of a view or an ingest with other settings,"
                    + " and compare. Sinks and stores are not touched.")
    private boolean tries;

    @Option(names = "--publish", description = "With --try: try publish VIEW instead of run VIEW.")
    private boolean publish;

    @Option(
            names = "--sample",
            paramLabel = "N",
            description = "With --try: the newest records to run. Default: 200000.")
    private @Nullable Integer sample;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "With --try: records of this file (* for several) instead of the topic's.")
    private List<String> inputs = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "With --try: how often each variant runs. Default: 3.")
    private @Nullable Integer rounds;

    @Option(
            names = "--vary",
            paramLabel = "KEY=VALUE,…",
            description = "With --try: only these variants; KEY is parallelism, gc, heap, checkpoints, batch_rows,"
                    + " in_flight or target_latency. May be repeated.")
    private List<String> vary = List.of();

    @Option(names = "--parallelism", paramLabel = "N", description = "With --try: that of the baseline. Default: 1.")
    private @Nullable Integer parallelism;

    @Option(
            names = "--scratch-store",
            paramLabel = "URI",
            description =
                    "With --try: an empty Redis to write to, which is emptied again; redis://HOST:PORT[/DATABASE].")
    private @Nullable String scratchStore;

    /** Whether {@code --try} is given. */
    public boolean tries() {
        return tries;
    }

    /**
     * Requires that no other of these options is given.
     *
     * @throws UserError if one is
     */
    public void requireNone() {
        if (publish
                || sample != null
                || !inputs.isEmpty()
                || rounds != null
                || !vary.isEmpty()
                || parallelism != null
                || scratchStore != null) {
            throw UserError.usage(
                    "--publish, --sample, --input, --rounds, --vary, --parallelism and --scratch-store go with --try only",
                    "add --try, or leave them out");
        }
    }

    boolean publish() {
        return publish;
    }

    /** Records to run. */
    int sample() {
        int records = sample == null ? STANDARD_SAMPLE : sample;
        if (records < 1) {
            throw UserError.usage("--sample must be at least 1, was " + records, "such as --sample 200000");
        }
        return records;
    }

    List<String> inputs() {
        return inputs;
    }

    /** How often each variant runs. */
    int rounds() {
        int number = rounds == null ? STANDARD_ROUNDS : rounds;
        if (number < 2 || number > MOST_ROUNDS) {
            throw UserError.usage(
                    "--rounds must be 2 to %d, was %d: one run does not show how much runs differ"
                            .formatted(MOST_ROUNDS, number),
                    "such as --rounds 3");
        }
        return number;
    }

    List<String> vary() {
        return vary;
    }

    int parallelism() {
        int subtasks = parallelism == null ? 1 : parallelism;
        Jobs.requireParallelism(subtasks);
        return subtasks;
    }

    @Nullable
    String scratchStore() {
        return scratchStore;
    }
}
