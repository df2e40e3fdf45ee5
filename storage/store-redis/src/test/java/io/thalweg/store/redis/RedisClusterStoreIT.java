package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.OnlineStoreContract;
import io.thalweg.store.StoreKey;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract against a cluster of three masters. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class RedisClusterStoreIT extends OnlineStoreContract {
    @TempDir
    static Path folder;

    static RedisClusterProcesses cluster;

    private final String project = "t" + UUID.randomUUID();

    @BeforeAll
    static void startCluster() throws IOException {
        cluster = RedisClusterProcesses.start(folder);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Override
    protected OnlineStore open(Clock clock) {
        return RedisOnlineStore.open(cluster.masters().get(1).uri(), project, clock);
    }

    @Override
    protected void damage(FeatureView view, StoreKey key, byte[] value) {
        RedisKeys names = new RedisKeys(project, view);
        byte[] group = names.group(key.group());
        RedisURI uri = RedisURI.create(cluster.masters().get(0).uri());
        try (RedisClusterClient client = RedisClusterClient.create(uri);
                var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            if (view.isKeyed()) {
                connection.sync().set(names.newest(group), value);
            } else {
                byte[] hash = names.newest(names.parent(key.cell()), group);
                connection.sync().hset(hash, names.field(key.cell()), value);
            }
        }
    }

    /** All keys are in one slot, so calls have many keys, of which some have moved and others have not. */
    @Test
    void write_slotMovesMeanwhile_losesNoneAndReadsGoOn() throws Exception {
        String oneSlot = "{" + project + "}";
        int slot = SlotHash.getSlot(oneSlot);
        RedisProcess from = cluster.masters().get(slot * 3 / SlotHash.SLOT_COUNT);
        RedisProcess to = cluster.masters().get((slot * 3 / SlotHash.SLOT_COUNT + 1) % 3);
        FeatureView view = keyed("1h");
        List<StoreKey> keys =
                IntStream.range(0, 150).mapToObj(i -> keyOf("k" + i)).toList();
        try (OnlineStore moving = RedisOnlineStore.open(from.uri(), oneSlot, clock)) {
            AtomicInteger goal = new AtomicInteger(Integer.MAX_VALUE);
            AtomicInteger minute = new AtomicInteger();
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                for (; minute.get() < goal.get(); minute.incrementAndGet()) {
                    long end = T0 + minute.get() * MINUTE;
                    moving.write(view, rows(view, end, keys.size()));
                    moving.writeProgress(new Progress(view.qualifiedName(), 0, 1, end));
                }
            });
            Await.until("writes", () -> minute.get() > 3);
            CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(() -> {
                int reads = 0;
                for (long before = T0; !writing.isDone(); reads++) {
                    long newest = before;
                    assertThat(moving.read(view, keys).rows())
                            .allSatisfy(row ->
                                    assertThat(present(row).windowEndMs()).isGreaterThanOrEqualTo(newest));
                    before = moving.watermark(view.qualifiedName()).orElseThrow();
                }
                return reads;
            });

            cluster.moveSlot(slot, from, to, () -> {
                int before = minute.get();
                Await.until("writes on the way", () -> minute.get() > before + 3 || writing.isDone());
            });
            goal.set(minute.get() + 5);
            Await.get(writing);

            long last = T0 + (minute.get() - 1) * MINUTE;
            assertThat(Await.get(reading)).isPositive();
            assertThat(moving.read(view, keys).rows())
                    .allSatisfy(row -> assertThat(present(row).windowEndMs()).isEqualTo(last));
            assertThat(moving.watermark(view.qualifiedName())).hasValue(last);
            RedisClusterProcesses.with(
                    to, redis -> assertThat(redis.clusterCountKeysInSlot(slot)).isGreaterThan(keys.size()));
        }
    }

    private static List<KeyedRowBlock> rows(FeatureView view, long windowEndMs, int keys) {
        String[] names = IntStream.range(0, keys).mapToObj(i -> "k" + i).toArray(String[]::new);
        return List.of(keyedBlock(view, windowEndMs, Finality.FINAL, 0, 1, names));
    }

    @Test
    void write_manyCells_spreadOverAllNodesAndAreRead() {
        FeatureView view = latestOnly();
        store.write(
                view,
                IntStream.range(0, 300)
                        .mapToObj(i -> block(view, T0, Finality.FINAL, cell(49 * i), i))
                        .toList());

        List<StoredRow> rows =
                store
                        .read(
                                view,
                                IntStream.range(0, 300)
                                        .mapToObj(i -> key(cell(49 * i)))
                                        .toList())
                        .rows()
                        .stream()
                        .map(row -> present(row))
                        .toList();

        for (int i = 0; i < 300; i++) {
            assertThat(sums(rows.get(i))[0]).isEqualTo(i);
        }
        for (RedisProcess master : cluster.masters()) {
            RedisClusterProcesses.with(
                    master, redis -> assertThat(redis.keys(project + ":*")).hasSizeBetween(50, 150));
        }
    }
}
