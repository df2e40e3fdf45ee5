package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.table.Materialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.parquet.example.data.Group;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables with metadata written by Iceberg, and files written by Parquet. */
@SuppressWarnings("NullAway.Init")
class IcebergTableTest {
    private static final String FILE = """
            message driver_stats {
              required int64 driver_id = 1;
              optional int32 trips = 2;
              optional int32 dt (DATE) = 3;
            }
            """;

    private static final String SPEC = """
            source: {iceberg: "%s"}
            entities: [{name: driver, field: driver_id, type: int64}]
            features: [{name: trips, type: int64}]
            """;

    private static final String BY_DAY = SPEC.replace("\"}", "\", partitions: [dt]}") + """
            event_time: {field: dt, unit: iso8601}
            """;

    @TempDir
    private Path folder;

    private Path root;
    private Table table;
    private int files;

    @BeforeEach
    void create() {
        root = folder.resolve("driver_stats");
        Schema schema = new Schema(
                Types.NestedField.required(1, "driver_id", Types.LongType.get()),
                Types.NestedField.optional(2, "trips", Types.IntegerType.get()),
                Types.NestedField.optional(3, "dt", Types.DateType.get()));
        table = IcebergFolder.create(
                root, schema, PartitionSpec.builderFor(schema).identity("dt").build());
    }

    /** A file of a day with drivers from to to, whose trips are their number and so many. */
    private DataFile file(String schema, String day, int from, int to, int more) throws IOException {
        List<Consumer<Group>> rows = new ArrayList<>();
        for (int driver = from; driver < to; driver++) {
            int id = driver;
            rows.add(group -> {
                group.add(0, (long) id);
                group.add(1, id + more);
                group.add(2, (int) LocalDate.parse(day).toEpochDay());
            });
        }
        return file(schema, day, rows);
    }

    private DataFile file(String schema, String day, List<Consumer<Group>> rows) throws IOException {
        Path path =
                ParquetFiles.plain().write(root.resolve("data/dt=" + day + "/" + files++ + ".parquet"), schema, rows);
        return DataFiles.builder(table.spec())
                .withPath(path.toString())
                .withFormat(FileFormat.PARQUET)
                .withPartitionPath("dt=" + day)
                .withFileSizeInBytes(Files.size(path))
                .withRecordCount(rows.size())
                .build();
    }

    private DataFile append(String day, int from, int to) throws IOException {
        DataFile file = file(FILE, day, from, to, 0);
        table.newAppend().appendFile(file).commit();
        return file;
    }

    private void append(String schema, String day, List<Consumer<Group>> rows) throws IOException {
        table.newAppend().appendFile(file(schema, day, rows)).commit();
    }

    private long snapshot() {
        return table.currentSnapshot().snapshotId();
    }

    private List<String> read(String spec, TablePart part) throws IOException {
        Materialization read = TableReaderTest.spec(root, spec);
        TableReaderTest.Rows rows = TableReaderTest.read(read, TableFiles.of(read, part), 3);
        assertThat(rows.bad).isEmpty();
        return rows.good.stream()
                .map(row -> row.key().get(0) + "=" + row.values().get(0) + "@"
                        + LocalDate.ofEpochDay(row.timeMs() / 86_400_000))
                .toList();
    }

    private List<String> drivers(TablePart part) throws IOException {
        return drivers(SPEC, part);
    }

    private List<String> drivers(String spec) throws IOException {
        return drivers(spec, TablePart.ALL);
    }

    private List<String> drivers(String spec, TablePart part) throws IOException {
        return read(spec, part).stream()
                .map(row -> row.substring(0, row.indexOf('@')))
                .toList();
    }

    private static TablePart after(long snapshot) {
        return new TablePart(Map.of(), null, snapshot);
    }

    private static TablePart of(@Nullable Long snapshot) {
        return new TablePart(Map.of(), snapshot, null);
    }

