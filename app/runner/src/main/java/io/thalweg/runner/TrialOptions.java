package io.thalweg.runner;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison of settings tries.
 *
 * @param publish whether the publication of a view is tried instead of its computation
 * @param sample the newest records to run
 * @param inputs files of records instead of the topic's; empty = the topic's
 * @param rounds how often each variant runs
 * @param vary the variants as {@code KEY=VALUE,…}; empty = the standard ones
 * @param parallelism that of the baseline
 * @param scratchStore an empty Redis to write to; null = none
 */
public record TrialOptions(
        boolean publish,
        int sample,
        List<String> inputs,
        int rounds,
        List<String> vary,
        int parallelism,
        @Nullable String scratchStore) {
    private static final int STANDARD_SAMPLE = 200_000;
    private static final int STANDARD_ROUNDS = 3;
    private static final int MOST_ROUNDS = 20;

    /** Checks the options; throws {@link UserError} if one is out of range. */
    public TrialOptions {
        Jobs.requireParallelism(parallelism);
        if (rounds < 2 || rounds > MOST_ROUNDS) {
            throw UserError.usage(
                    "--rounds must be 2 to %d, was %d: one run does not show how much runs differ"
                            .formatted(MOST_ROUNDS, rounds),
                    "such as --rounds 3");
        }
        if (sample < 1) {
            throw UserError.usage("--sample must be at least 1, was " + sample, "such as --sample 200000");
        }
    }

    /** Creates options as they are given; null = the default. */
    public static TrialOptions of(
            boolean publish,
            @Nullable Integer sample,
            List<String> inputs,
            @Nullable Integer rounds,
            List<String> vary,
            @Nullable Integer parallelism,
            @Nullable String scratchStore) {
        return new TrialOptions(
                publish,
                sample == null ? STANDARD_SAMPLE : sample,
                inputs,
                rounds == null ? STANDARD_ROUNDS : rounds,
                vary,
                parallelism == null ? 1 : parallelism,
                scratchStore);
    }
}
