package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.feast.FeastValues;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.store.StoreException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("soak")
class FeastScalarsStoreIT extends FeastStoreContract {
    @Override
    protected Online.Layout layout() {
        return Online.Layout.FEAST_SCALARS;
    }

    @Test
    void write_rowOfSums_storesFeatures() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 4)));
        assertThat(feature(view, "k0_1m")).isEqualTo(FeastValues.value(4.0));
        assertThat(feature(view, "k0_2m")).isEqualTo(FeastValues.value(2.5));
        assertThat(feature(view, "k1_1m")).isEqualTo(FeastValues.value(6 / 7.0));
        assertThat(redis.hlen(hash(view, cell(0)))).isEqualTo(4 + 2);
    }

    /** Counts of 2^50 in a disk are far beyond what is counted, and still come back whole. */
    @Test
    void read_largeSums_areWhatWasWritten() {
        FeatureView view = latestOnly();
        long big = (1L << 50) - 3;
        HexRowBlock block = new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                0x852a1007fffffffL,
                key(cell(0)).group(),
                new long[] {cell(0)},
                new long[] {big, big + 1, big + 2, big - 1},
                new int[] {1, 6});
        store.write(view, List.of(block));
        assertThat(sums(readOne(view, cell(0)))).containsExactly(big, big + 1, big + 2, big - 1);
    }

    @Test
    void writeKeyed_sumBeyond64Bits_isRefusedAloneAndSaysWhy() {
        FeatureView view = Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: items
                        source: {topic: ads}
                        entities: [{name: shop, field: s}]
                        measures: [{sum: items, type: int64}]
                        windows: {sizes: [1m], every: 1m}
                        online: {layout: feast-scalars}
                        """, "items.yaml").views().get(0);
        KeyedRowBlock block = new KeyedRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                KeyColumns.ofBytes(new KeyCodec(view).bytes(List.of("a"))),
                ValueColumns.ofNumbers(new long[] {1}, new long[] {0}, new boolean[1]));
        assertThatThrownBy(() -> store.write(view, List.of(block)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("sum_items_1m")
                .hasMessageContaining("18446744073709551616")
                .hasMessageContaining("type: double")
                .extracting(e -> ((StoreException) e).kind())
                .isEqualTo(StoreException.Kind.ROWS);
    }
}
