package io.thalweg.history;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.util.List;

/**
 * Computes the shards of keys: values of the entities in the view's order.
 *
 * <p><b>Threads.</b> One.
 */
interface ShardOfKey {
    int of(List<Object> key);

    static ShardOfKey of(FeatureView view) {
        if (view.isKeyed()) {
            return new KeyCodec(view)::shard;
        }
        HexTiling tiling = HexTiling.of(view.cell().resolution());
        int cell = view.entities().stream()
                .map(Entity.Cell.class::isInstance)
                .toList()
                .indexOf(true);
        return key -> Shard.of(tiling.tile((Long) key.get(cell)));
    }
}
