package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.StoredRow;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.OnlineStoreContract;
import io.thalweg.store.StoreKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
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
