package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store on a disk that is really full: an in-memory one that only a child process sees. */
@Tag("faults")
class RocksDbFullDiskIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String DISK_MIB = "256";

    @TempDir
    Path disk;

    @BeforeEach
    void requireDisks() {
        try (Subprocess probe = withDisk("true")) {
            assumeTrue(probe.awaitExit(PATIENCE) == 0, () -> "no disk can be mounted here: " + probe.stderr());
        } catch (UncheckedIOException e) {
            assumeTrue(false, "no disk can be mounted here: " + e.getMessage());
        }
    }

    private Subprocess withDisk(String... command) {
        List<String> mounted = List.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + DISK_MIB + "m tmpfs \"$0\" && exec \"$@\"",
                disk.toString());
        return Subprocess.start(
                Path.of("."),
                Map.of(),
                Stream.concat(mounted.stream(), Stream.of(command)).toList());
    }

    @Test
    void write_noRoomForTheLog_waitsForItAndLosesNothing() {
        assertThat(fill(Room.NOT_FOR_THE_LOG))
                .contains("its disk is full", disk.toString(), "make room")
                .containsPattern("because .*[.]log: No space left");
    }

    @Test
    void write_noRoomForAFlush_waitsForItAndLosesNothing() {
        assertThat(fill(Room.NOT_FOR_A_FLUSH))
                .contains("its disk is full", disk.toString(), "make room")
                .containsPattern("because .*[.]sst: No space left");
    }

    @Test
    void open_noRoomAtAll_saysSo() {
        assertThat(fill(Room.NONE)).contains("its disk is full", disk.toString(), "make room");
    }

    /** Returns the message of the failure that reported the full disk. */
    private String fill(Room room) {
        try (Subprocess filler = withDisk(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Filler.class.getName(),
                disk.toString(),
                room.name())) {
            String refusal = filler.awaitLine("^refused: ", PATIENCE);
            filler.awaitLine("^all there$", PATIENCE);
            assertThat(filler.awaitExit(PATIENCE)).isZero();
            return refusal;
        }
    }

    /** The room that is left on the disk, in MiB. */
    private enum Room {
        NONE(0),
        NOT_FOR_THE_LOG(4),
        /** Enough for the log of a write buffer of 32 MiB, and then for half of its flush. */
        NOT_FOR_A_FLUSH(48);

        private final long mib;

        Room(long mib) {
            this.mib = mib;
        }
    }

    /** Writes until the disk is full, makes room, continues, and checks each row. */
    static final class Filler {
        private static final FeatureView VIEW =
                Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: campaigns
                        source: {topic: ads}
                        entities: [{name: campaign, field: c}]
                        measures: [{count: all}, {mean: cost}, {sum: items, type: int64}, {max: cost}]
                        windows: {sizes: [1m], every: 1m}
                        """, "campaigns.yaml").views().get(0);
        private static final int ROWS = 100;
        private static final String LONG = "x".repeat(1_000);

        private final Path folder;
        private final Path ballast;
        private int blocks;
        private long progress;

        private Filler(Path disk) {
            this.folder = disk.resolve("store");
            this.ballast = disk.resolve("ballast");
        }

        public static void main(String[] args) throws IOException {
            Filler filler = new Filler(Path.of(args[0]));
            Room room = Room.valueOf(args[1]);
            if (room == Room.NONE) {
                filler.openLater();
            } else {
                filler.writeLater(room);
            }
            System.out.println("all there");
        }

        private OnlineStore open() {
            return RocksDbOnlineStore.open(folder, new FakeClock(Instant.EPOCH));
        }

        private void openLater() throws IOException {
            leave(0);
            refuses(() -> open().close());
            Files.delete(ballast);
            try (OnlineStore store = open()) {
                write(store);
                writeProgress(store);
                check(store);
            }
        }

        private void writeLater(Room room) throws IOException {
            leave(room.mib);
            try (OnlineStore store = open()) {
                refuses(() -> {
                    while (room != Room.NOT_FOR_A_FLUSH || logs() == 1) {
                        write(store);
                    }
                    while (true) { // so little at a time that the running flush is the first to need room
                        writeProgress(store);
                        LockSupport.parkNanos(10_000_000);
                    }
                });
                refuses(() -> write(store));
                refuses(() -> writeProgress(store));
                refuses(store::flush);
                check(store);

                Files.delete(ballast);
                for (int more = 0; more < 100; more++) {
                    write(store);
                    writeProgress(store);
                }
                store.flush();
                check(store);
            }
            try (OnlineStore store = open()) {
                check(store);
            }
        }

        /** RocksDB starts a log with each write buffer. */
        private int logs() {
            return Objects.requireNonNull(folder.toFile().listFiles((in, name) -> name.endsWith(".log"))).length;
        }

        private void leave(long mib) throws IOException {
            byte[] some = new byte[64 << 10];
            try (OutputStream out = Files.newOutputStream(ballast)) {
                while (ballast.toFile().getUsableSpace() > mib << 20) {
                    out.write(some, 0, (int)
                            Math.min(some.length, ballast.toFile().getUsableSpace()));
                }
            }
        }

        private static void refuses(Runnable call) {
            StoreException refusal = catchThrowableOfType(StoreException.class, call::run);
            assertThat(refusal.kind()).as(refusal.getMessage()).isEqualTo(StoreException.Kind.PASSING);
            System.out.println("refused: " + refusal.getMessage() + "; because " + refusal.getCause());
        }

        /** Writes the next block; a refused one is retried next. */
        private void write(OnlineStore store) {
            String[] keys = keys(blocks).toArray(String[]::new);
            store.write(VIEW, List.of(OnlineStoreContract.keyedBlock(VIEW, 0, Finality.FINAL, 0, blocks, keys)));
            blocks++;
        }

        private void writeProgress(OnlineStore store) {
            store.writeProgress(new Progress("campaigns", 0, 1, progress + 1));
            progress++;
        }

        private static List<String> keys(int block) {
            return IntStream.range(0, ROWS)
                    .mapToObj(row -> block + "-" + row + LONG)
                    .toList();
        }

        private void check(OnlineStore store) {
            assertThat(store.watermark("campaigns").orElse(0)).isEqualTo(progress);
            for (int block = 0; block < blocks; block++) {
                List<StoreKey> keys =
                        keys(block).stream().map(OnlineStoreContract::keyOf).toList();
                List<Object> counts = new ArrayList<>();
                store.read(VIEW, keys)
                        .rows()
                        .forEach(row -> counts.add(
                                OnlineStoreContract.present(row).values().get(0)));
                assertThat(counts)
                        .isEqualTo(IntStream.range(block, block + ROWS)
                                .mapToObj(count -> (Object) (long) count)
                                .toList());
            }
        }
    }
}
