package io.thalweg.pipelinetest;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats the keys and the values of rows for reports. */
final class Texts {
    private Texts() {}

    /** {@code cell=892a… product=17a2… window_end=2026-01-01T12:01:00Z}. */
    static String of(FeatureView view, RowKey key) {
        return of(view, key.entities()) + " window_end=" + Instant.ofEpochMilli(key.windowEndMs());
    }

    /** {@code cell=892a… product=17a2…}. */
    static String of(FeatureView view, Map<String, Object> entities) {
        return view.entities().stream()
                .map(entity -> entity.name() + "=" + entity(entity, entities.get(entity.name())))
                .collect(Collectors.joining(" "));
    }

    /** Formats a value as rows contain it; a cell in hex. */
    static String entity(Entity entity, @Nullable Object value) {
        return entity instanceof Entity.Cell && value instanceof Long cell
                ? Long.toHexString(cell)
                : String.valueOf(value);
    }

    /** Formats a value of a column in one line. */
    static String value(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> entry.getKey() + ": " + value(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof List<?> list
                ? list.stream().map(Texts::value).collect(Collectors.joining(", ", "[", "]"))
                : String.valueOf(value);
    }
}
