package io.thalweg.tables.iceberg;

import java.io.Serializable;
import java.util.Locale;

/**
 * What a table is partitioned by.
 *
 * @param buckets of {@code BUCKET}; 0 otherwise
 * @param column of the table; fields of structs as {@code struct.field}
 */
public record PartitionRule(Kind kind, int buckets, String column) implements Serializable {
    /** What of the column. */
    public enum Kind {
        VALUE,
        YEAR,
        MONTH,
        DAY,
        HOUR,
        BUCKET
    }

    /** As in definitions. */
    @Override
    public String toString() {
        return switch (kind) {
            case VALUE -> column;
            case YEAR, MONTH, DAY, HOUR -> "{" + kind.name().toLowerCase(Locale.ROOT) + ": " + column + "}";
            case BUCKET -> "{bucket: {" + buckets + ": " + column + "}}";
        };
    }
}
