package io.thalweg.tables.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.RandomTable;
import io.thalweg.tables.TableValues;
import io.thalweg.tables.iceberg.TableCompactor.Compacted;
import io.thalweg.tables.iceberg.TableCompactor.Rule;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TableCompactorTest {
    private static final Struct IDS =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("name", FieldType.TEXT)));
    private static final Rule RULE = new Rule(64 << 20, 256 << 20, Compression.ZSTD);

    @TempDir
    Path warehouse;

    private TableAddress address() {
        return new TableAddress(new CatalogAddress.Folder(warehouse.toString()), "rides.events");
    }

    private Table table() {
        return FolderTable.open(CatalogTable.folder(address()), "rides.events");
    }

    private List<DataFile> files() {
        List<DataFile> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks =
                table().newScan().includeColumnStats().planFiles()) {
            tasks.forEach(task -> files.add(task.file().copy()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    private List<List<@Nullable Object>> rows(Struct schema) throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (DataFile file : files()) {
            rows.addAll(TableValues.read(Path.of(file.location()), schema));
        }
        return rows;
    }

    private List<Long> ids() throws IOException {
        return rows(IDS).stream().map(row -> (Long) row.get(0)).sorted().toList();
    }

    private static String write(IcebergTableWriter to, Struct schema, List<? extends List<?>> rows) throws IOException {
        DataFileWriter file = to.newFile("run", Partition.NONE, Compression.NONE, 1 << 20);
        file.add(TableValues.columns(schema, rows));
        return file.finish();
    }

    private static TableCommit commit(long checkpoint, String... files) {
        return new TableCommit("rides", "run", "line", "a-" + checkpoint, checkpoint, List.of(files));
    }

    /** Appends one commit with one file of ids. */
    private void append(IcebergTableWriter to, long checkpoint, long... ids) throws IOException {
        to.commit(commit(
                checkpoint,
                write(
                        to,
                        IDS,
                        Arrays.stream(ids)
                                .mapToObj(id ->
                                        Arrays.asList((Object) id, id % 2 == 0 ? null : TableValues.text("n" + id)))
                                .toList())));
    }

    private IcebergTableWriter withFiles(int count) throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        for (int i = 0; i < count; i++) {
            append(writer, i, 2L * i, 2L * i + 1);
        }
        return writer;
    }

    private List<Path> parquetFiles() throws IOException {
        try (Stream<Path> all = Files.walk(CatalogTable.folder(address()))) {
            return all.filter(path -> path.toString().endsWith(".parquet")).toList();
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void compact_randomRows_areTheSameInFewerFiles(long seed) throws IOException {
        Random random = new Random(seed);
        RandomTable values = new RandomTable(random);
        Struct schema = values.schema();
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(schema));
        int files = 2 + random.nextInt(8);
        for (int i = 0; i < files; i++) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (int row = 1 + random.nextInt(50); row > 0; row--) {
                rows.add(values.row(schema));
            }
            writer.commit(commit(i, write(writer, schema, rows)));
        }
        List<List<@Nullable Object>> before = rows(schema);

        Compacted done = TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn);

        assertThat(files()).hasSize(files - done.before() + done.after());
        assertThat(rows(schema)).containsExactlyInAnyOrderElementsOf(before);
        assertThat(files().stream().mapToLong(DataFile::recordCount).sum()).isEqualTo(before.size());
        assertThat(writer.appended("run").rows()).isEqualTo(before.size());
    }

    @Test
    void compact_manySmallFiles_areOneInTheOrderOfTheirCommits() throws IOException {
        withFiles(20);

        Compacted done = TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn);

        assertThat(done.before()).isEqualTo(20);
        assertThat(done.after()).isEqualTo(1);
        DataFile file = files().get(0);
        assertThat(done.bytes()).isEqualTo(file.fileSizeInBytes());
        assertThat(rows(IDS))
                .extracting(row -> row.get(0))
                .isEqualTo(LongStream.range(0, 40).boxed().toList());
        assertThat(file.recordCount()).isEqualTo(40);
        assertThat(file.lowerBounds()).containsKey(1);
        assertThat(table().currentSnapshot().operation()).isEqualTo("replace");

        assertThat(TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn))
                .as("again")
                .isEqualTo(new Compacted(0, 0, 0));
    }

    @Test
    void compact_targetFileReached_beginsAnotherOne() throws IOException {
        withFiles(20);
        long size = files().get(0).fileSizeInBytes();

        Compacted done = TableCompactor.open(address(), new Rule(64 << 20, 5 * size, Compression.NONE))
                .compact(TableCompactorTest::goOn);

        assertThat(done.before()).isEqualTo(20);
        assertThat(done.after()).isBetween(3, 5);
        assertThat(ids()).isEqualTo(LongStream.range(0, 40).boxed().toList());
    }

    @Test
    void compact_filesOfTheLimit_areLeft() throws IOException {
        withFiles(4);
        long size = files().stream().mapToLong(DataFile::fileSizeInBytes).min().orElseThrow();

        assertThat(TableCompactor.open(address(), new Rule(size, 256 << 20, Compression.ZSTD))
                        .compact(TableCompactorTest::goOn)
                        .before())
                .isZero();
    }

    /** Otherwise each pass would rewrite all of a slowly growing table. */
    @Test
    void compact_oneFileLargerThanTheOthersTogether_isLeft() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        append(writer, 0, LongStream.range(0, 5_000).toArray());
        Path large = Path.of(files().get(0).location());
        append(writer, 1, 5_000);
        append(writer, 2, 5_001);

        Compacted done = TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn);

        assertThat(done.before()).isEqualTo(2);
        assertThat(files()).extracting(DataFile::location).contains(large.toString());
        assertThat(ids()).isEqualTo(LongStream.range(0, 5_002).boxed().toList());
    }

    @Test
    void compact_writerCommitsMeanwhile_bothAreThereAndStampsHold() throws IOException {
        IcebergTableWriter writer = withFiles(5);
        AtomicInteger calls = new AtomicInteger();

        Compacted done = TableCompactor.open(address(), RULE).compact(() -> {
            if (calls.getAndIncrement() == 0) {
                unchecked(() -> append(writer, 5, 10, 11));
            }
        });

        assertThat(done.before()).isEqualTo(5);
        assertThat(ids()).isEqualTo(LongStream.range(0, 12).boxed().toList());
        append(writer, 3, 99); // the stamp of an earlier commit, before the compaction
        append(IcebergTableWriter.open(address(), TableLayout.of(IDS)), 5, 99);
        assertThat(ids()).isEqualTo(LongStream.range(0, 12).boxed().toList());
        assertThat(writer.appended("run").rows()).isEqualTo(12);
        writer.requireNothingBehind("line", 5);
        Snapshot first = table().snapshots().iterator().next();
        assertThatThrownBy(() -> writer.requireNothingBehind("line", 0))
                .as("the compaction has newer rows, too")
                .hasMessageContaining("roll the table back to snapshot " + first.snapshotId());
    }

    private static void goOn() {
        // Nothing happens meanwhile.
    }

    private interface Action {
        void run() throws IOException;
    }

    private static void unchecked(Action action) {
        try {
            action.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void compact_anotherCompactionWins_givesWayWithoutATrace() throws IOException {
        withFiles(5);
        AtomicInteger calls = new AtomicInteger();

        Compacted done = TableCompactor.open(address(), RULE).compact(() -> {
            if (calls.getAndIncrement() == 0) {
                unchecked(() -> assertThat(TableCompactor.open(address(), RULE)
                                .compact(TableCompactorTest::goOn)
                                .before())
                        .isEqualTo(5));
            }
        });

        assertThat(done.before()).isZero();
        assertThat(ids()).isEqualTo(LongStream.range(0, 10).boxed().toList());
        assertThat(parquetFiles()).as("five and the one of the other").hasSize(6);
    }

    @Test
    void compact_rowsAreDeletedMeanwhile_givesWay() throws IOException {
        withFiles(5);
        AtomicInteger calls = new AtomicInteger();

        Compacted done = TableCompactor.open(address(), RULE).compact(() -> {
            if (calls.getAndIncrement() == 0) {
                deletePositions(files().get(0).location());
            }
        });

        assertThat(done.before()).isZero();
        assertThat(files()).hasSize(5);
        Compacted next = TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn);
        assertThat(next.before()).as("all but that with deleted rows").isEqualTo(4);
    }

    /** Adds a delete file for one data file. Its content does not matter to the table's metadata. */
    private void deletePositions(String of) {
        DeleteFile deletes = FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                .ofPositionDeletes()
                .withPath(CatalogTable.folder(address())
                        .resolve("data/deletes.parquet")
                        .toString())
                .withReferencedDataFile(of)
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build();
        table().newRowDelta().addDeletes(deletes).commit();
    }

    @Test
    void compact_aFileIsDamaged_theOthersAreStillCompacted() throws IOException {
        withFiles(5);
        Path damaged = Path.of(files().get(2).location());
        Files.write(damaged, new byte[] {1, 2, 3});

        assertThat(TableCompactor.open(address(), RULE)
                        .compact(TableCompactorTest::goOn)
                        .before())
                .isEqualTo(4);
    }

    @Test
    void compact_ended_leavesNoFile() throws IOException {
        withFiles(5);

        assertThatThrownBy(() -> TableCompactor.open(address(), RULE).compact(() -> {
                    throw new CancellationException();
                }))
                .isInstanceOf(CancellationException.class);

        assertThat(parquetFiles()).hasSize(5);
    }

    @Test
    void compact_partitionedTable_mergesWithinPartitions() throws IOException {
        TableLayout byBucket =
                new TableLayout(IDS, List.of(new PartitionRule(PartitionRule.Kind.BUCKET, 3, "id")), false);
        IcebergTableWriter writer = IcebergTableWriter.open(address(), byBucket);
        for (int i = 0; i < 6; i++) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (long id = 50L * i; id < 50L * i + 50; id++) {
                rows.add(Arrays.asList(id, null));
            }
            List<String> files = new ArrayList<>();
            for (Partitioner.Part part : byBucket.partitioner().split(TableValues.columns(IDS, rows))) {
                DataFileWriter file = writer.newFile("run", part.partition(), Compression.NONE, 1 << 20);
                file.add(part.rows());
                files.add(file.finish());
            }
            writer.commit(commit(i, files.toArray(String[]::new)));
        }

        Compacted done = TableCompactor.open(address(), RULE).compact(TableCompactorTest::goOn);

        assertThat(done.before()).isEqualTo(18);
        assertThat(ids()).isEqualTo(LongStream.range(0, 300).boxed().toList());
        assertThat(files())
                .extracting(file -> file.partition().get(0, Integer.class))
                .containsExactlyInAnyOrder(0, 1, 2);
        for (DataFile file : files()) {
            List<List<@Nullable Object>> rows = TableValues.read(Path.of(file.location()), IDS);
            Partitioner.Part only =
                    byBucket.partitioner().split(TableValues.columns(IDS, rows)).get(0);
            assertThat(only.rows().rows()).as("all are of one partition").isEqualTo(rows.size());
            assertThat(only.partition().values())
                    .containsExactly(file.partition().get(0, Integer.class));
        }
    }

    @Test
    void compact_emptyTable_doesNothing() throws IOException {
        IcebergTableWriter.open(address(), TableLayout.of(IDS));

        assertThat(TableCompactor.open(address(), RULE)
                        .compact(TableCompactorTest::goOn)
                        .before())
                .isZero();
    }

    @Test
    void compact_whileThreeWritersCommit_noRowIsLostOrTwice() throws Exception {
        IcebergTableWriter.open(address(), TableLayout.of(IDS));
        ExecutorService threads = Executors.newFixedThreadPool(5);
        AtomicBoolean written = new AtomicBoolean();
        AtomicInteger compacted = new AtomicInteger();
        try {
            List<Future<?>> compactors = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                compactors.add(threads.submit(() -> {
                    while (!written.get()) {
                        compacted.addAndGet(TableCompactor.open(address(), RULE)
                                .compact(TableCompactorTest::goOn)
                                .before());
                    }
                    return null;
                }));
            }
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < 3; w++) {
                int first = 1_000 * w;
                writers.add(threads.submit(() -> {
                    IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
                    for (int i = first; i < first + 15; i++) {
                        appendUntilItIsThere(writer, i);
                    }
                    return null;
                }));
            }
            for (Future<?> each : writers) {
                each.get();
            }
            written.set(true);
            for (Future<?> each : compactors) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids())
                .isEqualTo(LongStream.range(0, 3)
                        .flatMap(w -> LongStream.range(1_000 * w, 1_000 * w + 15))
                        .boxed()
                        .toList());
        assertThat(compacted).hasPositiveValue();
    }

    private void appendUntilItIsThere(IcebergTableWriter writer, long id) throws IOException {
        TableCommit commit = commit(id, write(writer, IDS, List.of(Arrays.asList((Object) id, null))));
        Await.until(commit.stamp(), () -> {
            try {
                writer.commit(commit);
                return true;
            } catch (IOException e) {
                return false; // as the job does: failures are retried later
            }
        });
    }
}
