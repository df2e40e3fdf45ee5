package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDBException;

class RocksDbOnlineStoreTest extends OnlineStoreContract {
    @TempDir
    Path folder;

    @Override
    protected OnlineStore open(Clock clock) {
        return RocksDbOnlineStore.open(folder.resolve("store"), clock);
    }

    @Override
    protected void damage(FeatureView view, StoreKey key, byte[] value) throws RocksDBException {
        store.close();
        try (RocksFolder opened = RocksFolder.open(folder.resolve("store"))) {
            byte[] address = RocksLayout.of(view).address(key);
            opened.db().put(opened.newest(), new RowKeys(view).newest(address), value);
        }
        store = open(clock);
    }

    private RocksDbOnlineStore rocks() {
        return (RocksDbOnlineStore) store;
    }

    /** Low priority keeps reads from waiting for compactions: each window end rewrites all rows. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void write_compacts_atTheLowestPriority() throws Exception {
        FeatureView view = withHistory("1h");
        Map<String, Integer> nice = Map.of();
        long untilNanos = System.nanoTime() + Await.PATIENCE.toNanos();
        for (int minute = 0; nice.getOrDefault("rocksdb:low", 0) != 19 && System.nanoTime() < untilNanos; minute++) {
            store.write(view, blocks(view, T0 + minute * MINUTE, 1_000));
            nice = niceOfThreads();
        }
        assertThat(nice).containsEntry("rocksdb:low", 19);
        assertThat(nice)
                .as("flushes, for which the writer waits")
                .containsEntry("rocksdb:high", nice(Files.readString(Path.of("/proc/self/stat"))));
    }

    /** The nice values of the threads of this process, by name. */
    private static Map<String, Integer> niceOfThreads() throws IOException {
        Map<String, Integer> nice = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                try {
                    String stat = Files.readString(thread.resolve("stat"));
                    nice.put(stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')), nice(stat));
                } catch (IOException e) {
                    // The thread has ended.
                }
            }
        }
        return nice;
    }

    private static int nice(String stat) {
        String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Integer.parseInt(afterName[16]);
    }

    /** A copy of the open folder contains what a killed process leaves behind. */
    @Test
    void open_afterAKill_keepsRowsAndProgress() throws IOException {
        FeatureView view = withHistory("1h");
        for (int minute = 0; minute < 20; minute++) {
            store.write(view, blocks(view, T0 + minute * MINUTE, 100));
            store.writeProgress(new Progress("demand", 0, 1, T0 + minute * MINUTE));
        }
        store.flush();
        Path copy = copy();

        try (OnlineStore after = RocksDbOnlineStore.open(copy, clock)) {
            assertThat(after.watermark("demand")).hasValue(T0 + 19 * MINUTE);
            List<StoreKey> keys =
                    IntStream.range(0, 100).mapToObj(i -> key(cell(i))).toList();
            assertThat(after.read(view, keys).rows())
                    .allSatisfy(row -> assertThat(row.windowEndMs()).isEqualTo(T0 + 19 * MINUTE));
            assertThat(after.readAsOf(view, keys, T0).rows())
                    .allSatisfy(row -> assertThat(row.windowEndMs()).isEqualTo(T0));
        }
    }

    @Test
    void backup_whileRowsAreWritten_holdsAllRowsUpToItsWatermark() throws Exception {
        FeatureView view = withHistory("1h");
        List<StoreKey> keys =
                IntStream.range(0, 100).mapToObj(i -> key(cell(i))).toList();
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            for (int minute = 0; !stop.get(); minute++) {
                store.write(view, blocks(view, T0 + minute * MINUTE, 100));
                store.writeProgress(new Progress("demand", 0, 1, T0 + minute * MINUTE));
                begun.countDown();
            }
        });
        begun.await();
        for (int i = 0; i < 5; i++) {
            Path backup = store.backup("copy-" + i);
            assertThat(backup).isEqualTo(folder.resolve("store-backups").resolve("copy-" + i));

            Path restored = folder.resolve("restored-" + i);
            RocksBackup.restore(backup, restored, clock);
            try (OnlineStore after = RocksDbOnlineStore.open(restored, clock)) {
                long watermark = after.watermark("demand").orElseThrow();
                assertThat(after.read(view, keys).rows())
                        .allSatisfy(row -> assertThat(row.windowEndMs()).isBetween(watermark, watermark + MINUTE));
                assertThat(after.readAsOf(view, keys, watermark).rows())
                        .allSatisfy(row -> assertThat(row.windowEndMs()).isEqualTo(watermark));
            }
        }
        stop.set(true);
        writer.get();
    }

    @Test
    void backup_afterItsStoreChanged_staysAsItWas() {
        FeatureView view = latestOnly();
        store.write(view, blocks(view, T0, 10));
        Path backup = store.backup("before");
        store.write(view, blocks(view, T0 + MINUTE, 10));
        store.close();
        Path path = folder.resolve("store");

        assertThatThrownBy(() -> RocksBackup.restore(backup, path, clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not empty")
                .hasMessageContaining("move the folder away");
        assertThat(path.toFile().renameTo(folder.resolve("old").toFile())).isTrue();
        for (int twice = 0; twice < 2; twice++) {
            RocksBackup.restore(backup, path, clock);
            store = open(clock);
            assertThat(present(readOne(view, cell(0))).windowEndMs()).isEqualTo(T0);
            store.write(view, blocks(view, T0 + 2 * MINUTE, 10));
            store.close();
            assertThat(path.toFile().renameTo(folder.resolve("old-" + twice).toFile()))
                    .isTrue();
        }
        store = open(clock);
    }

    @Test
    void backup_ofABadName_isRefused() {
        assertThat(store.backup("a")).isDirectory();
        for (String name : List.of("a", "", "..", "a/b", ".a", "a b", "a".repeat(101))) {
            assertThatThrownBy(() -> store.backup(name)).as(name).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(folder.resolve("store-backups").toFile().list()).containsExactly("a");
    }

    @Test
    void restore_notABackup_isRefusedAndLeavesNothing() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path target = folder.resolve("target");
        assertThatThrownBy(() -> RocksBackup.restore(empty, target, clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a backup");
        Files.writeString(empty.resolve("CURRENT"), "MANIFEST-000001\n");
        assertThatThrownBy(() -> RocksBackup.restore(empty, target, clock)).isInstanceOf(StoreException.class);
        assertThat(target).doesNotExist();
    }

    private Path copy() throws IOException {
        Path copy = Files.createDirectory(folder.resolve("copy"));
        try (Stream<Path> files = Files.list(folder.resolve("store"))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    @Test
    void sweep_rowsExpired_leaveTheDisk() {
        FeatureView latest = latestOnly();
        FeatureView history = view("supply", "1h");
        store.write(latest, blocks(latest, T0, 30_000));
        store.write(history, blocks(history, T0, 100));
        store.write(history, blocks(history, T0 + 60 * MINUTE, 100));
        assertThat(rocks().rowsKept()).isEqualTo(30_300);

        at(T0 + 71 * MINUTE);
        sweepAll();

        assertThat(rocks().rowsKept()).as("100 newest and 100 of history").isEqualTo(200);
        at(T0 + 131 * MINUTE);
        sweepAll();
        assertThat(rocks().rowsKept()).isZero();
    }

    @Test
    void sweep_keyedRowsExpired_leaveTheDiskBesideBundles() {
        FeatureView view = keyed("1h");
        FeatureView cells = latestOnly();
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a", "b")));
        store.write(view, List.of(keyedBlock(view, T0 + 60 * MINUTE, Finality.FINAL, 0, 1, "a")));
        store.write(cells, blocks(cells, T0 + 60 * MINUTE, 10));
        assertThat(rocks().rowsKept()).as("2 newest, 3 of history, 10 of cells").isEqualTo(15);

        at(T0 + 71 * MINUTE);
        sweepAll();

        assertThat(rocks().rowsKept()).as("1 newest and 1 of history").isEqualTo(2);
        assertThat(count(view, "a")).isEqualTo(1);
    }

    /** Several tiles of several groups, of views whose names begin alike. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 9, 15})
    void coverage_randomRows_namesEachTileAndGroupOnce(int resolution) {
        FeatureView view = ofResolution(withHistory("1h"), resolution);
        FeatureView other = ofResolution(view("demand2", null), resolution);
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        Map<Coverage, Long> expected = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            List<Object> group = List.of("00000000-0000-0000-0000-00000000000" + random.nextInt(3));
            long cell = tiling.cell(random.nextDouble(-90, 90), random.nextDouble(-180, 180));
            long windowEndMs = T0 - MINUTE * random.nextInt(3);
            store.write(view, List.of(block(view, windowEndMs, group, cell, i)));
            store.write(other, List.of(block(other, windowEndMs + MINUTE, group, cell, i)));
            expected.merge(new Coverage(tiling.tile(cell), group, 0), windowEndMs, Math::max);
        }
        List<Coverage> all = expected.entrySet().stream()
                .map(place -> new Coverage(place.getKey().tile(), place.getKey().group(), place.getValue()))
                .toList();

        assertThat(store.coverage(view)).containsExactlyInAnyOrderElementsOf(all);
        for (long tile : all.stream().mapToLong(Coverage::tile).distinct().toArray()) {
            assertThat(store.coverage(view, new long[] {tile}))
                    .containsExactlyInAnyOrderElementsOf(
                            all.stream().filter(place -> place.tile() == tile).toList());
        }
    }

    @Test
    void coverage_rowsExpiredOrUnreadable_areNoPlaces() throws RocksDBException {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        damage(view, key(cell(0)), new byte[] {1});
        assertThat(store.coverage(view)).isEmpty();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        assertThat(store.coverage(view)).hasSize(1);
        at(T0 + 10 * MINUTE + 1);
        assertThat(store.coverage(view)).isEmpty();
    }

    @Test
    void readKeyed_rowOfOtherMeasures_isAbsentUntilRewritten() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a")));
        FeatureView wider = Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: campaigns
                        source: {topic: ads}
                        entities: [{name: campaign, field: c}]
                        measures: [{count: all}]
                        windows: {sizes: [1m], every: 1m}
                        """, "campaigns.yaml").views().get(0);
        assertThat(store.read(wider, List.of(keyOf("a"))).rows().get(0)).isNull();
        assertThat(count(view, "a")).isEqualTo(1);
    }

    @Test
    void sweep_afterReopen_removesRowsOfViewsThatNobodyWrites() {
        FeatureView view = view("supply", "1h");
        store.write(view, blocks(view, T0, 100));
        reopen();
        at(T0 + 71 * MINUTE);
        sweepAll();
        assertThat(rocks().rowsKept()).isZero();
    }

    @Test
    void sweep_historyTakenFromTheView_dropsIt() {
        FeatureView view = withHistory("1h");
        store.write(view, blocks(view, T0, 10));
        store.write(latestOnly(), blocks(view, T0 + MINUTE, 10));
        sweepAll();
        assertThat(rocks().rowsKept()).isEqualTo(10);
    }

    @Test
    void sweep_rowRewrittenAfterItWasRemoved_isReadable() {
        FeatureView view = latestOnly();
        store.write(view, blocks(view, T0, 1));
        at(T0 + 11 * MINUTE);
        sweepAll();
        store.write(view, blocks(view, T0 + 11 * MINUTE, 1));
        assertThat(present(readOne(view, cell(0))).windowEndMs()).isEqualTo(T0 + 11 * MINUTE);
    }

    private void sweepAll() {
        for (int step = 0; step < 10; step++) {
            rocks().sweep();
        }
    }

    @Test
    void open_inUse_namesThePathAndTheRemedy() {
        Path path = folder.resolve("store");
        assertThatThrownBy(() -> RocksDbOnlineStore.open(path, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("in use")
                .hasMessageContaining("stop it");
    }

    @Test
    void open_formatOfALaterVersion_namesThePathAndTheRemedy() throws RocksDBException {
        Path path = folder.resolve("later");
        try (RocksFolder later = RocksFolder.open(path)) {
            later.db().put(later.meta(), new byte[] {'v'}, new byte[] {0, 0, 0, 4});
        }
        assertThatThrownBy(() -> RocksDbOnlineStore.open(path, clock))
                .isInstanceOf(StoreException.class)
                .hasMessage("store.path '" + path + "' has format 4, this version reads 3;"
                        + " start with the Thalweg that wrote it, or delete the folder and replay");
    }

    @Test
    void open_inUseByAnotherProcess_namesThePathAndTheRemedy() {
        Path path = folder.resolve("held");
        try (Subprocess holder = Subprocess.start(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                path.toString())) {
            holder.awaitLine("open", Await.PATIENCE);
            assertThatThrownBy(() -> RocksDbOnlineStore.open(path, clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("in use by another process"
                            + (Files.exists(Path.of("/proc/locks")) ? " (pid " + holder.pid() + ")" : ""));
            holder.signal(Subprocess.Signal.KILL);
            holder.awaitExit(Await.PATIENCE);
        }
        RocksDbOnlineStore.open(path, clock).close();
    }

    /** Holds a store open until it is killed. */
    static final class Holder {
        public static void main(String[] args) throws InterruptedException {
            RocksDbOnlineStore.open(Path.of(args[0]), Clock.systemUTC());
            System.out.println("open");
            Thread.currentThread().join();
        }
    }

    @Test
    void open_pathIsAFile_saysSo() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> RocksDbOnlineStore.open(file, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is a file");
    }

    @Test
    void open_parentIsAFile_namesThePath() throws IOException {
        Path below = Files.createFile(folder.resolve("file")).resolve("store");
        assertThatThrownBy(() -> RocksDbOnlineStore.open(below, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(below.toString())
                .hasMessageContaining("'" + below.getParent() + "' is a file, not a folder; name a path in a folder")
                .hasMessageNotContaining("Exception");
    }

    @Test
    void open_fileDamaged_namesThePath() throws IOException {
        store.close();
        Path current = folder.resolve("store").resolve("CURRENT");
        Files.writeString(current, "nonsense");
        assertThatThrownBy(() -> open(clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be opened")
                .hasMessageContaining(folder.toString());
        store = RocksDbOnlineStore.open(folder.resolve("fresh"), clock);
    }

    @Test
    void write_layoutOfFeasts_isRefusedWithTheRemedy() {
        FeatureView view = latestOnly();
        FeatureView feast = view.withOnline(new Online(view.online().ttl(), null, Online.Layout.FEAST_SCALARS));
        assertThatThrownBy(() -> store.write(feast, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("view demand: online.layout must be packed with store.type: rocksdb, was feast-scalars;"
                        + " use store.type: redis, or layout: packed");
        assertThatThrownBy(() -> store.read(feast, List.of()).rows()).hasMessageContaining("online.layout");
        assertThatThrownBy(() -> store.write(feast, List.of())).hasMessageContaining("online.layout");
        assertThatThrownBy(() -> store.read(feast, List.of()).rows()).hasMessageContaining("online.layout");
    }

    private static List<io.thalweg.model.row.HexRowBlock> blocks(FeatureView view, long windowEndMs, int rows) {
        return IntStream.range(0, rows)
                .mapToObj(i -> block(view, windowEndMs, Finality.FINAL, cell(i), i % 50))
                .toList();
    }
}