    private static void assertUnfit(ThrowingCallable look, String... parts) {
        assertThatThrownBy(look).isInstanceOf(UnfitTableException.class).hasMessageContainingAll(parts);
    }

    @Test
    void read_newestAndEarlierSnapshots_haveTheirRows() throws IOException {
        append("2026-11-19", 1, 3);
        long first = snapshot();
        append("2026-11-20", 7, 8);
        assertThat(drivers(TablePart.ALL)).containsExactly("1=1", "2=2", "7=7");
        assertThat(drivers(of(first))).containsExactly("1=1", "2=2");
        assertThat(TableFiles.of(TableReaderTest.spec(root, SPEC), of(first)).snapshot())
                .isEqualTo(first);
    }

    @Test
    void read_lists_areKnownByTheirNumbers() throws IOException {
        table.updateSchema()
                .addColumn("scores", Types.ListType.ofOptional(100, Types.DoubleType.get()))
                .commit();
        String file = FILE.replace("}", """
                optional group scores (LIST) = 4 {
                  repeated group list { optional double element = 5; }
                }
                }""");
        List<Consumer<Group>> rows = List.of(group -> {
            group.add(0, 7L);
            group.add(2, (int) LocalDate.parse("2026-11-19").toEpochDay());
            group.addGroup(3).addGroup(0).append("element", 0.5);
        });
        append(file, "2026-11-19", rows);
        append("2026-11-20", 8, 9);
        String spec = SPEC.replace("{name: trips, type: int64}", "{name: scores, type: double_list}");
        assertThat(drivers(spec)).containsExactly("7=[0.5]", "8=null");

        table.updateSchema().renameColumn("scores", "marks").commit();
        assertUnfit(() -> drivers(spec.replace("scores", "marks")), "marks", "is named scores there, as it was once");
        assertUnfit(() -> drivers(spec), "scores", "was dropped from the table");
    }

    @Test
    void read_partitions_areTheMetadatas() throws IOException {
        append("2026-11-19", 1, 3);
        append("2026-11-20", 2, 4);
        assertThat(read(BY_DAY, TablePart.ALL))
                .containsExactly("1=1@2026-11-19", "2=2@2026-11-19", "2=2@2026-11-20", "3=3@2026-11-20");
        assertThat(read(BY_DAY, new TablePart(Map.of("dt", Set.of("2026-11-20")), null, null)))
                .containsExactly("2=2@2026-11-20", "3=3@2026-11-20");
        assertUnfit(() -> read(BY_DAY.replace("[dt]", "[trips]"), TablePart.ALL), "not parted by the value of trips");
    }

    @Test
    void read_afterASnapshot_hasOnlyWhatWasAppended() throws IOException {
        DataFile one = append("2026-11-19", 1, 3);
        long first = snapshot();
        DataFile two = append("2026-11-19", 3, 5);
        DataFile both = file(FILE, "2026-11-19", 1, 5, 0);
        table.newRewrite().deleteFile(one).deleteFile(two).addFile(both).commit();
        long compacted = snapshot();
        append("2026-11-21", 9, 10);

        assertThat(drivers(TablePart.ALL)).containsExactly("1=1", "2=2", "3=3", "4=4", "9=9");
        assertThat(drivers(after(first))).containsExactlyInAnyOrder("3=3", "4=4", "9=9");
        assertThat(drivers(after(compacted))).containsExactly("9=9");
        assertThat(drivers(after(snapshot()))).isEmpty();
        assertThat(drivers(new TablePart(Map.of(), compacted, first))).containsExactly("3=3", "4=4");
        assertUnfit(() -> drivers(new TablePart(Map.of(), first, compacted)), "does not come before");
    }

