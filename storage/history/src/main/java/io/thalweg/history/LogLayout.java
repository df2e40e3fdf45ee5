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
import java.util.stream.Stream;

/**
 * The two tables of a feature log: rows and progress. Both are partitioned by the hour of the window end, but rows of loads by the hour of
 * their load, since their times may be of any age.
 */
public final class LogLayout {
    public static final String WINDOW_END = "window_end";
    /** When a load listed its table; in its progress, this is the window end. */
    static final String LOADED = "loaded";

    static final String BLOCK = "block";
    static final String ROWS = "rows";
    static final String SHARD = "shard";
    static final String ROWS_AT = "rows_at";
    static final String READABLE_AT = "readable_at";

    /** The table property with the qualified name of the view. */
    public static final String VIEW = "thalweg.view";
    /** The table property with the deployment whose job writes the log. */
    public static final String DEPLOYMENT = "thalweg.deployment";
    /** The table property with the view's fingerprint: rows of another meaning need another table. */
    public static final String FINGERPRINT = "thalweg.fingerprint";

    /** A record for each block of rows: {@code block} is a packed block as in {@code docs/reference/packed.md}. */
    static final Struct PACKED = new Struct(List.of(
            Field.required(WINDOW_END, FieldType.TIMESTAMP),
            Field.required(SHARD, FieldType.INT32),
            Field.required(ROWS, FieldType.INT32),
            Field.required(BLOCK, FieldType.BYTES)));

    /** The same for rows of loads, with the load that they are of. */
    static final Struct LOADS =
            new Struct(Stream.concat(PACKED.fields().stream(), Stream.of(Field.required(LOADED, FieldType.TIMESTAMP)))
                    .toList());

    /** When the rows of a shard up to and including the window end, and then its progress, became readable; null if computed later. */
    static final Struct PROGRESS = new Struct(List.of(
            Field.required(WINDOW_END, FieldType.TIMESTAMP),
            Field.required(SHARD, FieldType.INT32),
            Field.optional(ROWS_AT, FieldType.TIMESTAMP),
            Field.optional(READABLE_AT, FieldType.TIMESTAMP)));

    private LogLayout() {}

    /** The layout of the table of rows. */
    public static TableLayout rows(FeatureView view, OfflineSpec.Format format) {
        if (view.isTable()) {
            return byHour(LOADS, LOADED);
        }
        return byHour(format == OfflineSpec.Format.PACKED ? PACKED : FlatRows.columns(view), WINDOW_END);
    }

    /** The column of the times by whose hour the table of rows is partitioned. */
    public static String partitionColumn(FeatureView view) {
        return view.isTable() ? LOADED : WINDOW_END;
    }

    /** The layout of the table of progress. */
    public static TableLayout progress() {
        return byHour(PROGRESS, WINDOW_END);
    }

    private static TableLayout byHour(Struct columns, String time) {
        return new TableLayout(columns, List.of(new PartitionRule(PartitionRule.Kind.HOUR, 0, time)), false);
    }

    /** The address of the table of progress beside that of rows. */
    public static TableAddress progress(TableAddress rows) {
        return new TableAddress(rows.catalog(), rows.name() + OfflineSpec.PROGRESS);
    }
}
