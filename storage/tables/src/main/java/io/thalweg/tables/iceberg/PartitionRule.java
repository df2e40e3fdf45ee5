package io.thalweg.tables.iceberg;

import java.io.Serializable;
import java.util.Locale;

/**
 * A rule by which a table is partitioned.
 *
 * @param buckets of {@code BUCKET}; 0 otherwise
 * @param column of the table; fields of structs as {@code struct.field}
 */
public record PartitionRule(Kind kind, int buckets, String column) implements Serializable {
    /** The transform of the column. */
    public enum Kind {
        VALUE,
        YEAR,
        MONTH,
        DAY,
        HOUR,
        BUCKET
    }

    /** The notation of definitions. */
    @Override
    public String toString() {
        return switch (kind) {
            case VALUE -> column;
            case YEAR, MONTH, DAY, HOUR -> "{" + kind.name().toLowerCase(Locale.ROOT) + ": " + column + "}";
            case BUCKET -> "{bucket: {" + buckets + ": " + column + "}}";
        };
    }
}
