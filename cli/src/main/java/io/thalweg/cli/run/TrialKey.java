package io.thalweg.cli.run;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a variant of a trial may set differently. */
enum TrialKey {
    PARALLELISM,
    GC,
    HEAP,
    CHECKPOINTS,
    BATCH_ROWS,
    IN_FLIGHT,
    TARGET_LATENCY;

    /** As on the command line. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All keys, for people. */
    static String list() {
        return Arrays.stream(values()).map(TrialKey::text).collect(Collectors.joining(", "));
    }

    /** Whether only jobs that write to a store in batches have it. */
    boolean isOfLoad() {
        return this == BATCH_ROWS || this == IN_FLIGHT || this == TARGET_LATENCY;
    }
}
