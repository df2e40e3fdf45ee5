package io.thalweg.runner;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A setting that a variant of a trial may change. */
enum TrialKey {
    PARALLELISM,
    GC,
    HEAP,
    CHECKPOINTS,
    BATCH_ROWS,
    IN_FLIGHT,
    TARGET_LATENCY;

    /** The name on the command line. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All keys, for people. */
    static String list() {
        return Arrays.stream(values()).map(TrialKey::text).collect(Collectors.joining(", "));
    }

    /** Whether the setting applies only to jobs that write to a store in batches. */
    boolean isOfLoad() {
        return this == BATCH_ROWS || this == IN_FLIGHT || this == TARGET_LATENCY;
    }
}