    @Test
    void read_rowsChangedSince_areNotLeftOut() throws IOException {
        DataFile one = append("2026-11-19", 1, 3);
        long first = snapshot();
        table.newOverwrite()
                .deleteFile(one)
                .addFile(file(FILE, "2026-11-19", 1, 3, 100))
                .commit();
        assertThat(drivers(TablePart.ALL)).containsExactly("1=101", "2=102");
        assertUnfit(() -> drivers(after(first)), "overwrite", "leave --after out");
    }

    @Test
    void read_rowLevelDeletes_areRefused() throws IOException {
        append("2026-11-19", 1, 3);
        table.newRowDelta()
                .addDeletes(FileMetadata.deleteFileBuilder(table.spec())
                        .ofPositionDeletes()
                        .withPath(root.resolve("data/deletes.parquet").toString())
                        .withPartitionPath("dt=2026-11-19")
                        .withFileSizeInBytes(10)
                        .withRecordCount(1)
                        .withFormat(FileFormat.PARQUET)
                        .build())
                .commit();
        assertUnfit(() -> drivers(TablePart.ALL), "merge-on-read", "rewrite_data_files");
    }

    @Test
    void read_renamedColumn_isNotTakenForMissing() throws IOException {
        append("2026-11-19", 1, 3);
        long before = snapshot();
        table.updateSchema().renameColumn("trips", "rides").commit();
        String renamed = SPEC.replace("trips", "rides");
        assertUnfit(() -> drivers(TablePart.ALL), "column trips", "dropped from the table");
        assertThat(drivers(of(before))).containsExactly("1=1", "2=2");
        table.newAppend()
                .appendFile(file(FILE.replace("trips", "rides"), "2026-11-20", 4, 5, 0))
                .commit();
        assertUnfit(() -> read(renamed, TablePart.ALL), "column rides", "is named trips there", "rewrite_data_files");
    }

    @Test
    void read_columnOfAnotherNumber_isNotTakenForTheTables() throws IOException {
        append("2026-11-19", 1, 3);
        table.updateSchema().deleteColumn("trips").commit();
        table.updateSchema().addColumn("trips", Types.IntegerType.get()).commit();
        table.newAppend()
                .appendFile(file(FILE.replace("trips = 2", "trips = 4"), "2026-11-20", 4, 5, 0))
                .commit();
        assertUnfit(() -> drivers(TablePart.ALL), "column trips", "is another one that was dropped");
    }

    @Test
    void read_columnAddedLater_isNullInEarlierFiles() throws IOException {
        table.newAppend()
                .appendFile(file(FILE.replace("trips = 2", "metres = 5"), "2026-11-19", 1, 2, 0))
                .commit();
        append("2026-11-20", 3, 4);
        assertThat(drivers(TablePart.ALL)).containsExactly("1=null", "3=3");
    }

    @Test
    void look_whatIsNotThere_isNamed() throws IOException {
        assertUnfit(() -> drivers(TablePart.ALL), "holds no row");
        append("2026-11-19", 1, 3);
        assertUnfit(() -> drivers(of(17L)), "has no snapshot 17", String.valueOf(snapshot()));
        Materialization other = TableReaderTest.spec(folder, SPEC);
        assertUnfit(() -> TableFiles.of(other, TablePart.ALL), "is no Iceberg table", "metadata");
        Materialization plain = TableReaderTest.spec(root.resolve("data"), SPEC.replace("iceberg", "parquet"));
        assertUnfit(() -> TableFiles.of(plain, of(snapshot())), "source.parquet: has no snapshots", "--snapshot");
    }

    @Test
    void fingerprint_isThatOfTheSnapshot() throws IOException {
        append("2026-11-19", 1, 3);
        Materialization spec = TableReaderTest.spec(root, SPEC);
        String before = TableFiles.of(spec, TablePart.ALL).fingerprint();
        assertThat(TableFiles.of(spec, TablePart.ALL).fingerprint()).isEqualTo(before);
        append("2026-11-20", 1, 3);
        assertThat(TableFiles.of(spec, TablePart.ALL).fingerprint()).isNotEqualTo(before);
    }
}
