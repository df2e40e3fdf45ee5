package io.thalweg.history;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How answers differ from the feature log of a view.
 *
 * @param fromMs the first read, epoch ms
 * @param toMs the last read
 * @param reads the number of answers by cause; an answer with a differing feature is {@link Cause#DIFFERENT}
 * @param examples a few answers of each cause but {@link Cause#EQUAL}
 */
public record SkewReport(
        String view, long fromMs, long toMs, Map<Cause, Long> reads, List<Feature> features, List<Example> examples) {
    public SkewReport {
        reads = Map.copyOf(reads);
        features = List.copyOf(features);
        examples = List.copyOf(examples);
    }

    /** Why an answer is not the one of the log. The first that applies counts. */
    public enum Cause {
        /** No difference, bit for bit. */
        EQUAL("same bits as the log"),
        /** The answer was given by another definition of the view. */
        OTHER_DEFINITION("another definition of the view answered"),
        /** The server withheld values because they were too old, or had none yet. */
        BEHIND("OUTSIDE_MAX_AGE: the pipeline was behind, or the key had no recent row"),
        /** The log does not have that time. */
        NOT_LOGGED("the log does not have that time"),
        /** The log had a row that the server did not find. */
        MISSING_ONLINE("the log had a row that the server did not find"),
        /** The log had a newer row, or a newer watermark. */
        STALE("the log had a newer row, readable for longer than the grace"),
        /** The server had a row that the log does not have. */
        MISSING_LOG("the server had a row that the log does not have"),
        /** The same key and window end with other bits, which is always a defect. */
        DIFFERENT("same key and window end, other bits: a defect");

        private final String meaning;

        Cause(String meaning) {
            this.meaning = meaning;
        }

        /** The meaning, for people. */
        public String meaning() {
            return meaning;
        }
    }

    /**
     * The differences of a feature.
     *
     * @param causes the number of answers that had it, by cause
     * @param baseline null if there is none
     * @param drift null without a baseline, or if one of the two has no values
     */
    public record Feature(
            String name,
            Map<Cause, Long> causes,
            ValueSample served,
            @Nullable ValueSample baseline,
            @Nullable Drift drift) {
        public Feature {
            causes = Map.copyOf(causes);
        }
    }

    /**
     * An answer that differs.
     *
     * @param key of the answer, or its hash
     * @param readAtMs epoch ms
     * @param what the answer and what the log has, for people
     */
    public record Example(Cause cause, String key, long readAtMs, String what) {}

    /** The number of answers. */
    public long total() {
        return reads.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of answers of a cause. */
    public long count(Cause cause) {
        return reads.getOrDefault(cause, 0L);
    }
}
