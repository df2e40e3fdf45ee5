package io.thalweg.history;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.CellText;
import io.thalweg.model.row.EntityValues;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ValueType;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of one view from the columns of labels.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class LabelKeys {

    private final FeatureView view;
    private final @Nullable HexTiling tiling;
    /** The column of each entity. */
    private final int[] columns;
    /** The columns of latitude and longitude in place of the cell; null if the cell has a column. */
    private final int @Nullable [] point;

    private LabelKeys(FeatureView view, int[] columns, int @Nullable [] point) {
        this.view = view;
        tiling = view.isKeyed() ? null : HexTiling.of(view.cell().resolution());
        this.columns = columns;
        this.point = point;
    }

    /**
     * The columns of keys.
     *
     * @param names the column of an entity where it has another name
     * @param cellAt columns of latitude and longitude from which cells are computed; null = cells have a column
     */
    public record Columns(
            Map<String, String> names, @Nullable List<String> cellAt) {
        public Columns {
            names = Map.copyOf(names);
        }
    }

    /** Binds the entities of a view to columns. */
    static LabelKeys of(FeatureView view, Struct schema, Columns wanted) {
        int[] columns = new int[view.entities().size()];
        int[] point = null;
        List<String> at = wanted.cellAt();
        for (int i = 0; i < columns.length; i++) {
            Entity entity = view.entities().get(i);
            if (entity instanceof Entity.Cell && at != null) {
                point = new int[] {index(view, schema, at.get(0), ""), index(view, schema, at.get(1), "")};
                continue;
            }
            String name = wanted.names().getOrDefault(entity.name(), entity.name());
            columns[i] = index(
                    view,
                    schema,
                    name,
                    entity instanceof Entity.Cell
                            ? "; compute it from a point with --cell-at LAT_COLUMN,LNG_COLUMN, or name its column with --column %s=NAME"
                                    .formatted(entity.name())
                            : "; name its column with --column %s=NAME".formatted(entity.name()));
        }
        return new LabelKeys(view, columns, point);
    }

    private static int index(FeatureView view, Struct schema, String name, String remedy) {
        int index = schema.indexOf(name);
        if (index < 0) {
            throw new SpineException("the labels have no column '%s', an entity of view %s; %s%s"
                    .formatted(name, view.qualifiedName(), Suggestion.hint(name, schema.names()), remedy));
        }
        return index;
    }

    /**
     * Adds the labels of a batch.
     *
     * @param firstRow number of the first row, for messages
     */
    void read(ColumnBatch batch, long[] timesMs, long firstRow, Labels into) {
        List<LeafCursor> cursors = batch.leaves().stream().map(LeafCursor::new).toList();
        for (int row = 0; row < batch.rows(); row++) {
            boolean[] present = new boolean[cursors.size()];
            for (int c = 0; c < present.length; c++) {
                present[c] = cursors.get(c).next();
            }
            long cell = 0;
            List<Object> group = new ArrayList<>(columns.length);
            for (int i = 0; i < columns.length; i++) {
                Entity entity = view.entities().get(i);
                if (entity instanceof Entity.Cell && point != null) {
                    cell = cellAt(batch, cursors, present, firstRow + row);
                    continue;
                }
                int column = columns[i];
                LeafColumn leaf = batch.leaves().get(column);
                if (!present[column]) {
                    throw wrong(entity.name(), firstRow + row, "nothing", "remove the row, or give it a key");
                }
                if (entity instanceof Entity.Cell) {
                    cell = (Long) value(entity, leaf.type(), cursors.get(column), firstRow + row);
                } else {
                    group.add(value(entity, leaf.type(), cursors.get(column), firstRow + row));
                }
            }
            into.add(timesMs[row], cell, group);
        }
    }

    private long cellAt(ColumnBatch batch, List<LeafCursor> cursors, boolean[] present, long row) {
        int[] columnsOfPoint = java.util.Objects.requireNonNull(point);
        double[] degrees = new double[2];
        for (int i = 0; i < 2; i++) {
            int column = columnsOfPoint[i];
            FieldType type = batch.leaves().get(column).type();
            if (!present[column] || !(type instanceof FieldType.Real || type instanceof FieldType.Int)) {
                throw wrong("cell", row, present[column] ? type : "nothing", "--cell-at needs degrees in both columns");
            }
            long number = cursors.get(column).number();
            degrees[i] = type instanceof FieldType.Real ? Double.longBitsToDouble(number) : number;
            double most = i == 0 ? 90 : 180;
            if (!(Math.abs(degrees[i]) <= most)) {
                throw wrong("cell", row, degrees[i], "must be degrees from -%.0f to %.0f".formatted(most, most));
            }
        }
        return java.util.Objects.requireNonNull(tiling).cell(degrees[0], degrees[1]);
    }

    /** Returns the value of an entity. */
    private Object value(Entity entity, FieldType type, LeafCursor value, long row) {
        try {
            return EntityValues.of(entity, given(entity, type, value));
        } catch (IllegalArgumentException e) {
            throw new SpineException("row %d of the labels: entity '%s' of view %s: %s"
                    .formatted(row, entity.name(), view.qualifiedName(), e.getMessage()));
        }
    }

    /** Returns a value as a request has it. A column of whole numbers may have cells, and text whose digits a CSV file does not quote. */
    private static Object given(Entity entity, FieldType type, LeafCursor value) {
        if (type instanceof FieldType.Int) {
            if (entity instanceof Entity.Cell) {
                return CellText.format(value.number());
            }
            boolean isText = entity instanceof Entity.Field field && field.type() == ValueType.STRING;
            return isText ? (Object) Long.toString(value.number()) : value.number();
        }
        if (type instanceof FieldType.Bool) {
            return value.number() != 0;
        }
        if (type instanceof FieldType.Uuid) {
            ByteBuffer halves = ByteBuffer.wrap(value.bytes());
            return new UUID(halves.getLong(), halves.getLong()).toString();
        }
        if (type instanceof FieldType.Text) {
            return value.text();
        }
        throw new IllegalArgumentException("cannot be of type " + type);
    }

    private SpineException wrong(String entity, long row, Object value, String remedy) {
        return new SpineException("row %d of the labels: entity '%s' of view %s was %s; %s"
                .formatted(row, entity, view.qualifiedName(), value, remedy));
    }
}
