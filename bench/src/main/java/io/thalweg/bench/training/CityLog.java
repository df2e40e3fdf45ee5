package io.thalweg.bench.training;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Folders;
import io.thalweg.devkit.CityConfig;
import io.thalweg.devkit.CitySimulator;
import io.thalweg.history.FeatureLog;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.CellText;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.TableAddress;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;

/**
 * The feature log of the demand view in a folder, computed by {@code thalweg run --offline} from the riders of the demo's city; and
 * labels that ask for its rows. Equal parameters give equal rows and labels.
 *
 * @param ends the window ends of the log, epoch ms
 */
record CityLog(Path folder, NavigableSet<Long> ends) implements AutoCloseable {
    /** After which a row counts as readable. */
    static final Duration DELAY = Duration.ofSeconds(12);

    private static final Instant BEGIN = Instant.parse("2026-01-01T18:00:00Z");
    private static final Duration PATIENCE = Duration.ofHours(2);
    private static final int BATCH_ROWS = 10_000;
    /** Keys are drawn from the rows of so many window ends. */
    private static final int SAMPLED_ENDS = 12;

    private static final Struct EVENTS = new Struct(List.of(
            Field.required("event_type", FieldType.TEXT),
            Field.required("rider_id", FieldType.TEXT),
            Field.required("product_id", FieldType.TEXT),
            Field.required("lat", FieldType.DOUBLE),
            Field.required("lng", FieldType.DOUBLE),
            Field.required("ts", FieldType.INT64)));

    private static final Struct LABELS = new Struct(List.of(
            Field.required("label", FieldType.INT64),
            Field.required("cell", FieldType.TEXT),
            Field.required("product", FieldType.TEXT),
            Field.required("ts", FieldType.TIMESTAMP)));

    /**
     * What the systems read.
     *
     * @param rows the rows of the log as plain columns, a Parquet file
     * @param labels a Parquet file, ordered by time
     * @param count of the labels
     */
    record Load(Path rows, Path labels, int count, int minutes) {
        String text() {
            return "%d labels, %d minutes".formatted(count, minutes);
        }
    }

    /** The definition of the view. */
    static Path definition() {
        return Clone.ofLauncher().root().resolve("examples/demand.yaml");
    }

    static FeatureView view() throws IOException {
        return Definitions.parse(Files.readString(definition()), "demand.yaml")
                .views()
                .get(0);
    }

    /** Computes the log of the first minutes of the city. */
    static CityLog compute(long seed, int minutes) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-training-");
        try {
            Files.writeString(folder.resolve("thalweg.yaml"), "catalogs: {default: {folder: warehouse}}\n");
            Path events = folder.resolve("events.parquet");
            writeEvents(events, seed, minutes);
            Path unused = folder.resolve("run.parquet");
            thalweg(
                    folder,
                    "run",
                    definition().toString(),
                    "--input",
                    events.toString(),
                    "--offline",
                    "--output",
                    unused.toString());
            Files.delete(events);
            Files.delete(unused);
            try (FeatureLog log = open(folder)) {
                return new CityLog(folder, new TreeSet<>(log.ends().keySet()));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            Folders.delete(folder);
            throw e;
        }
    }

    private static FeatureLog open(Path folder) throws IOException {
        FeatureView view = view();
        return FeatureLog.open(
                view,
                new TableAddress(
                        new CatalogAddress.Folder(folder.resolve("warehouse").toString()),
                        OfflineSpec.standard(view.qualifiedName()).table()));
    }

    private static void thalweg(Path folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = thalweg(arguments);
        try (Child child = Child.start(arguments[0], folder, Map.of("THALWEG_NO_BUILD", "1"), command)) {
            if (child.awaitExit(PATIENCE) != 0) {
                throw new IllegalStateException("thalweg " + arguments[0] + " failed: " + child.said());
            }
        }
    }

