package io.thalweg.cli;

import io.thalweg.runner.TrialOptions;
import io.thalweg.runner.UserError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code thalweg tune SPEC --try}. */
final class TryOptions {
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
    boolean tries() {
        return tries;
    }

    /**
     * Requires that no other of these options is given.
     *
     * @throws UserError if one is
     */
    void requireNone() {
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

    /**
     * Returns what to try.
     *
     * @throws UserError if an option is out of range
     */
    TrialOptions options() {
        return TrialOptions.of(publish, sample, inputs, rounds, vary, parallelism, scratchStore);
    }
}
