package io.thalweg.tables.iceberg;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.iceberg.StructLike;
import org.jspecify.annotations.Nullable;

/**
 * The values that the rows of a partition have in common.
 *
 * @param values one for each rule, as Iceberg represents them; null where rows have none
 */
public record Partition(List<@Nullable Object> values) implements StructLike {
    /** The partition of a table without partitions. */
    public static final Partition NONE = new Partition(List.of());

    public Partition {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }

    @Override
    public int size() {
        return values.size();
    }

    @Override
    @SuppressWarnings("NullAway") // Iceberg's own interface does not say what may be null
    public <T> T get(int position, Class<T> type) {
        return type.cast(values.get(position));
    }

    @Override
    public <T> void set(int position, T value) {
        throw new UnsupportedOperationException("a partition does not change");
    }
}
