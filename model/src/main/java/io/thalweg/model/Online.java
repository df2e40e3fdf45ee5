package io.thalweg.model;

import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a view's rows are kept for reading.
 *
 * @param ttl how far readers let the pipeline lag behind before they distrust what is stored
 * @param history how long older rows stay readable; null = the newest only, as always where a Feast client reads
 */
public record Online(DurationText ttl, @Nullable DurationText history, Layout layout) implements Serializable {
    /** The layout of a row in the store. */
    public enum Layout {
        /** Thalweg's own, the smallest; of all stores. */
        PACKED,
        /** As a Feast client reads it from Redis, each feature by itself. */
        FEAST_SCALARS,
        /** As a Feast client reads it from Redis, all features as one array of floats. */
        FEAST_ARRAY;

        /** As written in a definition. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether a Feast client can read it. */
        public boolean isFeast() {
            return this != PACKED;
        }
    }

    /** Kept packed. */
    public Online(DurationText ttl, @Nullable DurationText history) {
        this(ttl, history, Layout.PACKED);
    }
}
