package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.Secret;
import io.thalweg.model.row.Progress;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A master, its replica, and the Sentinel that watches them. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class RedisSentinelIT {
    private static final String VIEW = SmallView.VIEW.qualifiedName();
    private static final long T0 = SmallView.T0;

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T0));

    private static URI uri(RedisProcess sentinel, String name) {
        return URI.create(
                "redis-sentinel://127.0.0.1:%d,127.0.0.1:%d/1#%s".formatted(FreePorts.next(), sentinel.port(), name));
    }

    /** Also the first write after the promotion finds the new master. */
    @Test
    void write_masterKilled_goesOnAtThePromotedReplica() throws Exception {
        try (RedisProcess master = RedisProcess.start(Files.createDirectory(folder.resolve("master")));
                RedisProcess replica = replicaOf(master);
                RedisProcess sentinel = RedisProcess.startSentinel(folder, master);
                OnlineStore store = RedisOnlineStore.open(uri(sentinel, "market"), "t", clock)) {
            AtomicInteger minute = new AtomicInteger();
            AtomicInteger goal = new AtomicInteger(Integer.MAX_VALUE);
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                for (; minute.get() < goal.get(); minute.incrementAndGet()) {
                    store.write(SmallView.VIEW, RedisTroubleIT.blocks(T0 + minute.get() * 60_000L));
                    store.writeProgress(new Progress(VIEW, 0, 1, T0 + minute.get() * 60_000L));
                }
            });
            Await.until("twenty writes", () -> minute.get() > 20);
            master.kill();
            int whenKilled = minute.get();
            sentinel.awaitLine("\\+switch-master market");
            Await.until("twenty more writes", () -> minute.get() > whenKilled + 20);
            goal.set(minute.get() + 1);
            Await.get(written);

            long last = T0 + (minute.get() - 1) * 60_000L;
            RedisTroubleIT.awaitBack(store);
            assertThat(RedisTroubleIT.read(store))
                    .allSatisfy(row -> assertThat(RedisTroubleIT.end(row)).isEqualTo(last));
            assertThat(store.watermark(VIEW)).hasValue(last);
            RedisClusterProcesses.with(replica, redis -> {
                redis.select(1);
                assertThat(redis.keys("t:*")).isNotEmpty();
            });
        }
    }

    private RedisProcess replicaOf(RedisProcess master) throws IOException {
        RedisProcess replica = RedisProcess.start(
                Files.createDirectory(folder.resolve("replica")),
                "--replicaof",
                "127.0.0.1",
                String.valueOf(master.port()));
        RedisClusterProcesses.with(
                master,
                redis -> Await.until(
                        "the replica", () -> redis.info("replication").contains("state=online")));
        return replica;
    }

    @Test
    void open_otherNameOrNoSentinel_namesTheRemedy() throws Exception {
        try (RedisProcess master = RedisProcess.start(folder);
                RedisProcess sentinel = RedisProcess.startSentinel(folder, master)) {
            assertThatThrownBy(() -> RedisOnlineStore.open(uri(sentinel, "demand"), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("know no master 'demand'")
                    .hasMessageEndingWith("name one that they know in store.uri, after the #: market");
            URI nowhere = URI.create("redis-sentinel://127.0.0.1:%d#market".formatted(FreePorts.next()));
            assertThatThrownBy(() -> RedisOnlineStore.open(nowhere, "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the store " + nowhere + " is away while asking the Sentinels for the master")
                    .hasMessageContaining("Connection refused")
                    .hasMessageContaining("check store.uri, and that a Redis Sentinel runs there");
            master.kill();
            assertThatThrownBy(() -> RedisOnlineStore.open(uri(sentinel, "market"), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is away while connecting")
                    .hasMessageContaining(String.valueOf(master.port()));
        }
    }

    @Test
    void open_tlsAndPasswordsOfBoth_areUsed() throws Exception {
        TestCertificate own = TestCertificate.create(folder, "redis");
        try (RedisProcess master = RedisProcess.startWithTls(folder, own, "--requirepass", "d@ta");
                RedisProcess sentinel = RedisProcess.startSentinel(
                        folder, master, "sentinel auth-pass market d@ta", "requirepass w@tch")) {
            try (OnlineStore store = RedisOnlineStore.open(server(sentinel, own, "d%40ta", "w@tch"), "t", clock)) {
                store.write(SmallView.VIEW, RedisTroubleIT.blocks(T0));
                assertThat(RedisTroubleIT.read(store)).doesNotContainNull();
            }
            assertThatThrownBy(() -> RedisOnlineStore.open(server(sentinel, own, "guessed", "w@tch"), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("WRONGPASS")
                    .hasMessageContaining("check the user and the password in store.uri")
                    .hasMessageNotContaining("guessed");
            for (String wrong : new String[] {null, "guessed"}) {
                assertThatThrownBy(() -> RedisOnlineStore.open(server(sentinel, own, "d%40ta", wrong), "t", clock))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("refused while asking the Sentinels for the master")
                        .hasMessageContaining("check store.sentinel.user and .password")
                        .hasMessageNotContaining("guessed");
            }
            List<byte[]> keys = new ArrayList<>();
            try (RedisTable table = RedisTable.open(
                    "ads", server(sentinel, own, "d%40ta", "w@tch"), "t:small:87{rest}", List.of("newest"))) {
                table.read((key, values) -> keys.add(key));
            }
            assertThat(keys).as("lookup tables").isNotEmpty();
            assertThatThrownBy(() -> RedisTable.open(
                            "ads", server(sentinel, own, "d%40ta", null), "t:small:87{rest}", List.of("newest")))
                    .hasMessageContaining("check redis.ads.sentinel.user and .password");
        }
    }

    private static DeploymentConfig.RedisServer server(
            RedisProcess sentinel, TestCertificate ca, String password, @Nullable String sentinelPassword) {
        return new DeploymentConfig.RedisServer(
                URI.create("rediss-sentinel://default:%s@127.0.0.1:%d#market".formatted(password, sentinel.port())),
                null,
                sentinelPassword == null ? null : new DeploymentConfig.Login(null, Secret.of(sentinelPassword)),
                ClientTls.trusting(ca.certificate().toString()));
    }
}
