package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.TableColumns;
import io.thalweg.tables.UnfitTableException;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableAppender;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Labels in files: their columns, their times and keys, and what is wrong with them. */
@SuppressWarnings("NullAway.Init")
class TrainingSetTest {
    private static final long FIRST_END = Instant.parse("2026-11-30T08:00:00Z").toEpochMilli();
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: orders
                    source: {topic: orders, event_time: {field: ts}}
                    entities: [{name: user, field: user}]
                    measures: [{name: n, count: all}, {name: most, max: price, type: double}]
                    windows: {sizes: [5m], every: 1m}
                    online: {ttl: 10m}
                    """, "orders.yaml").views().get(0);

    @TempDir
    Path folder;

    private LogFixture log;
    private LabelTime time = new LabelTime("ts", null, null);
    private OptionalLong delayMs = OptionalLong.empty();
    private Map<String, String> columns = Map.of();
    private long memory = 1L << 30;

    /** Two users; window ends of 8:00 and 8:01, readable three seconds later. */
    @BeforeEach
    void writeLog() throws IOException {
        log = new LogFixture(VIEW, folder.resolve("warehouse"));
        LogProgress progress = new LogProgress();
        List<KeyedRowBlock> rows = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long endMs = FIRST_END + 60_000L * i;
            rows.add(LogFixture.row(VIEW, "a", endMs, 1 + i, 2.5 + i));
            rows.add(LogFixture.row(VIEW, "b", endMs, 10 + i, null));
            for (int shard = 0; shard < Shard.COUNT; shard++) {
                progress.add(shard, endMs, endMs + 3_000, endMs + 3_000);
            }
        }
        log.rows(rows);
        log.progress(progress);
    }

    private List<String> train(String csv) throws IOException, InterruptedException {
        Path spine = Files.writeString(folder.resolve("labels.csv"), csv);
        return train(spine, RowTable.Form.CSV).lines().toList();
    }

    private ByteArrayOutputStream written(Path spine, RowTable.Form form) throws IOException, InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (FeatureLog opened = log.open()) {
            var unused = set(opened)
                    .write(spine, columns -> FlatTable.open(form, columns, out), null, (labels, bytes) -> {});
        }
        return out;
    }

    private TrainingSet set(FeatureLog opened) {
        TrainingSet.Settings settings = new TrainingSet.Settings(
                time,
                new LabelKeys.Columns(columns, null),
                delayMs,
                List.of(TrainingSet.Extra.WINDOW_END, TrainingSet.Extra.AGE_MS),
                memory,
                2);
        return new TrainingSet(List.of(new TrainingSet.Part(opened, VIEW.featureNames())), settings);
    }

    private String train(Path spine, RowTable.Form form) throws IOException, InterruptedException {
        return written(spine, form).toString(StandardCharsets.UTF_8);
    }

    @Test
    void write_labels_keepTheirColumnsAndOrder() throws Exception {
        assertThat(train("""
                                user,ts,paid,note
                                b,2026-11-30T08:01:30Z,true,"x,y"
                                a,2026-11-30T09:01:02.999+01:00,false,
                                a,2026-11-30T08:01:03Z,true,""
                                c,2026-11-30T08:02:00Z,,007
                                a,2026-11-30T08:00:02Z,true,z
                                a,2026-11-30T08:12:00Z,true,z
                                """))
                .containsExactly(
                        "user,ts,paid,note,orders__n_5m,orders__most_5m,orders__status,orders__window_end,orders__age_ms",
                        "b,2026-11-30T08:01:30Z,true,\"x,y\",11,,PRESENT,2026-11-30T08:01:00Z,30000",
                        "a,2026-11-30T09:01:02.999+01:00,false,,1,2.5,PRESENT,2026-11-30T08:00:00Z,62999",
                        "a,2026-11-30T08:01:03Z,true,,2,3.5,PRESENT,2026-11-30T08:01:00Z,3000",
                        "c,2026-11-30T08:02:00Z,,007,,,NOT_FOUND,,",
                        "a,2026-11-30T08:00:02Z,true,z,,,NOT_LOGGED,,",
                        "a,2026-11-30T08:12:00Z,true,z,,,OUTSIDE_MAX_AGE,2026-11-30T08:01:00Z,660000");
    }

    @Test
    void write_folders_haveTheAnswersOfOneFile() throws Exception {
        String header = "user,at,weight\n";
        String first = "a,%d,0.5\nb,%d,\n".formatted(FIRST_END + 61_000, FIRST_END + 62_000);
        String second = "b,%d,1.5\n".formatted(FIRST_END + 63_000);
        time = new LabelTime("at", null, LabelTime.Unit.MS);
        List<String> whole = train(header + first + second);
        Path parts = Files.createDirectories(folder.resolve("parts/day=1"));
        TableAddress table = new TableAddress(
                new CatalogAddress.Folder(folder.resolve("lake").toString()), "labels.rides");
        for (String each : List.of(first, second)) {
            Path csv = Files.writeString(folder.resolve("part.csv"), header + each);
            try (TableColumns columns = TableColumns.open(csv);
                    OutputStream out =
                            Files.newOutputStream(parts.resolve(each.equals(first) ? "0.parquet" : "1.parquet"));
                    TableAppender appender =
                            new TableAppender(table, new TableLayout(columns.schema(), List.of(), false), "test")) {
                FlatTable file = FlatTable.open(RowTable.Form.PARQUET, columns.schema(), out);
                ColumnBatch batch = Objects.requireNonNull(columns.next());
                file.add(batch);
                file.finish();
                appender.add(batch);
                appender.commit();
            }
        }
        Files.createFile(parts.resolve("_SUCCESS"));

        assertThat(train(folder.resolve("parts"), RowTable.Form.CSV).lines()).containsExactlyElementsOf(whole);
        assertThat(train(folder.resolve("lake/labels/rides"), RowTable.Form.CSV).lines())
                .containsExactlyInAnyOrderElementsOf(whole);
        Files.writeString(parts.resolve("notes.txt"), "");
        assertThatThrownBy(() -> train(folder.resolve("parts"), RowTable.Form.CSV))
                .hasMessageEndingWith(
                        "notes.txt is not a Parquet file by its name; the folder must contain only files that end with .parquet");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n | many | column n is ",
                "m | 1    | has no column m, which other files of the folder have",
            })
    void write_filesOfOtherColumns_areRefused(String name, String value, String message) throws Exception {
        Path parts = Files.createDirectories(folder.resolve("parts"));
        writeLabels(parts.resolve("0.parquet"), "n", "1");
        writeLabels(parts.resolve("1.parquet"), name, value);

        assertThatThrownBy(() -> train(parts, RowTable.Form.CSV))
                .isInstanceOf(UnfitTableException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("; write all with the same ");
    }

    private void writeLabels(Path file, String column, String value) throws IOException {
        Path csv = Files.writeString(
                folder.resolve("part.csv"), "user,ts,%s\na,2026-11-30T08:01:30Z,%s\n".formatted(column, value));
        try (TableColumns columns = TableColumns.open(csv);
                OutputStream out = Files.newOutputStream(file)) {
            FlatTable table = FlatTable.open(RowTable.Form.PARQUET, columns.schema(), out);
            table.add(Objects.requireNonNull(columns.next()));
            table.finish();
        }
    }

    @Test
    void write_icebergTableWithALaterColumn_isNullInEarlierRows() throws Exception {
        TableAddress table = new TableAddress(
                new CatalogAddress.Folder(folder.resolve("lake").toString()), "labels.rides");
        for (String text : List.of("user,ts\nb,2026-11-30T08:01:30Z\n", "user,ts,tip\na,2026-11-30T08:01:30Z,7\n")) {
            Path csv = Files.writeString(folder.resolve("part.csv"), text);
            try (TableColumns columns = TableColumns.open(csv);
                    TableAppender appender =
                            new TableAppender(table, new TableLayout(columns.schema(), List.of(), true), "test")) {
                appender.add(Objects.requireNonNull(columns.next()));
                appender.commit();
            }
        }

        List<String> lines = train(folder.resolve("lake/labels/rides"), RowTable.Form.CSV)
                .lines()
                .toList();
        int tip = List.of(lines.get(0).split(",", -1)).indexOf("tip");
        assertThat(lines.subList(1, 3).stream().map(line -> line.split(",", -1)[tip]))
                .containsExactlyInAnyOrder("", "7");
    }

    @ParameterizedTest
    @EnumSource(RowTable.Form.class)
    void stop_betweenGroups_continuesWithTheSameRows(RowTable.Form form) throws Exception {
        StringBuilder csv = new StringBuilder("user,at,code\n");
        for (int i = 0; i < 30_000; i++) {
            csv.append(i % 3 == 0 ? "a," : "b,")
                    .append(FIRST_END + 10L * i)
                    .append(",00")
                    .append(i % 7)
                    .append('\n');
        }
        time = new LabelTime("at", null, LabelTime.Unit.MS);
        memory = 1;
        Path spine = Files.writeString(folder.resolve("labels.csv"), csv);
        Path whole = folder.resolve("whole." + form);
        Files.write(whole, written(spine, form).toByteArray());
        Path begun = folder.resolve("begun." + form);

        TrainingSet.Result first;
        try (FeatureLog opened = log.open();
                OutputStream out = Files.newOutputStream(begun)) {
            TrainingSet set = set(opened);
            first = set.write(spine, columns -> FlatTable.open(form, columns, out), null, (labels, bytes) -> {
                if (labels >= 10_000) {
                    set.stop();
                }
            });
        }
        TrainingSet.Result all;
        Path continued = folder.resolve("continued." + form);
        try (FeatureLog opened = log.open();
                OutputStream out = Files.newOutputStream(continued)) {
            all = set(opened)
                    .write(
                            spine,
                            columns -> FlatTable.continuing(begun, form, columns, out),
                            first,
                            (labels, bytes) -> {});
        }

        assertThat(first.complete()).isFalse();
        assertThat(first.labels()).isBetween(10_000L, 20_000L);
        assertThat(all.complete()).isTrue();
        assertThat(all.labels()).isEqualTo(30_000);
        assertThat(all.statuses().get("orders").values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(30_000);
        assertThat(rows(continued)).isEqualTo(rows(whole)).hasSize(30_000);
        Files.writeString(spine, "user,at,code\na,1,001\n");
        try (FeatureLog opened = log.open();
                OutputStream out = OutputStream.nullOutputStream()) {
            assertThatThrownBy(() -> set(opened)
                            .write(
                                    spine,
                                    columns -> FlatTable.continuing(begun, form, columns, out),
                                    first,
                                    (labels, bytes) -> {}))
                    .hasMessage("the labels have changed since the run that was interrupted");
        }
    }

    /** Returns the rows of a table as text. */
    private static List<String> rows(Path table) throws IOException {
        if (table.toString().endsWith("CSV")) {
            List<String> lines = Files.readAllLines(table);
            return lines.subList(1, lines.size());
        }
        ByteArrayOutputStream csv = new ByteArrayOutputStream();
        try (TableColumns columns = TableColumns.open(table)) {
            FlatTable text = FlatTable.open(RowTable.Form.CSV, columns.schema(), csv);
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                text.add(batch);
            }
            text.finish();
        }
        List<String> lines = csv.toString(StandardCharsets.UTF_8).lines().toList();
        return lines.subList(1, lines.size());
    }

    @Test
    void write_parquet_isReadBackAsASpine() throws Exception {
        StringBuilder csv = new StringBuilder("user,at,weight\n");
        for (int i = 0; i < 9_000; i++) {
            csv.append(i % 3 == 0 ? "a" : "b")
                    .append(',')
                    .append(FIRST_END + 10L * i)
                    .append(",0.5\n");
        }
        time = new LabelTime("at", null, LabelTime.Unit.MS);
        Path spine = Files.writeString(folder.resolve("labels.csv"), csv);
        Path once = folder.resolve("once.parquet");
        Files.write(once, written(spine, RowTable.Form.PARQUET).toByteArray());
        String all = train(spine, RowTable.Form.CSV);
        memory = 1;

        assertThat(train(spine, RowTable.Form.CSV))
                .as("in groups of a few thousand labels")
                .isEqualTo(all);
        assertThatThrownBy(() -> train(once, RowTable.Form.CSV))
                .as("answered once already")
                .hasMessage("the training set would have two columns 'orders__n_5m'; rename the one of the labels");
    }

    @Test
    void write_fixedDelay_countsFromTheWindowEnd() throws Exception {
        delayMs = OptionalLong.of(30_000);

        assertThat(train("user,ts\na,2026-11-30T08:01:29Z\na,2026-11-30T08:01:30Z\na,2026-11-30T08:00:29Z\n"))
                .extracting(line -> line.split(",", -1)[4] + " " + line.split(",", -1)[2])
                .containsExactly("orders__status orders__n_5m", "PRESENT 1", "PRESENT 2", "NOT_LOGGED ");
    }

    @Test
    void write_unusableLabels_nameTheColumnTheRowAndTheRemedy() {
        wrong("user,at\na,1\n", "the labels have no column 'ts' for their time; known: at, user", same -> same);
        wrong("usr,ts\na,2026-11-30T08:00:00Z\n", "the labels have no column 'user', an entity of view orders", s -> s);
        wrong("user,ts\na,\n", "row 1 of the labels: column 'ts' must be a time, was nothing", s -> s);
        wrong("user,ts\na,soon\n", "row 1 of the labels: column 'ts' must be a time, was 'soon'", s -> s);
        wrong("user,ts\na,1796000000000\n", "state the unit of its numbers, such as --unit ms", s -> s);
        wrong(
                "user,ts\na,2026-11-30T08:00:00Z\n,2026-11-30T08:00:00Z\n",
                "row 2 of the labels: entity 'user' of view orders was nothing",
                s -> s);
        wrong("user,ts\na,2026-11-30 08:00:00\n", "its times have no zone; state it, such as --zone UTC", s -> s);
        wrong(
                "user,ts\na,2026-10-25T02:30:00\n",
                "in zone Europe/Berlin this time occurs twice",
                any -> new LabelTime("ts", ZoneId.of("Europe/Berlin"), null));
        assertThatThrownBy(() -> {
                    try (FeatureLog opened = log.open()) {
                        new TrainingSet.Part(opened, List.of("n_6m"));
                    }
                })
                .isInstanceOf(SpineException.class)
                .hasMessage("'n_6m' is not a feature of view orders; did you mean 'n_5m'?");
    }

    private void wrong(String csv, String message, UnaryOperator<LabelTime> other) {
        LabelTime before = time;
        time = other.apply(time);
        assertThatThrownBy(() -> train(csv)).isInstanceOf(SpineException.class).hasMessageContaining(message);
        time = before;
    }
}
