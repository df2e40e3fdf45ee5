package io.thalweg.cli;

import io.thalweg.formats.AvroRows;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Condition;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.model.FieldPath;
import io.thalweg.model.Measure;
import io.thalweg.model.SinkSpec;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg explain}: the job a view becomes, and what it needs. */
@Command(
        name = "explain",
        description = "Shows the job that a view becomes, and reckons its state, rows and bytes before anything runs.",
        footer = {
            "",
            "Example:",
            "  thalweg explain examples/demand.yaml --active-cells 5000000 --groups 6 --events-per-second 120000"
        })
final class ExplainCommand implements Callable<Integer> {
    private final Console console;
    private final PrintWriter out;

    @Mixin
    private Config config = new Config();

    @Parameters(paramLabel = "VIEW", description = "A file, or a name from the folders of thalweg.yaml.")
    private String view = "";

    @Option(
            names = "--active-cells",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Hexagons that have a row at a window end, per group. Default: ${DEFAULT-VALUE}.")
    private long activeCells;

    @Option(
            names = "--groups",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Groups (values of the other entities, such as products) in each of them. Default: ${DEFAULT-VALUE}.")
    private long groups;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Events that the view keeps. Default: ${DEFAULT-VALUE}.")
    private double eventsPerSecond;

    @Option(names = "--avro-schema", description = "Print the schema of the view's rows as Avro, and nothing else.")
    private boolean avroSchema;

    ExplainCommand(Console console) {
        this.console = console;
        this.out = console.out();
    }

    @Override
    public Integer call() {
        FeatureView loaded = config.views(console).one(view);
        if (avroSchema) {
            out.println(AvroRows.schemaJson(loaded));
            return 0;
        }
        Footprint footprint = new Footprint(loaded, activeCells, groups, eventsPerSecond);
        out.printf("%s: %s%n", loaded.qualifiedName(), loaded.description());
        graph(loaded);
        state(footprint);
        rows(footprint);
        return 0;
    }

    private void graph(FeatureView loaded) {
        HexTiling tiling = HexTiling.of(loaded.cell().resolution());
        out.println();
        out.println("job");
        step(
                "read+decode",
                Describe.source(loaded) + " from kafka '" + loaded.source().kafka() + "': only " + fields(loaded));
        step("", "bad and late events → topic " + loaded.deadLetterTopic());
        step(
                "route",
                "cell of resolution " + tiling.resolution() + " → tile of resolution " + tiling.tileResolution() + " ("
                        + tiling.slots() + " cells) → one of 256 shards");
        step(
                "accumulate",
                measure(loaded.measure()) + " per cell, group and pane of "
                        + loaded.windows().every().text());
        step(
                "assemble",
                Describe.features(loaded) + " features at every window end, "
                        + loaded.featureNames().get(0) + " … "
                        + loaded.featureNames().get(loaded.featureNames().size() - 1));
        SinkSpec sink = loaded.sink();
        if (sink != null) {
            step(
                    "sink",
                    "topic " + sink.topic() + " in kafka '" + sink.kafka() + "', " + lower(sink.format()) + ", "
                            + lower(sink.delivery()));
        }
        String history = loaded.online().history() == null
                ? ""
                : ", history " + loaded.online().history().text();
        step("store", "with --serve or --store: ttl " + loaded.online().ttl().text() + history);
    }

    private void step(String name, String does) {
        out.printf("  %-12s %s%n", name, does);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String measure(Measure measure) {
        return measure instanceof Measure.CountDistinct distinct
                ? "distinct " + distinct.field().text()
                : "events";
    }

    /** The fields that are decoded. */
    private static String fields(FeatureView loaded) {
        Set<String> fields = new LinkedHashSet<>();
        add(fields, loaded.source().eventTime().field());
        loaded.where().stream().map(Condition::field).forEach(field -> add(fields, field));
        for (Entity entity : loaded.entities()) {
            if (entity instanceof Entity.Cell cell) {
                add(fields, cell.lat());
                add(fields, cell.lng());
                add(fields, cell.cell());
            } else if (entity instanceof Entity.Field field) {
                add(fields, field.field());
            }
        }
        if (loaded.measure() instanceof Measure.CountDistinct distinct) {
            add(fields, distinct.field());
        }
        return String.join(", ", fields);
    }

    private static void add(Set<String> fields, @Nullable FieldPath field) {
        if (field != null) {
            fields.add(field.text());
        }
    }

    private void state(Footprint f) {
        out.println();
        out.println("state (at most; one checkpoint writes this much)");
        boolean distinct = f.view().measure() instanceof Measure.CountDistinct;
        line(
                "open panes",
                Units.bytes(f.openBytes()),
                f.openPanes() + " panes, " + Units.count(f.openEvents()) + " events"
                        + (distinct ? ", each a distinct id of " + Footprint.ID_BYTES + " B" : "")
                        + "; repeats of an id in a cell cost nothing");
        line(
                "kept panes",
                Units.bytes(f.keptBytes()),
                Units.count(f.countedPerPane()) + " counted (cell, group) × " + f.keptPanes() + " panes × "
                        + Footprint.COUNT_BYTES + " B × " + String.format(Locale.ROOT, "%.2f", f.haloFactor())
                        + " for the halo");
        out.println("  counted (cell, group) per pane: no more than rows, no more than the events of a pane");
    }

    private void rows(Footprint f) {
        String every = f.view().windows().every().text();
        out.println();
        out.println("rows");
        line(
                "per window end",
                Units.count(f.rowsPerEnd()),
                Units.count((double) f.activeCells()) + " active cells × " + f.groups() + " groups, every " + every
                        + "; where active cells counts (cell, group) pairs already, say --groups 1");
        line("per minute", Units.count(f.rowsPerSecond() * 60), "");
        line("per second", Units.count(f.rowsPerSecond()), "on average; they leave in a burst at each window end");
        out.println();
        out.println("bytes per second (of rows in which each cell has the mean count; before compression)");
        toKafka("kafka, json", f.jsonRowBytes(), f);
        toKafka("kafka, packed", f.packedRowBytes(), f);
        toKafka("store", f.storedRowBytes(), f);
        line(
                "store holds",
                Units.bytes(f.storedRows() * f.storedRowBytes()),
                Units.count(f.storedRows())
                        + " rows: the newest of each (cell, group)"
                        + (f.view().online().history() == null ? "" : ", and those of ttl + history"));
    }

    private void toKafka(String name, double rowBytes, Footprint f) {
        line(name, Units.bytes(rowBytes * f.rowsPerSecond()) + "/s", Units.bytes(rowBytes) + " per row");
    }

    private void line(String name, String value, String how) {
        out.println(String.format(Locale.ROOT, "  %-16s %10s   %s", name, value, how)
                .stripTrailing());
    }
}
