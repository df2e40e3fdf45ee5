package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A way to store rows of {@link DemandRows#VIEW}. <b>Threads.</b> One. */
interface Layout extends AutoCloseable {
    /** Writes a block; returns when the store has acknowledged all of it. */
    void write(HexRowBlock block) throws IOException;

    /** Returns the features of cells, in the order given; null where there is no row. */
    List<double @Nullable []> read(long[] cells) throws IOException;

    @Override
    void close() throws IOException;

    /** The features of a row, in the view's order and by name. */
    final class Features {
        static final List<String> NAMES = DemandRows.VIEW.featureNames();

        private Features() {}

        /** Returns the features of a block's row. */
        static double[] of(HexRowBlock block, int row) {
            int from = row * NAMES.size();
            return DemandRows.features(Arrays.copyOfRange(block.sums(), from, from + NAMES.size()));
        }

        /** Returns the features in a map of {@link #byName}. */
        static double[] of(Map<String, Double> byName) {
            return NAMES.stream()
                    .mapToDouble(name -> Objects.requireNonNull(byName.get(name), name))
                    .toArray();
        }

        static Map<String, Double> byName(double[] features) {
            Map<String, Double> byName = new LinkedHashMap<>();
            for (int i = 0; i < features.length; i++) {
                byName.put(NAMES.get(i), features[i]);
            }
            return byName;
        }
    }

    /** A layout that Thalweg's own store writes and reads, with the order rule and the TTL. */
    record StoreLayout(OnlineStore store, FeatureView view) implements Layout {
        static StoreLayout of(OnlineStore store, Online.Layout layout) {
            Online online = new Online(DemandRows.VIEW.online().ttl(), null, layout);
            return new StoreLayout(store, DemandRows.VIEW.withOnline(online));
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
}
