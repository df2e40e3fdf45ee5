package io.thalweg.testing;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Seeds for randomised tests: {@code @MethodSource("io.thalweg.testing.Seeds#seeds")}. Put the seed into the test's name,
 * {@code @ParameterizedTest(name = "seed={0}")}, so that a failure shows how to reproduce it.
 *
 * <p>{@code -Dthalweg.seeds=N} runs N fresh seeds instead of 5; {@code -Dthalweg.seed=S} replays only the seed S.
 */
public final class Seeds {
    private static final long DEFAULT_COUNT = 5;

    private Seeds() {}

    /** Returns fresh seeds, or the one to replay. */
    public static LongStream seeds() {
        Long replayed = Long.getLong("thalweg.seed");
        return replayed != null
                ? LongStream.of(replayed)
                : ThreadLocalRandom.current().longs(count());
    }

    /** Returns how many of {@code most} fixed and expensive cases run: all with 20 seeds, and their share with fewer. */
    public static int few(int most) {
        return (int) Math.min(most, (most * count() + 19) / 20);
    }

    private static long count() {
        return Long.getLong("thalweg.seeds", DEFAULT_COUNT);
    }
}
