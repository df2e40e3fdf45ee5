package io.thalweg.model.view;

import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a view's rows are kept for reading.
 *
 * @param ttl how far the pipeline may lag before readers distrust stored rows
 * @param history how long older rows stay readable; null = only the newest, as in all Feast layouts
 */
public record Online(DurationText ttl, @Nullable DurationText history, Layout layout) implements Serializable {
    /** The layout of a row in the store. */
    public enum Layout {
        /** Thalweg's own, the smallest; available in all stores. */
        PACKED,
        /** As a Feast client reads it from Redis, each feature in a field of its own. */
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

    /** Creates settings with the packed layout. */
    public Online(DurationText ttl, @Nullable DurationText history) {
        this(ttl, history, Layout.PACKED);
    }

    /** How long after its window end a row is kept: {@code ttl + history}, ms. */
    public long keptMs() {
        return ttl.millis() + (history == null ? 0 : history.millis());
    }
}
