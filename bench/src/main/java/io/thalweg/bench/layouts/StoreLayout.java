package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A layout that Thalweg's own store writes and reads, with the order rule and the TTL. */
final class StoreLayout implements Layout {
    private final OnlineStore store;
    private final FeatureView view;

    StoreLayout(OnlineStore store, Online.Layout layout) {
        this.store = store;
        this.view =
                DemandRows.VIEW.withOnline(new Online(DemandRows.VIEW.online().ttl(), null, layout));
    }

    @Override
    public void write(HexRowBlock block) {
        store.write(view, List.of(block));
    }

    @Override
    public List<double @Nullable []> read(long[] cells) {
        List<StoreKey> keys = LongStream.of(cells)
                .mapToObj(cell -> new StoreKey(cell, List.of()))
                .toList();
        List<double @Nullable []> features = new ArrayList<>(cells.length);
        for (StoredRow row : store.read(view, keys).rows()) {
            features.add(
                    row instanceof StoredRow.OfSums sums
                            ? sums.divisors().values(sums.sums(), sums.diskSizes())
                            : null);
        }
        return features;
    }

    @Override
    public void close() {
        store.close();
    }
}
