package io.thalweg.model.row;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads single keys and values of a view's rows as objects.
 *
 * <p><b>Threads.</b> One.
 */
public sealed interface RowCells {
    /** Creates a reader of a view's rows. */
    static RowCells of(FeatureView view) {
        return view.isKeyed() ? new OfKeyed(view) : new OfHex(view);
    }

    /** Returns the values of a row's entities, in the view's order: {@code Long} for a cell or {@code int64}, {@code String}, {@code Boolean}. */
    List<Object> key(RowBlock block, int row);

    /**
     * Returns the value of a feature: {@code Double}, {@code Long}, {@code BigInteger} if it does not fit, {@code String}, a list
     * of {@code Double}; null if it is absent.
     */
    @Nullable
    Object value(RowBlock block, int row, int feature);

    /** Rows of a keyed view or of a table. */
    final class OfKeyed implements RowCells {
        private final KeyCodec keys;
        private final KeyedValues values;

        private OfKeyed(FeatureView view) {
            keys = new KeyCodec(view);
            values = new KeyedValues(view);
        }

        @Override
        public List<Object> key(RowBlock block, int row) {
            return ((KeyedRowBlock) block).key(keys, row);
        }

        @Override
        public @Nullable Object value(RowBlock block, int row, int feature) {
            return values.value(feature, row * values.features() + feature, ((KeyedRowBlock) block).values());
        }
    }

    /** Rows of a view with rings. */
    final class OfHex implements RowCells {
        private final FeatureView view;
        private final int[] regularSizes;
        private final int[] panes;

        private OfHex(FeatureView view) {
            this.view = view;
            regularSizes =
                    view.rings().stream().mapToInt(HexRowBlock::regularDiskSize).toArray();
            panes = view.windows().panes();
        }

        @Override
        public List<Object> key(RowBlock block, int row) {
            HexRowBlock rows = (HexRowBlock) block;
            List<Object> key = new ArrayList<>(view.entities().size());
            int field = 0;
            for (Entity entity : view.entities()) {
                key.add(
                        entity instanceof Entity.Cell
                                ? (Object) rows.cells()[row]
                                : rows.group().get(field++));
            }
            return key;
        }

        @Override
        public Double value(RowBlock block, int row, int feature) {
            HexRowBlock rows = (HexRowBlock) block;
            int ring = feature / panes.length;
            int[] sizes = rows.diskSizes();
            int size = sizes == null ? regularSizes[ring] : sizes[row * regularSizes.length + ring];
            long sum = rows.sums()[row * regularSizes.length * panes.length + feature];
            return HexRowBlock.value(sum, size, panes[feature % panes.length]);
        }
    }
}
