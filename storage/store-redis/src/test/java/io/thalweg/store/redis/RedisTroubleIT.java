package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are unreachable, fail, return, or require a password. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class RedisTroubleIT {
    private static final FeatureView VIEW = SmallView.VIEW;
    private static final long T0 = SmallView.T0;

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T0));

    @Test
    void open_nobodyThere_namesTheAddressAndTheRemedy() {
        URI uri = URI.create("redis://127.0.0.1:" + FreePorts.next());
        assertThatThrownBy(() -> RedisOnlineStore.open(uri, "t", clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(uri.toString())
                .hasMessageContaining("Connection refused")
                .hasMessageContaining("check store.uri");
    }

    @Test
    void open_withPassword_isLetInOrToldWhy() {
        try (RedisProcess server = RedisProcess.start(folder, "--requirepass", "s3@c/ret")) {
            assertThatThrownBy(() -> RedisOnlineStore.open(server.uri(), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("NOAUTH")
                    .hasMessageContaining("password in store.uri");
            assertThatThrownBy(() -> RedisOnlineStore.open(withPassword(server, "guess"), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("WRONGPASS")
                    .hasMessageContaining("redis://127.0.0.1:" + server.port())
                    .message()
                    .doesNotContain("guess");
            try (OnlineStore store = RedisOnlineStore.open(withPassword(server, "s3%40c%2Fret"), "t", clock)) {
                store.write(VIEW, blocks(T0));
                assertThat(read(store)).doesNotContainNull();
            }
        }
    }

    /** Connections stay open when the password changes; those that are opened later are refused until they have the new one. */
    @Test
    void write_passwordChanges_waitsUntilItsFileHasTheNewOne() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "before\n");
        try (RedisProcess server = RedisProcess.start(folder, "--requirepass", "before");
                RedisClient client = server.client();
                OnlineStore store = open(configured(server, "${file:" + file + "}"), Duration.ofMillis(300));
                OnlineStore fixed = open(configured(server, "before"), Duration.ofMillis(300))) {
            RedisCommands<String, String> admin = client.connect(
                            StringCodec.UTF8, RedisURI.create(withPassword(server, "before")))
                    .sync();
            store.write(VIEW, blocks(T0));
            admin.configSet("requirepass", "after");
            store.write(VIEW, blocks(T0 + 60_000));
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 60_000));

            admin.clientKill(KillArgs.Builder.typeNormal().skipme());
            awaitRefused(store, "; its files are read again for each connection");
            awaitRefused(
                    fixed,
                    "; if they have changed, restart with the new ones (of ${file:PATH}, changes need no restart)");

            Files.writeString(file, "after\n");
            awaitWritten(store, T0 + 120_000);
            awaitBack(store);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 120_000));
            awaitRefused(fixed, "restart with the new ones");
            admin.configSet("requirepass", "before");
            awaitWritten(fixed, T0 + 180_000);
        }
    }

    private static void awaitRefused(OnlineStore store, String hint) {
        Await.until("a write that is refused with " + hint, () -> {
            StoreException away = failureOfAWrite(store, T0);
            return away != null
                    && away.kind() == StoreException.Kind.PASSING
                    && String.valueOf(away.getMessage()).contains(" refuses connections while writing")
                    && String.valueOf(away.getMessage()).contains("WRONGPASS")
                    && String.valueOf(away.getMessage()).contains("the password in store.uri")
                    && String.valueOf(away.getMessage()).contains(hint);
        });
        assertThatThrownBy(() -> read(store)).isInstanceOf(StoreException.class).hasMessageContaining("WRONGPASS");
    }

    private static void awaitWritten(OnlineStore store, long endMs) {
        Await.until("a write", () -> failureOfAWrite(store, endMs) == null);
    }

    private static @Nullable StoreException failureOfAWrite(OnlineStore store, long endMs) {
        try {
            store.write(VIEW, blocks(endMs));
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    private static DeploymentConfig.RedisServer configured(RedisProcess server, String password) {
        return ((DeploymentConfig.Redis) DeploymentConfig.parse(
                                "store: {type: redis, uri: \"redis://:%s@127.0.0.1:%d\"}"
                                        .formatted(password, server.port()),
                                "thalweg.yaml",
                                Map.of())
                        .store())
                .server();
    }

    private RedisOnlineStore open(DeploymentConfig.RedisServer server, Duration patience) {
        return RedisOnlineStore.open(server, "t", clock, patience);
    }

    private RedisOnlineStore open(URI uri, Duration patience) {
        return open(new DeploymentConfig.RedisServer(uri, null), patience);
    }

    private static URI withPassword(RedisProcess server, String password) {
        return URI.create("redis://:" + password + "@127.0.0.1:" + server.port() + "/0");
    }

    @Test
    void write_serverKilledAndStartedAgain_waitsAndGoesOn() throws Exception {
        try (RedisProcess server = RedisProcess.start(folder);
                OnlineStore store = RedisOnlineStore.open(server.uri(), "t", clock)) {
            store.write(VIEW, blocks(T0));
            store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0));
            server.kill();
            awaitAway(store);

            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> store.write(VIEW, blocks(T0 + 60_000)));
            assertThat(written).isNotDone();
            server.startAgain();
            Await.get(written);
            store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + 60_000));

            awaitBack(store);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 60_000));
            assertThat(store.watermark(VIEW.qualifiedName())).hasValue(T0 + 60_000);
        }
    }

    /** Writes continue while the server is killed repeatedly: in the end every row is stored. */
    @Test
    void write_serverKilledWhileRowsAreOnTheirWay_losesNone() throws Exception {
        try (RedisProcess server = RedisProcess.start(folder);
                OnlineStore store = RedisOnlineStore.open(server.uri(), "t", clock)) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                for (int minute = 0; minute < 200; minute++) {
                    store.write(VIEW, blocks(T0 + minute * 60_000L));
                    store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + minute * 60_000L));
                }
            });
            for (int i = 0; i < 3; i++) {
                server.kill();
                server.startAgain();
            }
            Await.get(written);

            awaitBack(store);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 199 * 60_000L));
            assertThat(store.watermark(VIEW.qualifiedName())).hasValue(T0 + 199 * 60_000L);
        }
    }

    /** The driver passes the socket's error, not an exception of its own, to the oldest waiting command. */
    @Test
    void write_connectionReset_sendsItAgain() throws Exception {
        try (RedisProcess server = RedisProcess.start(folder);
                ResettingProxy proxy = new ResettingProxy(server.port());
                OnlineStore store = RedisOnlineStore.open(proxy.uri(), "t", clock)) {
            store.write(VIEW, blocks(T0));
            for (int minute = 1; minute <= 3; minute++) {
                proxy.resetNext();
                store.write(VIEW, blocks(T0 + minute * 60_000L));
            }
            assertThat(proxy.resets()).isEqualTo(3);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 3 * 60_000L));
        }
    }

    @Test
    void write_serverStaysAway_failsAfterItsPatience() {
        try (RedisProcess server = RedisProcess.start(folder);
                OnlineStore store = open(server.uri(), Duration.ofMillis(300))) {
            server.kill();
            awaitAway(store);
            assertThatThrownBy(() -> store.write(VIEW, blocks(T0)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("redis://127.0.0.1:" + server.port())
                    .hasMessageContaining("did not answer in time");
            assertThatThrownBy(() -> store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0)))
                    .isInstanceOf(StoreException.class);
        }
    }

    /** The replica is promoted after some seconds; pending writes arrive there. */
    @Test
    void write_masterOfAClusterKilled_goesOnAtItsReplica() throws Exception {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(folder)) {
            cluster.addReplica(folder, 0);
            try (OnlineStore store = open(cluster.masters().get(1).uri(), Await.PATIENCE)) {
                store.write(VIEW, blocks(T0));
                cluster.setNodeTimeout(RedisClusterProcesses.HASTY);
                cluster.masters().get(0).kill();
                for (int minute = 1; minute <= 3; minute++) {
                    store.write(VIEW, blocks(T0 + minute * 60_000L));
                    store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + minute * 60_000L));
                }
                awaitBack(store);
                assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 3 * 60_000L));
                assertThat(store.watermark(VIEW.qualifiedName())).hasValue(T0 + 3 * 60_000L);
            }
        }
    }

    /** Waits until reads fail at once, which shows that the store has noticed. */
    private static void awaitAway(OnlineStore store) {
        StoreException away = null;
        while (away == null) {
            away = failureOfARead(store);
        }
        assertThat(away).hasMessageContaining("while reading").hasMessageContaining("redis://127.0.0.1:");
    }

    static void awaitBack(OnlineStore store) {
        StoreException away = failureOfARead(store);
        while (away != null) {
            away = failureOfARead(store);
        }
    }

    static @Nullable StoreException failureOfARead(OnlineStore store) {
        try {
            List<@Nullable StoredRow> unused = read(store);
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    static List<@Nullable StoredRow> read(OnlineStore store) {
        return store.read(
                        VIEW,
                        IntStream.range(0, 200)
                                .mapToObj(i -> new StoreKey(SmallView.cell(i), List.of()))
                                .toList())
                .rows();
    }

    static long end(@Nullable StoredRow row) {
        return row == null ? Long.MIN_VALUE : row.windowEndMs();
    }

    static List<HexRowBlock> blocks(long windowEndMs) {
        return IntStream.range(0, 200)
                .mapToObj(i -> SmallView.block(windowEndMs, Finality.FINAL, SmallView.cell(i)))
                .toList();
    }
}
