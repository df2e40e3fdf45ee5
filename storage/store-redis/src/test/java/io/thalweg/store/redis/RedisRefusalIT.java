package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that answers, and refuses what it could do before, until an operator acts: rows wait, reads continue. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class RedisRefusalIT {
    private static final FeatureView VIEW = SmallView.VIEW;
    private static final long T0 = SmallView.T0;

    @TempDir
    static Path folder;

    private static RedisProcess server;
    private static RedisClient client;
    private static RedisCommands<String, String> redis;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T0));
    private final String project = "t" + UUID.randomUUID();

    @BeforeAll
    static void startServer() {
        server = RedisProcess.start(folder);
        client = server.client();
        redis = client.connect().sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Test
    void write_scriptsAreFlushedMeanwhile_losesNone() throws Exception {
        try (OnlineStore store = RedisOnlineStore.open(server.uri(), project, clock)) {
            AtomicInteger minute = new AtomicInteger();
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                for (; minute.get() < 200; minute.incrementAndGet()) {
                    write(store, minute.get());
                }
            });
            int flushed = 0;
            for (; !written.isDone(); flushed++) {
                redis.scriptFlush();
            }
            Await.get(written);
            assertThat(flushed).isGreaterThan(10);
            assertStored(store, 199);
        }
    }

    @Test
    void write_serverIsMadeAReplica_waitsUntilItIsTheMasterAgain() throws Exception {
        assertWaits(
                () -> redis.replicaof("127.0.0.1", FreePorts.next()),
                redis::replicaofNoOne,
                "READONLY",
                "store.uri names a replica; name the master, or make it one: REPLICAOF NO ONE");
    }

    @Test
    void write_memoryIsFull_waitsUntilThereIsMore() throws Exception {
        assertWaits(
                () -> redis.configSet("maxmemory", "1mb"),
                () -> redis.configSet("maxmemory", "0"),
                "OOM",
                "raise its maxmemory, or keep rows for less time (online.ttl, online.history)");
    }

    @Test
    void write_tooFewReplicas_waitsForThem() throws Exception {
        assertWaits(
                () -> redis.configSet("min-replicas-to-write", "1"),
                () -> redis.configSet("min-replicas-to-write", "0"),
                "NOREPLICAS",
                "start its replicas, or lower its min-replicas-to-write");
    }

    /** A folder is in the way of the snapshot. */
    @Test
    void write_snapshotFails_waitsUntilOneSucceeds() throws Exception {
        Path inTheWay = folder.resolve("dump.rdb");
        redis.configSet("save", "3600 1");
        try {
            assertWaits(
                    () -> {
                        Files.createFile(Files.createDirectory(inTheWay).resolve("file"));
                        snapshot("err");
                    },
                    () -> {
                        Files.delete(inTheWay.resolve("file"));
                        Files.delete(inTheWay);
                        snapshot("ok");
                    },
                    "MISCONF",
                    "it cannot save to its disk: make room there, see the server's log");
        } finally {
            redis.configSet("save", "");
        }
    }

    private static void snapshot(String outcome) {
        redis.bgsave();
        Await.until(
                "a snapshot: " + outcome,
                () -> redis.info("persistence").contains("rdb_last_bgsave_status:" + outcome));
    }

    /** As where a name service moves the name of the master: its connections stay, and lead to the old one. */
    @Test
    void write_addressLeadsToAnotherMasterNow_goesOnThere() throws Exception {
        try (RedisProcess next = RedisProcess.start(Files.createDirectory(folder.resolve("next")));
                ResettingProxy proxy = new ResettingProxy(server.port());
                OnlineStore store = RedisOnlineStore.open(proxy.uri(), project, clock)) {
            write(store, 0);
            proxy.leadTo(next.port());
            redis.replicaof("127.0.0.1", next.port());
            try {
                Await.until("a write to the next master", () -> failureOfAWrite(store, 1) == null);
                RedisClusterProcesses.with(
                        next, there -> assertThat(there.keys(project + ":*")).isNotEmpty());
            } finally {
                redis.replicaofNoOne();
            }
        }
    }

    private interface Change {
        void make() throws IOException;
    }

    /** Asserts that rows wait with a reason and its remedy from one change to the other, that nothing is lost, and that reads go on. */
    private void assertWaits(Change trouble, Change remedy, String reason, String hint) throws Exception {
        try (OnlineStore store = RedisOnlineStore.open(server.uri(), project, clock)) {
            write(store, 0);
            trouble.make();
            try {
                Await.until("a refusal", () -> failureOfAWrite(store, 1) != null);
                for (int i = 0; i < 3; i++) {
                    assertThat(failureOfAWrite(store, 1))
                            .hasMessageContaining(
                                    "the store redis://127.0.0.1:" + server.port() + " refused while writing")
                            .hasMessageContaining(reason)
                            .hasMessageEndingWith(hint)
                            .extracting(StoreException::kind)
                            .isEqualTo(StoreException.Kind.PASSING);
                }
                assertStored(store, 0);
            } finally {
                remedy.make();
            }
            Await.until("a write", () -> failureOfAWrite(store, 1) == null);
            assertStored(store, 1);
        }
    }

    private static @Nullable StoreException failureOfAWrite(OnlineStore store, int minute) {
        try {
            write(store, minute);
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    private static void write(OnlineStore store, int minute) {
        store.write(VIEW, RedisTroubleIT.blocks(T0 + minute * 60_000L));
        store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + minute * 60_000L));
    }

    private static void assertStored(OnlineStore store, int minute) {
        assertThat(RedisTroubleIT.read(store))
                .allSatisfy(row -> assertThat(RedisTroubleIT.end(row)).isEqualTo(T0 + minute * 60_000L));
        assertThat(store.watermark(VIEW.qualifiedName())).hasValue(T0 + minute * 60_000L);
    }
}
