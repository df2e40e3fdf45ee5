package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.RestCatalog.Fault;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code thalweg ingest} into tables of a catalog behind REST: each event is one row, whatever happens to requests and answers. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class RestCatalogIT {
    private static final Duration PATIENCE = Await.PATIENCE;

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    private RestCatalog catalog;
    private RidesTopic rides;
    private IngestFolder ingest;

    @BeforeEach
    void startCatalog() throws IOException {
        catalog = RestCatalog.start(Files.createDirectory(folder.resolve("warehouse")));
        rides = BROKER.topic(folder, 2);
        ingest = rides.ingest();
        configure(catalog.uri().toString());
        rides.define("", "iceberg: deep.lake.rides");
    }

    @AfterEach
    void stopCatalog() {
        catalog.close();
    }

    private void configure(String rest) throws IOException {
        rides.configure("catalogs: {default: {rest: \"%s\", warehouse: lake, token: open-sesame}}".formatted(rest));
    }

    private String metadata() throws IOException {
        return catalog.metadata("deep.lake", "rides");
    }

    private List<Long> ids() throws IOException {
        String metadata = metadata();
        List<Long> ids =
                metadata.isEmpty() ? new ArrayList<>() : ParquetFolder.longs(IcebergFolder.filesOf(metadata), "id");
        ids.sort(null);
        return ids;
    }

    private long rowCount() throws IOException {
        String metadata = metadata();
        return metadata.isEmpty() ? 0 : ParquetFolder.rowCount(IcebergFolder.filesOf(metadata));
    }

    private List<Snapshot> snapshots() throws IOException {
        List<Snapshot> snapshots = new ArrayList<>();
        IcebergFolder.table(metadata()).snapshots().forEach(snapshots::add);
        return snapshots;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Tag("test")
    @Test
    void ingestOnce_twice_makesTheTableAndAppends() throws IOException {
        rides.send(0, 500);
        assertThat(ingest.succeed("--once")).containsEntry("events", 500L).containsEntry("written", 500L);
        rides.send(500, 700);
        assertThat(ingest.succeed("--once", "--parallelism", 2)).containsEntry("written", 200L);

        assertThat(ids()).isEqualTo(range(0, 700));
        assertThat(IcebergFolder.table(metadata()).properties())
                .as("a version of the metadata is not kept for each commit")
                .containsEntry("write.metadata.delete-after-commit.enabled", "true");
        assertThat(catalog.authorizations()).containsExactly("Bearer open-sesame");
    }

    @Tag("faults")
    @ParameterizedTest
    @EnumSource(Fault.class)
    void ingestOnce_commitsGetLost_eachRecordIsWrittenOnce(Fault fault) throws IOException {
        ingest.succeed("--once");
        rides.send(0, 500);
        catalog.next(fault, fault);

        assertThat(ingest.succeed("--once")).containsEntry("events", 500L).containsEntry("written", 500L);

        assertThat(catalog.hasFaultsLeft()).isFalse();
        assertThat(ids()).isEqualTo(range(0, 500));
        assertThat(snapshots())
                .extracting(snapshot -> snapshot.summary().get("thalweg.commit"))
                .doesNotHaveDuplicates();
    }

    @Tag("soak")
    @Test
    void ingest_catalogIsAwayForAWhile_goesOnWhenItIsBack() throws Exception {
        rides.define("", "iceberg: deep.lake.rides, compact: {every: 1s}");
        long sent = 0;
        try (Subprocess process = ingest.start("--parallelism", 2)) {
            while (rowCount() == 0) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                rides.send(sent, sent + 100);
                sent += 100;
                TimeUnit.MILLISECONDS.sleep(20);
            }
            catalog.setAway(true);
            int before = catalog.refused();
            while (catalog.refused() < before + 5) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                rides.send(sent, sent + 100);
                sent += 100;
                TimeUnit.MILLISECONDS.sleep(20);
            }
            catalog.setAway(false);
            catalog.next(Fault.ANSWER_LOST, Fault.REQUEST_LATE, Fault.REQUEST_LOST);
            while (catalog.hasFaultsLeft()) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                rides.send(sent, sent + 1);
                sent++;
                TimeUnit.MILLISECONDS.sleep(20);
            }
            while (rowCount() < sent) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                TimeUnit.MILLISECONDS.sleep(20);
            }
            process.signal(Subprocess.Signal.KILL);
            process.awaitExit(PATIENCE);
        }
        rides.send(sent, sent + 100);

        ingest.succeed("--once");

        assertThat(ids()).isEqualTo(range(0, sent + 100));
    }

    @Tag("faults")
    @Test
    void ingest_noCatalogThere_saysSo() throws IOException {
        configure("http://127.0.0.1:" + FreePorts.next());

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("the catalog at http://127.0.0.1:")
                .contains("cannot be used: ")
                .contains("is it running? See catalogs.default in thalweg.yaml")
                .doesNotContain("open-sesame");
    }
}
