package io.thalweg.jobs.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.ParquetRecords;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.Partition;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableCommit;
import io.thalweg.tables.iceberg.TableCompactor;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests at which moments of a checkpoint the tasks of a table sink may die. */
class TableSinkTest {
    private static final Struct IDS = new Struct(List.of(Field.required("id", FieldType.INT64)));

    @TempDir
    Path warehouse;

    private TableSpec.Expiry expiry = new TableSpec.Expiry(Duration.ofDays(7), 10_000);

    private TableSpec spec() {
        return new TableSpec(
                new TableAddress(new CatalogAddress.Folder(warehouse.toString()), "rides"),
                TableLayout.of(IDS),
                Compression.NONE,
                1 << 20,
                expiry,
                null,
                null,
                "collect",
                "test/ingest/rides",
                "run",
                "table-sink-test");
    }

    /** What a completed checkpoint contains of the job's state. */
    private record Checkpoint(long id, OperatorSubtaskState collected, OperatorSubtaskState committing) {}

    /** An attempt of a job: two writing subtasks, the one that collects and the one that commits. Dies without any last action. */
    private final class Attempt {
        private final List<DataFilesWriter> writers = List.of(new DataFilesWriter(spec()), new DataFilesWriter(spec()));
        private final OneInputStreamOperatorTestHarness<CommittableMessage<String>, CommittableMessage<TableCommit>>
                collecting = new OneInputStreamOperatorTestHarness<>(new CommitAggregator(spec()));
        private final OneInputStreamOperatorTestHarness<
                        CommittableMessage<TableCommit>, CommittableMessage<TableCommit>>
                committing = new OneInputStreamOperatorTestHarness<>(
                        new CommitterOperatorFactory<>(new TableSink(spec()), false, true));

        Attempt(@Nullable Checkpoint from) throws Exception {
            for (OneInputStreamOperatorTestHarness<?, ?> each : List.of(collecting, committing)) {
                each.setup();
                if (from != null) {
                    each.setRestoredCheckpointId(from.id());
                    each.initializeState(each == collecting ? from.collected() : from.committing());
                }
                each.open();
            }
        }

        /** Writes rows with all but the last subtask, which has none. */
        void write(long... ids) throws IOException {
            ColumnWriter rows = new ColumnWriter(IDS);
            for (long id : ids) {
                rows.begin();
                rows.int64(0, id);
                rows.end();
            }
            ColumnBatch batch = rows.take();
            writers.get(0).write(batch, null);
        }

        /** Takes a checkpoint of all tasks; nothing is committed before {@link #complete}. */
        Checkpoint checkpoint(long id) throws Exception {
            for (int subtask = 0; subtask < writers.size(); subtask++) {
                for (String file : writers.get(subtask).prepareCommit()) {
                    collecting.processElement(new StreamRecord<>(new CommittableWithLineage<>(file, id, subtask)));
                }
            }
            collecting.prepareSnapshotPreBarrier(id);
            for (CommittableMessage<TableCommit> message : collecting.extractOutputValues()) {
                committing.processElement(new StreamRecord<>(message));
            }
            collecting.getOutput().clear();
            return new Checkpoint(id, collecting.snapshot(id, id), committing.snapshot(id, id));
        }

        void complete(Checkpoint checkpoint) throws Exception {
            committing.notifyOfCompletedCheckpoint(checkpoint.id());
        }
    }

    @Test
    void commit_checkpointsWithoutRows_leaveNoSnapshot() throws Exception {
        Attempt job = new Attempt(null);
        for (long id = 1; id <= 100; id++) {
            if (id == 40) {
                job.write(1);
            }
            job.complete(job.checkpoint(id));
            assertThat(ids()).hasSize(id < 40 ? 0 : 1);
        }

        assertThat(snapshots()).hasSize(1);
    }

    @Test
    void commit_diedBeforeItsCheckpoint_rowsAreWrittenAgainAndThereOnce() throws Exception {
        Attempt first = new Attempt(null);
        first.write(1);
        Checkpoint kept = first.checkpoint(1);
        first.complete(kept);
        first.write(2);
        var lost = first.checkpoint(2); // files are there, but the checkpoint does not complete

        Attempt second = new Attempt(kept);
        second.write(2, 3);
        second.complete(second.checkpoint(3));

        assertThat(ids()).containsExactly(1L, 2L, 3L);
        assertThat(lost.id()).isEqualTo(2);
    }

