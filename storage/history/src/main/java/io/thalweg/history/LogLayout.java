package io.thalweg.history;

import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatRows;
import io.thalweg.tables.iceberg.PartitionRule;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableLayout;
import java.util.List;

/** The two tables of a feature log: rows and progress, both partitioned by the hour of the window end. */
public final class LogLayout {
    public static final String WINDOW_END = "window_end";
    static final String BLOCK = "block";
    static final String ROWS = "rows";
    static final String SHARD = "shard";
    static final String ROWS_AT = "rows_at";
    static final String READABLE_AT = "readable_at";

    /** The table property with the qualified name of the view. */
    public static final String VIEW = "thalweg.view";
    /** The table property with the view's fingerprint: rows of another meaning need another table. */
    public static final String FINGERPRINT = "thalweg.fingerprint";

    /** A record for each block of rows: {@code block} is a packed block as in {@code docs/reference/packed.md}. */
    static final Struct PACKED = new Struct(List.of(
            Field.required(WINDOW_END, FieldType.TIMESTAMP),
            Field.required(SHARD, FieldType.INT32),
            Field.required(ROWS, FieldType.INT32),
            Field.required(BLOCK, FieldType.BYTES)));

    /** When the rows of a shard up to and including the window end, and then its progress, became readable; null if computed later. */
    static final Struct PROGRESS = new Struct(List.of(
            Field.required(WINDOW_END, FieldType.TIMESTAMP),
            Field.required(SHARD, FieldType.INT32),
            Field.optional(ROWS_AT, FieldType.TIMESTAMP),
            Field.optional(READABLE_AT, FieldType.TIMESTAMP)));

    private static final List<PartitionRule> BY_HOUR =
            List.of(new PartitionRule(PartitionRule.Kind.HOUR, 0, WINDOW_END));

    private LogLayout() {}

    /** The layout of the table of rows. */
    public static TableLayout rows(FeatureView view, OfflineSpec.Format format) {
        return new TableLayout(format == OfflineSpec.Format.PACKED ? PACKED : FlatRows.columns(view), BY_HOUR, false);
    }

    /** The layout of the table of progress. */
    public static TableLayout progress() {
        return new TableLayout(PROGRESS, BY_HOUR, false);
    }

    /** The address of the table of progress beside that of rows. */
    public static TableAddress progress(TableAddress rows) {
        return new TableAddress(rows.catalog(), rows.name() + OfflineSpec.PROGRESS);
    }
}
