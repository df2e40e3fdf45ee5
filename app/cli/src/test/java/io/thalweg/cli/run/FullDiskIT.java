package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.devkit.DriverTable;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.store.StoreKey;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C while the disk of the embedded store is full: an in-memory disk that only the processes of this test see. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class FullDiskIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final long DAY_END = 1_795_132_800_000L; // 2026-11-20T00:00:00Z
    private static final int DRIVERS = 60_000;
    private static final Pattern COUNTS = Pattern.compile("driver_stats: rows=(\\d+) written=(\\d+) ");

    @TempDir
    Path folder;

    @Test
    void materialize_interruptedWhileTheDiskIsFull_saysWhatIsNotWrittenAndResumes() throws Exception {
        DriverTable.write(folder.resolve("lake/part-0.parquet"), 0, DRIVERS, DAY_END, 3_000);
        Path spec = Files.writeString(folder.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {parquet: lake}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}, {name: rating, field: avg_rating}, {name: vip, type: bool}]
                event_time: {field: ts}
                online: {ttl: 10000d}
                """);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                store: {path: disk/store}
                checkpoints: {dir: checkpoints, every: 200ms}
                """);
        Files.createDirectory(folder.resolve("disk"));
        try (Subprocess holder = Subprocess.start(
                folder,
                Map.of(),
                List.of(
                        "unshare",
                        "--map-root-user",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o size=64m tmpfs disk && echo mounted && exec sleep 86400"))) {
            requireMounted(holder);
            List<String> inside = inside(holder);
            sh(inside, "head -c 63m /dev/zero >disk/ballast");

            String stopped;
            try (Subprocess load = materialize(inside, spec)) {
                load.awaitLine("waiting, nothing is lost: .*disk is full", PATIENCE);
                load.interrupt();

                assertThat(load.awaitExit(PATIENCE)).isEqualTo(130);
                stopped = String.join("\n", load.stderr());
            }
            assertThat(stopped)
                    .contains("there is no savepoint (what was read could not be written within ")
                    .contains("the next start resumes from the last checkpoint and repeats the work after it");
            assertThat(count(stopped, 2)).isLessThan(count(stopped, 1));

            sh(inside, "rm disk/ballast");
            try (Subprocess load = materialize(inside, spec)) {
                assertThat(load.awaitExit(PATIENCE))
                        .as(load.stderr().toString())
                        .isZero();
            }
            sh(inside, "cp -r disk/store copy");
        }
        assertStored(Definitions.load(List.of(spec)).materializations().get(0).view());
    }

    private static void requireMounted(Subprocess holder) {
        try {
            holder.awaitLine("mounted", PATIENCE);
        } catch (AssertionError e) {
            assumeTrue(false, "no disk can be mounted here: " + e.getMessage());
        }
    }

    /** Returns what a command begins with to see the disk, in the folder of the test. */
    private static List<String> inside(Subprocess holder) {
        return List.of(
                "nsenter",
                "--preserve-credentials",
                "--user",
                "--mount",
                "--target",
                String.valueOf(holder.pid()),
                "sh",
                "-c",
                "cd \"$0\" && exec \"$@\"");
    }

    private Subprocess start(List<String> inside, Stream<String> command) {
        return Subprocess.start(
                folder,
                Map.of(),
                Stream.of(inside.stream(), Stream.of(folder.toString()), command)
                        .flatMap(words -> words)
                        .toList());
    }

    private Subprocess materialize(List<String> inside, Path spec) {
        return start(
                inside,
                Stream.concat(
                        Launched.program("-Xmx1g").stream(),
                        Stream.of("materialize", spec.toString(), "--config", "thalweg.yaml")));
    }

    private void sh(List<String> inside, String line) {
        try (Subprocess shell = start(inside, Stream.of("sh", "-c", line))) {
            assertThat(shell.awaitExit(PATIENCE))
                    .as(line + ": " + shell.stderr())
                    .isZero();
        }
    }

    private static long count(String lines, int group) {
        Matcher counts = COUNTS.matcher(lines);
        assertThat(counts.find()).as(lines).isTrue();
        return Long.parseLong(counts.group(group));
    }

    private void assertStored(FeatureView view) {
        List<StoreKey> keys = LongStream.range(0, DRIVERS)
                .mapToObj(driver -> new StoreKey(0, List.of(driver)))
                .toList();
        try (OnlineStore store = RocksDbOnlineStore.open(folder.resolve("copy"), Clock.systemUTC())) {
            List<StoredRow> rows = store.read(view, keys).rows();
            for (int driver = 0; driver < DRIVERS; driver++) {
                assertThat(rows.get(driver).values())
                        .as("driver " + driver)
                        .isEqualTo(Arrays.asList(
                                DriverTable.trips(driver),
                                DriverTable.rating(driver),
                                DriverTable.isVip(driver) ? 1L : 0L));
            }
        }
    }
}
