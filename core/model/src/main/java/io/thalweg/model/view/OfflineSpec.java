package io.thalweg.model.view;

import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The feature log of a view: an Iceberg table that keeps every FINAL row, for training sets. A second table, of the same name with the
 * suffix {@value #PROGRESS}, keeps when each window end, or for a materialization each load, became readable.
 *
 * @param table {@code namespace.table}
 * @param catalog its name in {@code thalweg.yaml}
 * @param keep how long rows are kept after their window end or load; null = forever
 * @param compacts whether the job rewrites small files
 */
public record OfflineSpec(
        String table,
        String catalog,
        Format format,
        @Nullable DurationText keep,
        boolean compacts) implements Serializable {
    /** The suffix of the table of progress. */
    public static final String PROGRESS = "_progress";

    /** {@code packed}: a record for the rows of a tile, or of keys; {@code columns}: a column for each feature. */
    public enum Format {
        PACKED,
        COLUMNS
    }

    /** The log of a view whose definition has no {@code offline}. */
    public static OfflineSpec standard(String qualifiedName) {
        return new OfflineSpec("features." + qualifiedName, "default", Format.PACKED, null, true);
    }
}