    @Test
    void commit_diedBetweenItsCheckpointAndItsCommit_isMadeByTheNextAttempt() throws Exception {
        Attempt first = new Attempt(null);
        first.write(1, 2);
        Checkpoint kept = first.checkpoint(1);
        assertThat(snapshots()).isEmpty();

        Attempt second = new Attempt(kept);
        assertThat(ids()).containsExactly(1L, 2L);
        second.write(3);
        second.complete(second.checkpoint(2));

        assertThat(ids()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void commit_diedBetweenItsCommitAndTheNextCheckpoint_isThereOnce() throws Exception {
        Attempt first = new Attempt(null);
        first.write(1, 2);
        Checkpoint kept = first.checkpoint(1);
        first.complete(kept);

        for (int attempt = 0; attempt < 3; attempt++) {
            var dies = new Attempt(kept);
            dies.write(3);
        }
        Attempt last = new Attempt(kept);
        last.write(3);
        last.complete(last.checkpoint(2));

        assertThat(ids()).containsExactly(1L, 2L, 3L);
        assertThat(snapshots()).hasSize(2);
    }

    /** The work of a commit depends on the snapshots and files that the table lists, and they do not grow with the number of commits. */
    @Test
    void commit_manyTimes_metadataAndFilesStayFew() throws Exception {
        expiry = new TableSpec.Expiry(Duration.ofDays(7), 20);
        Attempt job = new Attempt(null);
        List<Integer> snapshots = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        int commits = 60;
        for (long id = 1; id <= commits; id++) {
            job.write(id);
            job.complete(job.checkpoint(id));
            snapshots.add(snapshots().size());
            bytes.add(Files.size(metadata()));
            if (id % 20 == 0) {
                compact();
            }
        }

        assertThat(snapshots).allMatch(count -> count <= 23);
        assertThat(Collections.max(bytes))
                .as("bytes that a commit reads and writes")
                .isLessThan(bytes.get(30) * 3 / 2 + 5_000); // with the names of the last 100 metadata files
        assertThat(dataFiles()).hasSizeLessThan(10);
        assertThat(ids()).hasSize(commits).doesNotHaveDuplicates();
        try (Stream<Path> files = Files.walk(warehouse)) {
            assertThat(files.filter(file -> file.toString().endsWith(".parquet")))
                    .as("expiry deletes what was compacted")
                    .hasSizeLessThan(2 * 20 + 10);
        }
    }

    private void compact() throws IOException {
        TableCompactor.Rule rule = new TableCompactor.Rule(1 << 20, 1 << 20, Compression.NONE);
        try (TableCompactor compactor = TableCompactor.open(spec().table(), rule)) {
            compactor.compact(() -> {});
        }
    }

    /** Meanwhile others write to the table, and its snapshots from before the pause expire. */
    @Test
    void commit_pausedUntilItsSnapshotExpired_continuesExactlyThere() throws Exception {
        Attempt first = new Attempt(null);
        first.write(1, 2);
        Checkpoint kept = first.checkpoint(1);
        first.complete(kept);
        try (IcebergTableWriter other = IcebergTableWriter.open(spec().table(), spec().layout())) {
            for (int i = 1; i <= 20; i++) {
                var file = other.newFile("other", Partition.NONE, Compression.NONE, 1 << 20);
                ColumnWriter row = new ColumnWriter(IDS);
                row.begin();
                row.int64(0, -i);
                row.end();
                file.add(row.take());
                other.commit(new TableCommit("other", "other", "other", "o-" + i, i, List.of(file.finish())));
            }
            other.expire(Instant.now().plusSeconds(60), 10_000);
        }
        assertThat(snapshots()).hasSize(1);

        Attempt second = new Attempt(kept);
        second.write(3);
        second.complete(second.checkpoint(2));

        assertThat(ids().stream().filter(id -> id > 0)).containsExactly(1L, 2L, 3L);
    }

    private List<Snapshot> snapshots() throws IOException {
        List<Snapshot> snapshots = new ArrayList<>();
        table().snapshots().forEach(snapshots::add);
        return snapshots;
    }

    private List<Path> dataFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = table().newScan().planFiles()) {
            tasks.forEach(task -> files.add(Path.of(task.file().location())));
        }
        return files;
    }

    private List<Long> ids() throws IOException {
        List<Long> ids = new ArrayList<>();
        for (Path file : dataFiles()) {
            ParquetRecords.read(file, IDS).forEach(row -> ids.add((Long) row.get("id")));
        }
        Collections.sort(ids);
        return ids;
    }

    /** The file of the newest version. */
    private Path metadata() throws IOException {
        Path folder = warehouse.resolve("rides/metadata");
        Path hint = folder.resolve("version-hint.text");
        return folder.resolve("v" + (Files.exists(hint) ? Files.readString(hint) : "1") + ".metadata.json");
    }

    private Table table() throws IOException {
        return new BaseTable(new StaticTableOperations(metadata().toString(), new Local()), "rides");
    }

    private static final class Local implements FileIO {
        private static final long serialVersionUID = 1;

        @Override
        public InputFile newInputFile(String location) {
            return org.apache.iceberg.Files.localInput(location);
        }

        @Override
        public OutputFile newOutputFile(String location) {
            throw new UnsupportedOperationException("only reads");
        }

        @Override
        public void deleteFile(String location) {
            throw new UnsupportedOperationException("only reads");
        }
    }
}
