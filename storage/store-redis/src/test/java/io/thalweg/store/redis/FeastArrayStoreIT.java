package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.feast.FeastValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("soak")
class FeastArrayStoreIT extends FeastStoreContract {
    @Override
    protected Online.Layout layout() {
        return Online.Layout.FEAST_ARRAY;
    }

    @Test
    void write_rowOfSums_storesAllFeaturesInOneField() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 4)));
        assertThat(feature(view, FeastView.ARRAY)).isEqualTo(FeastValues.floats(List.of(4.0, 2.5, 6 / 7.0, 7 / 14.0)));
        assertThat(redis.hlen(hash(view, cell(0)))).isEqualTo(1 + 2);
    }

    /** Twenty-four bits are enough for sums that occur. */
    @Test
    void read_sumsOfMillions_areWhatWasWritten() {
        FeatureView view = latestOnly();
        int big = (1 << 23) - 4;
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), big)));
        assertThat(sums(readOne(view, cell(0)))).containsExactly(big, big + 1, big + 2, big + 3);
    }

    /** The layout of a view may change: rows of the old layout are absent until they are written again. */
    @Test
    void read_rowOfTheOtherLayout_isAbsentUntilRewritten() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 4)));
        FeatureView scalars =
                view.withOnline(new Online(view.online().ttl(), view.online().history(), Online.Layout.FEAST_SCALARS));
        assertThat(store.read(scalars, List.of(key(cell(0)))).rows()).containsOnlyNulls();
        store.write(scalars, List.of(block(scalars, T0, Finality.FINAL, cell(0), 5)));
        assertThat(sums(readOne(scalars, cell(0)))).containsExactly(5, 6, 7, 8);
        assertThat(store.read(view, List.of(key(cell(0)))).rows()).containsOnlyNulls();
    }
}
