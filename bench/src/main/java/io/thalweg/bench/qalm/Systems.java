package io.thalweg.bench.qalm;

import java.util.List;

/** Who takes part. */
public final class Systems {
    /** No protection, ours, then the others. */
    public static final List<String> NAMES =
            List.of("none", "thalweg", "on_off", "gradient2", "vegas", "bulkhead", "sentinel");

    private Systems() {}
}
