package io.thalweg.history;

import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatRows;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableAppender;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes feature logs without a job. */
final class LogFixture {
    private final FeatureView view;
    private final OfflineSpec.Format format;
    private final TableAddress address;

    LogFixture(FeatureView view, Path warehouse) throws IOException {
        this(view, OfflineSpec.Format.PACKED, warehouse);
    }

    LogFixture(FeatureView view, OfflineSpec.Format format, Path warehouse) throws IOException {
        this.view = view;
        this.format = format;
        address = new TableAddress(new CatalogAddress.Folder(warehouse.toString()), "features." + view.qualifiedName());
        FeatureLog.create(view, format, address, null);
    }

    /** Returns a row of a keyed view with one entity and two measures: a count, and a double that may be absent. */
    static KeyedRowBlock row(FeatureView view, String key, long endMs, long count, @Nullable Double most) {
        KeyCodec keys = new KeyCodec(view);
        ValueColumns values = ValueColumns.ofNumbers(2);
        values.low()[0] = count;
        values.low()[1] = most == null ? 0 : Double.doubleToRawLongBits(most);
        values.nulls()[1] = most == null;
        return new KeyedRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), keys.shard(List.of(key)), endMs),
                KeyColumns.ofOne(keys, List.of(key)),
                values);
    }

    /** Returns the values of all features of an answer: numbers and text, null if absent. */
    static List<@Nullable Object> values(AsOfJoin.Answers answers, int label, FeatureView view) {
        List<Field> fields = new ArrayList<>();
        for (int f = 0; f < view.featureNames().size(); f++) {
            fields.add(Field.optional(
                    view.featureNames().get(f),
                    FlatRows.featureType(view.featureTypes().get(f))));
        }
        ColumnWriter columns = new ColumnWriter(new Struct(fields));
        columns.begin();
        answers.write(label, answers.outcome(label).status(), columns);
        columns.end();
        List<@Nullable Object> values = new ArrayList<>();
        for (LeafColumn leaf : columns.take().leaves()) {
            LeafCursor value = new LeafCursor(leaf);
            if (!value.next()) {
                values.add(null);
            } else if (leaf.type() instanceof FieldType.Text) {
                values.add(value.text());
            } else {
                long bits = value.number();
                values.add(
                        leaf.type().equals(FieldType.DOUBLE) ? (Object) Double.longBitsToDouble(bits) : (Object) bits);
            }
        }
        return values;
    }

    TableAddress address() {
        return address;
    }

    FeatureLog open() throws IOException {
        return FeatureLog.open(view, address);
    }

    void rows(List<? extends RowBlock> blocks) throws IOException {
        LogRows rows = LogRows.of(view, format);
        for (RowBlock block : blocks) {
            rows.add(block);
        }
        append(address, LogLayout.rows(view, format), rows.take());
    }

    /** Writes rows of a load of a table. */
    void load(List<? extends RowBlock> blocks, long loadedMs) throws IOException {
        LogRows rows = LogRows.ofLoad(view, loadedMs);
        for (RowBlock block : blocks) {
            rows.add(block);
        }
        append(address, LogLayout.rows(view, format), rows.take());
    }

    void progress(LogProgress progress) throws IOException {
        append(LogLayout.progress(address), LogLayout.progress(), progress.take());
    }

    private static void append(TableAddress table, TableLayout layout, ColumnBatch batch) throws IOException {
        try (TableAppender appender = new TableAppender(table, layout, "test")) {
            appender.add(batch);
            appender.commit();
        }
    }
}
