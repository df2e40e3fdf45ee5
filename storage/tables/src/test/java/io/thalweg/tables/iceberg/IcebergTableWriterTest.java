package io.thalweg.tables.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.RandomTable;
import io.thalweg.tables.TableValues;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IcebergTableWriterTest {
    private static final Struct IDS =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("name", FieldType.TEXT)));

    @TempDir
    Path warehouse;

    private TableAddress address() {
        return new TableAddress(new CatalogAddress.Folder(warehouse.toString()), "rides.events");
    }

    private Table table() {
        return FolderTable.open(CatalogTable.folder(address()), "rides.events");
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = table().newScan().planFiles()) {
            tasks.forEach(task -> files.add(Path.of(task.file().location())));
        }
        return files;
    }

    private List<Long> ids() throws IOException {
        List<Long> ids = new ArrayList<>();
        for (Path file : files()) {
            TableValues.read(file, IDS).forEach(row -> ids.add((Long) row.get(0)));
        }
        Collections.sort(ids);
        return ids;
    }

    private static String write(IcebergTableWriter to, Struct schema, List<? extends List<?>> rows) throws IOException {
        DataFileWriter file = to.newFile("run", Partition.NONE, Compression.ZSTD, 1 << 20);
        file.add(TableValues.columns(schema, rows));
        return file.finish();
    }

    private static String writeIds(IcebergTableWriter to, long... ids) throws IOException {
        return write(
                to,
                IDS,
                Arrays.stream(ids)
                        .mapToObj(id -> Arrays.asList((Object) id, id % 2 == 0 ? null : TableValues.text("n" + id)))
                        .toList());
    }

    private static TableCommit commit(String stamp, long checkpoint, String... files) {
        return new TableCommit("rides", "run", "line", stamp, checkpoint, List.of(files));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void commit_randomRows_areInTheTableUnderItsIds(long seed) throws IOException {
        Random random = new Random(seed);
        RandomTable values = new RandomTable(random);
        Struct schema = values.schema();
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(schema));
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 1 + random.nextInt(50); i > 0; i--) {
            rows.add(values.row(schema));
        }

        writer.commit(commit("a-1", 1, write(writer, schema, rows)));

        Path file = files().get(0);
        assertThat(TableValues.read(file, schema)).isEqualTo(rows);
        assertIds(file, table().schema());
        assertThat(writer.appended("run").rows()).isEqualTo(rows.size());
        assertThat(writer.appended("another").rows()).isZero();
    }

    /** Checks that Iceberg's own index of names maps each column to the id in the file. */
    private static void assertIds(Path file, Schema table) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(
                new LocalInputFile(file),
                ParquetReadOptions.builder(new PlainParquetConfiguration()).build())) {
            for (ColumnDescriptor column :
                    reader.getFooter().getFileMetaData().getSchema().getColumns()) {
                String name = icebergName(reader, column);
                assertThat(column.getPrimitiveType().getId().intValue())
                        .as(name)
                        .isEqualTo(table.findField(name).fieldId());
            }
        }
    }

    /** Returns the name without the repeated groups of lists and maps. */
    private static String icebergName(ParquetFileReader reader, ColumnDescriptor column) {
        List<String> names = new ArrayList<>();
        org.apache.parquet.schema.Type at = reader.getFooter().getFileMetaData().getSchema();
        for (String part : column.getPath()) {
            boolean inContainer = LogicalTypeAnnotation.listType().equals(at.getLogicalTypeAnnotation())
                    || LogicalTypeAnnotation.mapType().equals(at.getLogicalTypeAnnotation());
            at = at.asGroupType().getType(part);
            if (!inContainer) {
                names.add(part);
            }
        }
        return String.join(".", names);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void commit_numbers_boundsAreTheSmallestAndTheLargest(long seed) throws IOException {
        Random random = new Random(seed);
        Struct schema = new Struct(List.of(
                Field.required("id", FieldType.INT64),
                Field.optional("age", FieldType.INT32),
                Field.optional("fare", FieldType.DOUBLE)));
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 1 + random.nextInt(300); i > 0; i--) {
            rows.add(Arrays.asList(
                    random.nextLong(),
                    random.nextInt(4) == 0 ? null : (long) random.nextInt(),
                    random.nextInt(4) == 0 ? null : random.nextGaussian()));
        }
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(schema));
        DataFileWriter file = writer.newFile("run", Partition.NONE, Compression.NONE, 500);
        for (List<@Nullable Object> row : rows) {
            file.add(TableValues.columns(schema, List.of(row)));
        }
        writer.commit(commit("a-1", 1, file.finish()));

        try (CloseableIterable<FileScanTask> tasks =
                table().newScan().includeColumnStats().planFiles()) {
            DataFile written = tasks.iterator().next().file();
            assertThat(written.recordCount()).isEqualTo(rows.size());
            assertBounds(written, 1, Types.LongType.get(), column(rows, 0, Long.class));
            assertBounds(
                    written,
                    2,
                    Types.IntegerType.get(),
                    column(rows, 1, Long.class).stream().map(Long::intValue).toList());
            assertBounds(written, 3, Types.DoubleType.get(), column(rows, 2, Double.class));
            assertThat(Objects.requireNonNull(written.nullValueCounts()).get(2))
                    .isEqualTo(rows.size() - column(rows, 1, Long.class).size());
        }
    }

    private static <T> List<T> column(List<List<@Nullable Object>> rows, int column, Class<T> type) {
        return rows.stream()
                .map(row -> row.get(column))
                .filter(Objects::nonNull)
                .map(type::cast)
                .toList();
    }

    private static <T extends Comparable<T>> void assertBounds(
            DataFile file, int id, org.apache.iceberg.types.Type type, List<T> values) {
        ByteBuffer lower = Objects.requireNonNull(file.lowerBounds()).get(id);
        ByteBuffer upper = Objects.requireNonNull(file.upperBounds()).get(id);
        if (values.isEmpty()) {
            assertThat(lower).isNull();
            return;
        }
        assertThat(Conversions.<T>fromByteBuffer(type, lower)).isEqualTo(Collections.min(values));
        assertThat(Conversions.<T>fromByteBuffer(type, upper)).isEqualTo(Collections.max(values));
    }

    @Test
    void commit_again_isThereOnce() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        TableCommit commit = commit("a-1", 1, writeIds(writer, 1, 2));

        writer.commit(commit);
        writer.commit(commit);
        IcebergTableWriter.open(address(), TableLayout.of(IDS)).commit(commit);

        assertThat(ids()).containsExactly(1L, 2L);
        assertThat(table().snapshots()).hasSize(1);
    }

    /** A catalog that loses responses or requests on demand. */
    private static final class Unreliable implements TableOperations {
        private final TableOperations catalog;
        private final boolean commitsFirst;
        private int failures;

        Unreliable(TableOperations catalog, boolean commitsFirst, int failures) {
            this.catalog = catalog;
            this.commitsFirst = commitsFirst;
            this.failures = failures;
        }

        @Override
        public TableMetadata current() {
            return catalog.current();
        }

        @Override
        public TableMetadata refresh() {
            return catalog.refresh();
        }

        @Override
        public void commit(TableMetadata base, TableMetadata metadata) {
            boolean fails = failures-- > 0;
            if (!fails || commitsFirst) {
                catalog.commit(base, metadata);
            }
            if (fails) {
                throw new CommitStateUnknownException(new IOException("connection reset"));
            }
        }

        @Override
        public FileIO io() {
            return catalog.io();
        }

        @Override
        public String metadataFileLocation(String name) {
            return catalog.metadataFileLocation(name);
        }

        @Override
        public LocationProvider locationProvider() {
            return catalog.locationProvider();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commit_answerOrRequestLost_isThereOnce(boolean commitsFirst) throws IOException {
        IcebergTableWriter files = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        TableOperations catalog = ((BaseTable) table()).operations();
        IcebergTableWriter writer = new IcebergTableWriter(
                new CatalogTable(new BaseTable(new Unreliable(catalog, commitsFirst, 3), "rides.events"), () -> {}),
                TableLayout.of(IDS),
                10);

        for (int i = 0; i < 5; i++) {
            writer.commit(commit("a-" + i, i, writeIds(files, i)));
        }

        assertThat(ids()).isEqualTo(range(0, 5));
        assertThat(table().snapshots()).hasSize(5);
    }

    @Test
    void commit_catalogStaysAway_failsAfterItsAttempts() throws IOException {
        IcebergTableWriter files = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        TableOperations catalog = ((BaseTable) table()).operations();
        IcebergTableWriter writer = new IcebergTableWriter(
                new CatalogTable(new BaseTable(new Unreliable(catalog, false, 1_000), "rides.events"), () -> {}),
                TableLayout.of(IDS),
                2);

        assertThatThrownBy(() -> writer.commit(commit("a-1", 1, writeIds(files, 1))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("commit to rides.events failed: ");
        assertThat(table().snapshots()).isEmpty();
    }

    @Test
    void commit_ofSeveralWritersAtOnce_allAreThere() throws Exception {
        IcebergTableWriter.open(address(), TableLayout.of(IDS));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int w = 0; w < 4; w++) {
                int first = w * 10;
                done.add(threads.submit(() -> {
                    IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
                    for (int i = first; i < first + 10; i++) {
                        TableCommit commit = commit("w-" + i, i, writeIds(writer, i));
                        Await.until(commit.stamp(), () -> committed(writer, commit));
                    }
                    return null;
                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids()).isEqualTo(range(0, 40));
        assertThat(Files.readString(CatalogTable.folder(address()).resolve("metadata/version-hint.text")))
                .isNotEmpty();
    }

    /** Commits as the job does: failures are retried later. */
    private static boolean committed(IcebergTableWriter writer, TableCommit commit) {
        try {
            writer.commit(commit);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void commit_interruptedBetweenFiles_leavesNoPartOfItself() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        String first = writeIds(writer, 1);
        String broken = first.replaceAll("\"record-count\":\\d+", "\"record-count\":\"many\"");

        assertThatThrownBy(() -> writer.commit(commit("a-1", 1, first, broken))).isInstanceOf(Exception.class);

        assertThat(table().snapshots()).isEmpty();
    }

    @Test
    void requireNothingBehind_olderCheckpoint_namesTheSnapshotToGoBackTo() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        writer.commit(commit("a-1", 1, writeIds(writer, 1)));
        Snapshot first = table().currentSnapshot();
        writer.commit(commit("a-2", 2, writeIds(writer, 2)));

        writer.requireNothingBehind("line", 2);
        writer.requireNothingBehind("another line", 0);
        assertThatThrownBy(() -> writer.requireNothingBehind("line", 1))
                .hasMessageContaining("after checkpoint 1")
                .hasMessageContaining("roll the table back to snapshot " + first.snapshotId());
        assertThatThrownBy(() -> writer.requireNothingBehind("line", 0))
                .hasMessageContaining("the time before its first row");
    }

    /** Another writer of the same table commits, compacts, and expires all snapshots but its own. */
    private void othersGoOn(int checkpoint) throws IOException {
        IcebergTableWriter other = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        other.commit(new TableCommit(
                "other",
                "other run",
                "other line",
                "o-" + checkpoint,
                checkpoint,
                List.of(writeIds(other, -checkpoint))));
        TableCompactor.open(address(), new TableCompactor.Rule(1 << 20, 1 << 20, Compression.ZSTD))
                .compact(() -> {});
        other.expire(Instant.now().plusSeconds(60), 1);
    }

    /** A job was stopped after a commit for longer than snapshots are kept; its files are compacted and deleted by then. */
    @Test
    void commit_againAfterItsSnapshotExpired_isThereOnce() throws IOException {
        IcebergTableWriter before = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        TableCommit first = commit("a-1", 1, writeIds(before, 1));
        TableCommit second = commit("a-2", 2, writeIds(before, 2));
        before.commit(first);
        before.commit(second);
        othersGoOn(1);
        othersGoOn(2);
        assertThat(table().snapshots()).hasSize(1);

        IcebergTableWriter after = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        after.requireNothingBehind("line", 2);
        assertThat(after.commit(first).rows()).as("written by the run").isEqualTo(2);
        after.commit(second);
        assertThat(ids()).containsExactly(-2L, -1L, 1L, 2L);

        after.commit(commit("b-3", 3, writeIds(after, 3)));
        assertThat(ids()).containsExactly(-2L, -1L, 1L, 2L, 3L);
        assertThat(after.appended("run").rows()).isEqualTo(3);
    }

    @Test
    void requireNothingBehind_laterCommitsExpired_olderCheckpointIsStillRefused() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        writer.commit(commit("a-1", 1, writeIds(writer, 1)));
        writer.commit(commit("a-2", 2, writeIds(writer, 2)));
        othersGoOn(1);

        writer.requireNothingBehind("line", 2);
        assertThatThrownBy(() -> writer.requireNothingBehind("line", 1))
                .hasMessageContaining("after checkpoint 1")
                .hasMessageContaining(
                        "cannot be rolled back, because its snapshots from before these rows have expired");
    }

    /** The remedy for a run that resumes from an older checkpoint: what was rolled back is not taken for committed. */
    @Test
    void commit_afterARollback_isMade() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        for (int i = 1; i <= 4; i++) {
            writer.commit(commit("a-" + i, i, writeIds(writer, i)));
        }
        List<Long> newestFirst = SnapshotUtil.ancestorIds(table().currentSnapshot(), table()::snapshot);
        table().expireSnapshots().expireSnapshotId(newestFirst.get(3)).commit();
        table().manageSnapshots().rollbackTo(newestFirst.get(1)).commit();

        writer.requireNothingBehind("line", 3);
        writer.commit(commit("a-4", 4, writeIds(writer, 40)));

        assertThat(ids()).containsExactly(1L, 2L, 3L, 40L);
    }

    @Test
    void expire_oldSnapshots_rowsAndSumsStay() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        for (int i = 0; i < 5; i++) {
            writer.commit(commit("a-" + i, i, writeIds(writer, i, i + 100)));
        }
        IcebergTableWriter.Appended before = writer.appended("run");

        writer.expire(Instant.EPOCH, 5);
        assertThat(table().snapshots()).hasSize(5);
        writer.expire(Instant.EPOCH, 3);
        assertThat(table().snapshots()).hasSize(3);
        writer.expire(Instant.now().plusSeconds(60), 5);

        assertThat(table().snapshots()).hasSize(1);
        assertThat(ids()).hasSize(10).doesNotHaveDuplicates();
        assertThat(writer.appended("run")).isEqualTo(before);
        assertThat(before.rows()).isEqualTo(10);
        assertThat(before.files()).isEqualTo(5);
        writer.commit(commit("a-5", 5, writeIds(writer, 5)));
        assertThat(writer.appended("run").rows()).isEqualTo(11);
    }

    @Test
    void open_tableOfOtherColumns_listsAllDifferences() {
        FolderTable.create(
                CatalogTable.folder(address()),
                "rides.events",
                new Schema(
                        Types.NestedField.required(1, "name", Types.StringType.get()),
                        Types.NestedField.required(2, "city", Types.StringType.get()),
                        Types.NestedField.optional(3, "note", Types.StringType.get())),
                PartitionSpec.unpartitioned());

        assertThatThrownBy(() -> IcebergTableWriter.open(address(), TableLayout.of(IDS)))
                .isInstanceOf(IcebergTableMismatchException.class)
                .hasMessageContaining("column id (long) is not in the table")
                .hasMessageContaining("column name is required in the table, but events may lack it")
                .hasMessageContaining("column city is required in the table, but is not written");
    }

    private static final TableLayout BY_NAME =
            new TableLayout(IDS, List.of(new PartitionRule(PartitionRule.Kind.VALUE, 0, "name")), false);

    /** Iceberg itself finds the rows of a partition, and reads only its files. */
    @Test
    void commit_partitionedTable_scansPassOtherPartitionsOver() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), BY_NAME);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (long id = 0; id < 90; id++) {
            rows.add(Arrays.asList(id, id % 3 == 0 ? null : TableValues.text(id % 3 == 1 ? "a/b" : "x".repeat(300))));
        }
        List<String> files = new ArrayList<>();
        for (Partitioner.Part part : BY_NAME.partitioner().split(TableValues.columns(IDS, rows))) {
            DataFileWriter file = writer.newFile("run", part.partition(), Compression.ZSTD, 1 << 20);
            file.add(part.rows());
            files.add(file.finish());
        }
        writer.commit(new TableCommit("rides", "run", "line", "a-1", 1, files));

        assertThat(ids()).isEqualTo(range(0, 90));
        assertThat(idsWhere(Expressions.equal("name", "a/b"))).isEqualTo(every(3, 1));
        assertThat(idsWhere(Expressions.equal("name", "x".repeat(300)))).isEqualTo(every(3, 2));
        assertThat(idsWhere(Expressions.isNull("name"))).isEqualTo(every(3, 0));
        assertThat(files().stream()
                        .map(file -> file.getName(file.getNameCount() - 2).toString()))
                .containsExactlyInAnyOrder("name=a%2Fb", "name=null", "data");
    }

    private static List<Long> every(long step, long first) {
        return LongStream.range(0, 90).filter(id -> id % step == first).boxed().toList();
    }

    private List<Long> idsWhere(Expression condition) throws IOException {
        List<Long> ids = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks =
                table().newScan().filter(condition).planFiles()) {
            for (FileScanTask task : tasks) {
                TableValues.read(Path.of(task.file().location()), IDS).forEach(row -> ids.add((Long) row.get(0)));
            }
        }
        Collections.sort(ids);
        return ids;
    }

    @Test
    void open_tableOfOtherPartitions_saysSo() {
        IcebergTableWriter.open(address(), BY_NAME);

        assertThatThrownBy(() -> IcebergTableWriter.open(address(), TableLayout.of(IDS)))
                .isInstanceOf(IcebergTableMismatchException.class)
                .hasMessageContaining("the table is partitioned by [name], but rows are written by []");
        assertThatThrownBy(() -> IcebergTableWriter.open(
                        address(),
                        new TableLayout(IDS, List.of(new PartitionRule(PartitionRule.Kind.BUCKET, 4, "id")), false)))
                .hasMessageContaining("the table is partitioned by [name], but rows are written by [bucket[4](id)]");
        IcebergTableWriter.open(address(), BY_NAME);
    }

    private static final Struct WIDER = new Struct(List.of(
            Field.required("id", FieldType.INT64),
            Field.optional("name", FieldType.TEXT),
            Field.required("fare", FieldType.DOUBLE),
            Field.optional("rider", new Struct(List.of(Field.required("age", FieldType.INT32))))));

    @Test
    void open_addsColumns_newRowsHaveThemAndOldRowsDoNot() throws IOException {
        IcebergTableWriter before = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        before.commit(commit("a-1", 1, writeIds(before, 1)));
        assertThatThrownBy(() -> IcebergTableWriter.open(address(), TableLayout.of(WIDER)))
                .hasMessageContaining("column fare (double) is not in the table")
                .hasMessageContaining("column rider (struct<");

        IcebergTableWriter after = IcebergTableWriter.open(address(), new TableLayout(WIDER, List.of(), true));
        after.commit(commit("b-1", 1, write(after, WIDER, List.of(Arrays.asList(2L, null, 1.5, List.of(30L))))));

        Schema schema = table().schema();
        assertThat(schema.columns()).extracting(Types.NestedField::name).containsExactly("id", "name", "fare", "rider");
        assertThat(schema.findField("fare").isOptional()).isTrue();
        assertThat(schema.findField("rider.age").isRequired()).isTrue();
        for (Path file : files()) {
            assertIds(file, schema);
        }
        before.commit(commit("a-2", 2, writeIds(before, 3)));
        assertThat(ids()).containsExactly(1L, 2L, 3L);
        assertThat(TableCompactor.open(address(), new TableCompactor.Rule(1 << 20, 1 << 20, Compression.ZSTD))
                        .compact(() -> {})
                        .before())
                .as("files of the older schema, which are not merged with that of the newer one")
                .isEqualTo(2);
        assertThat(ids()).containsExactly(1L, 2L, 3L);
    }

    /** Columns are also added to structs within lists and maps. */
    @Test
    void open_addsNestedColumns_whereTheyBelong() {
        Struct ride = new Struct(List.of(Field.required("id", FieldType.INT64)));
        Struct wider =
                new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("stop.name", FieldType.TEXT)));
        IcebergTableWriter.open(address(), TableLayout.of(nested(ride)));

        IcebergTableWriter.open(address(), new TableLayout(nested(wider), List.of(), true));

        Schema schema = table().schema();
        assertThat(IcebergSchemas.differences(IcebergSchemas.of(nested(wider)), schema))
                .isEmpty();
        assertThat(schema.findType("rides.element")
                        .asStructType()
                        .field("stop.name")
                        .isOptional())
                .isTrue();
    }

    private static Struct nested(Struct ride) {
        return new Struct(List.of(
                Field.optional("last", ride),
                Field.optional("rides", new FieldType.ListOf(ride, true)),
                Field.optional("by_day", new FieldType.MapOf(FieldType.TEXT, ride, true))));
    }

    @Test
    void open_addsColumns_otherDifferencesAreStillRefused() {
        FolderTable.create(
                CatalogTable.folder(address()),
                "rides.events",
                new Schema(
                        Types.NestedField.required(1, "id", Types.IntegerType.get()),
                        Types.NestedField.required(2, "city", Types.StringType.get())),
                PartitionSpec.unpartitioned());

        assertThatThrownBy(() -> IcebergTableWriter.open(address(), new TableLayout(IDS, List.of(), true)))
                .hasMessageContaining("column id is int in the table, but long is written")
                .hasMessageContaining("column city is required in the table, but is not written")
                .hasMessageNotContaining("column name");
    }

    @Test
    void open_elementsThatMayLack_areRefusedWhereTheTableRequiresThem() {
        Struct required = new Struct(List.of(Field.optional("stops", new FieldType.ListOf(FieldType.INT64, true))));
        Struct optional = new Struct(List.of(Field.optional("stops", new FieldType.ListOf(FieldType.INT64, false))));
        IcebergTableWriter.open(address(), TableLayout.of(required));

        assertThatThrownBy(() -> IcebergTableWriter.open(address(), TableLayout.of(optional)))
                .hasMessageContaining("column stops.element is required in the table, but events may lack it");
    }

    @Test
    void commit_tableWithMoreColumnsInAnotherOrder_columnsAreFoundByName() throws IOException {
        FolderTable.create(
                CatalogTable.folder(address()),
                "rides.events",
                new Schema(
                        Types.NestedField.optional(1, "note", Types.StringType.get()),
                        Types.NestedField.optional(2, "name", Types.StringType.get()),
                        Types.NestedField.optional(3, "id", Types.LongType.get())),
                PartitionSpec.unpartitioned());
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));

        writer.commit(commit("a-1", 1, writeIds(writer, 1, 2)));

        assertIds(files().get(0), table().schema());
        assertThat(ids()).containsExactly(1L, 2L);
    }

    @Test
    void close_unfinishedFile_isRemoved() throws IOException {
        IcebergTableWriter writer = IcebergTableWriter.open(address(), TableLayout.of(IDS));
        DataFileWriter file = writer.newFile("run", Partition.NONE, Compression.ZSTD, 1 << 20);
        file.add(TableValues.columns(IDS, List.of(Arrays.asList(1L, null))));

        file.close();

        try (Stream<Path> left = Files.walk(CatalogTable.folder(address()))) {
            assertThat(left.filter(path -> path.toString().endsWith(".parquet")).collect(Collectors.toList()))
                    .isEmpty();
        }
    }
}
