package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.feast.FeastKeys;
import io.thalweg.feast.FeastValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract for views with one of Feast's layouts, and the tests that these share. */
abstract class FeastStoreContract extends RedisServerContract {
    /** Returns the key of the row of a cell; views of the same entities share it. */
    final byte[] hash(FeatureView view, long cell) {
        return new FeastKeys(project, view).key(cell, key(cell).group());
    }

    @Override
    protected void damage(FeatureView view, StoreKey key, byte[] value) {
        byte[] hash = new FeastKeys(project, view).key(key.cell(), key.group());
        redis.hset(hash, ascii("_order:" + FeastView.of(view).name()), value);
    }

    @Test
    void write_oneRow_standsAtTheEntitysKeyWithItsTime() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        assertThat(redis.keys("*" + project)).containsExactly(hash(view, cell(0)));
        assertThat(redis.hget(hash(view, cell(0)), ascii("_ts:demand"))).isEqualTo(FeastValues.timestamp(T0));
    }

    @Test
    void write_twoViewsOfAnEntity_shareAHashThatLivesAsLongAsEitherNeeds() {
        FeatureView view = latestOnly();
        FeatureView other = view("supply", null);
        byte[] hash = hash(view, cell(0));
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        assertThat(redis.pttl(hash)).isBetween(10 * MINUTE, 11 * MINUTE);

        store.write(other, List.of(block(other, T0 - 5 * MINUTE, Finality.FINAL, cell(0), 8)));
        assertThat(redis.pttl(hash)).as("an older row takes nothing away").isBetween(10 * MINUTE, 11 * MINUTE);
        assertThat(sums(readOne(view, cell(0)))).containsExactly(1, 2, 3, 4);
        assertThat(sums(readOne(other, cell(0)))).containsExactly(8, 9, 10, 11);

        store.write(other, List.of(block(other, T0 + 5 * MINUTE, Finality.FINAL, cell(0), 9)));
        assertThat(redis.pttl(hash)).isBetween(15 * MINUTE, 16 * MINUTE);
    }

    /** Without {@code key_ttl_seconds} Feast's own views never expire, and they share the key. */
    @Test
    void write_besideWhatIsToStayForEver_leavesItSo() {
        FeatureView view = latestOnly();
        byte[] hash = hash(view, cell(0));
        redis.hset(hash, ascii("_ts:driver_stats"), FeastValues.timestamp(T0));
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        assertThat(redis.pttl(hash)).isEqualTo(-1);
    }

    /**
     * A client that pushes into the same view wins with a later time, loses with the same time, and its row is not read.
     */
    @Test
    void write_whereFeastWrote_ordersByTime() {
        FeatureView view = latestOnly();
        byte[] hash = hash(view, cell(0));
        byte[] time = ascii("_ts:demand");
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));

        redis.hset(hash, time, FeastValues.timestamp(T0 + MINUTE));
        store.write(view, List.of(block(view, T0 + MINUTE / 2, Finality.FINAL, cell(0), 2)));
        assertThat(redis.hget(hash, time)).isEqualTo(FeastValues.timestamp(T0 + MINUTE));
        assertThat(store.read(view, List.of(key(cell(0)))).rows()).containsOnlyNulls();

        store.write(view, List.of(block(view, T0 + MINUTE, Finality.PARTIAL, cell(0), 3)));
        assertThat(sums(readOne(view, cell(0)))).containsExactly(3, 4, 5, 6);

        redis.hset(hash, time, FeastValues.timestamp(T0));
        redis.hdel(hash, ascii("_order:demand"));
        store.write(view, List.of(block(view, T0, Finality.PARTIAL, cell(0), 4)));
        assertThat(sums(readOne(view, cell(0)))).containsExactly(4, 5, 6, 7);
    }

    @Test
    void write_windowEndBetweenSeconds_keepsItsOrder() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0 + 250, Finality.FINAL, cell(0), 1)));
        store.write(view, List.of(block(view, T0 + 249, Finality.FINAL, cell(0), 2)));
        assertThat(present(readOne(view, cell(0))).windowEndMs()).isEqualTo(T0 + 250);
        store.write(view, List.of(block(view, T0 + 251, Finality.FINAL, cell(0), 3)));
        assertThat(present(readOne(view, cell(0))).windowEndMs()).isEqualTo(T0 + 251);
    }

    /** One call per row would take several times as long. */
    @Test
    void write_manyRows_takesFewCalls() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        long before = scriptCalls();
        store.write(view, rows(view, 2_000));
        assertThat(scriptCalls() - before).isBetween(20L, 20L + 4);
    }

    private long scriptCalls() {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)").matcher(redis.info("commandstats"));
        assertThat(calls.find()).isTrue();
        return Long.parseLong(calls.group(1));
    }

    private List<HexRowBlock> rows(FeatureView view, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> block(view, T0, Finality.FINAL, cell(i), i))
                .toList();
    }

    @Test
    void write_someKeysOfAnotherType_saysSoAndOnceMoreWritesAll() {
        FeatureView view = latestOnly();
        byte[] key = hash(view, cell(70));
        redis.set(key, new byte[] {1});
        assertThatThrownBy(() -> store.write(view, rows(view, 500)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("WRONGTYPE")
                .extracting(e -> ((StoreException) e).kind())
                .isEqualTo(StoreException.Kind.ROWS);

        redis.del(key);
        store.write(view, rows(view, 500));
        for (int i = 0; i < 500; i++) {
            assertThat(sums(readOne(view, cell(i)))[0]).isEqualTo(i);
        }
    }

    final byte[] feature(FeatureView view, String name) {
        int hash = FeastView.of(view).field(name);
        byte[] field = {(byte) hash, (byte) (hash >>> 8), (byte) (hash >>> 16), (byte) (hash >>> 24)};
        return Objects.requireNonNull(redis.hget(hash(view, cell(0)), field));
    }

    static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}