    /** Returns a command that reads the {@code thalweg.yaml} of its folder. */
    static List<String> thalweg(String... arguments) {
        List<String> command = new ArrayList<>(List.of(Clone.launcher().toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--config", "thalweg.yaml", "--quiet"));
        return command;
    }

    private static void writeEvents(Path file, long seed, int minutes) throws IOException {
        JsonFactory json = new JsonFactory();
        write(file, EVENTS, table -> {
            long fromMs = BEGIN.toEpochMilli();
            new CitySimulator(CityConfig.defaults().withSeed(seed))
                    .riderEvents(fromMs, fromMs + Duration.ofMinutes(minutes).toMillis(), (timeMs, id, event) -> {
                        table.columns().begin();
                        try (JsonParser fields = json.createParser(event)) {
                            copy(fields, table.columns());
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        table.end();
                    });
        });
    }

    /** Copies the fields that the view uses, the first ones of an event. */
    private static void copy(JsonParser fields, ColumnWriter into) throws IOException {
        fields.nextToken();
        for (int copied = 0; copied < EVENTS.fields().size(); ) {
            String name = fields.nextFieldName();
            JsonToken value = fields.nextToken();
            int column = EVENTS.indexOf(name);
            if (column < 0) {
                fields.skipChildren();
                continue;
            }
            copied++;
            if (value == JsonToken.VALUE_STRING) {
                text(into, column, fields.getText());
            } else if (value == JsonToken.VALUE_NUMBER_FLOAT) {
                into.float64(column, fields.getDoubleValue());
            } else {
                into.int64(column, fields.getLongValue());
            }
        }
    }

    private static void text(ColumnWriter into, int column, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        into.bytes(column, bytes, 0, bytes.length);
    }

    /** Rows on their way into a file. */
    private record Rows(FlatTable table, ColumnWriter columns) {
        void end() {
            columns.end();
            if (columns.rows() == BATCH_ROWS) {
                flush();
            }
        }

        void flush() {
            try {
                table.add(columns.take());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private interface Filling {
        void fill(Rows rows) throws IOException;
    }

    private static void write(Path file, Struct schema, Filling filling) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            Rows rows = new Rows(FlatTable.open(RowTable.Form.PARQUET, schema, out), new ColumnWriter(schema));
            filling.fill(rows);
            rows.flush();
            rows.table().finish();
        }
    }

    /**
     * Exports the first minutes of the log, and draws labels: keys of rows of the log, at times at which its window ends were readable.
     */
    Load load(int labels, int minutes, long seed) throws IOException, InterruptedException {
        long lastMs = Math.min(
                ends.last(), ends.first() + Duration.ofMinutes(minutes - 1L).toMillis());
        NavigableSet<Long> asked = ends.headSet(lastMs, true);
        Path rows = folder.resolve("rows-%d.parquet".formatted(minutes));
        thalweg(
                folder,
                "log",
                "export",
                definition().toString(),
                "--to",
                Instant.ofEpochMilli(lastMs).toString(),
                "--out",
                rows.toString());
        Random random = new Random(seed);
        long[] timesMs = random.longs(
                        labels,
                        asked.first() + DELAY.toMillis(),
                        lastMs + DELAY.plusMinutes(1).toMillis())
                .sorted()
                .toArray();
        List<String[]> keys = keys(asked);
        Path file = folder.resolve("labels-%d-%d.parquet".formatted(labels, minutes));
        write(file, LABELS, table -> {
            for (int label = 0; label < labels; label++) {
                String[] key = keys.get(random.nextInt(keys.size()));
                table.columns().begin();
                table.columns().int64(0, label);
                text(table.columns(), 1, key[0]);
                text(table.columns(), 2, key[1]);
                table.columns().int64(3, 1_000 * timesMs[label]);
                table.end();
            }
        });
        return new Load(rows, file, labels, minutes);
    }

    private List<String[]> keys(NavigableSet<Long> asked) throws IOException {
        TreeSet<String> keys = new TreeSet<>();
        List<Long> all = List.copyOf(asked);
        try (FeatureLog log = open(folder)) {
            for (int i = 0; i < SAMPLED_ENDS; i++) {
                long end = all.get(i * (all.size() - 1) / (SAMPLED_ENDS - 1));
                log.scan(end, end, (block, progressMs) -> {
                    HexRowBlock rows = (HexRowBlock) block;
                    for (long cell : rows.cells()) {
                        keys.add(CellText.format(cell) + " " + rows.group().get(0));
                    }
                });
            }
        }
        return keys.stream().map(key -> key.split(" ", 2)).toList();
    }

    @Override
    public void close() throws IOException {
        Folders.delete(folder);
    }
}
