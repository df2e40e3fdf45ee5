package io.thalweg.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.formats.AvroRows;
import io.thalweg.google.pubsub.PubSubAddress;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.yaml.ByteSize;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.runner.Console;
import io.thalweg.runner.Footprint;
import io.thalweg.runner.KeyedFootprint;
import io.thalweg.runner.Registries;
import io.thalweg.runner.Units;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.runner.ViewFootprint;
import io.thalweg.runner.ViewGraph;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg explain}: the job that a view becomes, and the resources it needs. */
@Command(
        name = "explain",
        description =
                "Shows the job graph of a view and estimates its state, rows and bytes, or that of an ingest and its table.",
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
            names = "--active-keys",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Of a keyed view: keys that have a row at a window end. Default: ${DEFAULT-VALUE}.")
    private long activeKeys;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Events that the view keeps. Default: ${DEFAULT-VALUE}.")
    private double eventsPerSecond;

    @Option(
            names = "--avro-schema",
            description =
                    "Print the schema of the rows, or of the messages of an ingest into a topic, as Avro, and nothing else.")
    private boolean avroSchema;

    @Option(names = "--json", description = "Print the estimates as JSON.")
    private boolean json;

    ExplainCommand(Console console) {
        this.console = console;
        this.out = console.out();
    }

    @Override
    public Integer call() {
        ViewFiles files = config.views(console);
        if (files.meansIngest(view)) {
            Map<String, RegistryAddress> registries = Registries.of(files.deploymentConfig());
            List<Ingest> ingests = files.ingests(List.of(view));
            if (avroSchema) {
                ingests.forEach(ingest -> out.println(avroSchema(ingest, registries)));
            } else if (json) {
                throw UserError.usage("--json is for views, and " + view + " is an ingest", "leave --json out");
            } else {
                ingests.forEach(ingest -> ingest(ingest, registries));
            }
            return 0;
        }
        FeatureView loaded = files.one(view);
        if (avroSchema) {
            out.println(avroSchema(loaded));
            return 0;
        }
        if (loaded.isKeyed()) {
            KeyedFootprint footprint = KeyedFootprint.of(loaded, activeKeys, eventsPerSecond);
            if (json) {
                print(loaded, footprint, (double) footprint.activeKeys());
            } else {
                out.print(ViewGraph.of(loaded));
                state(footprint);
                rows(footprint);
            }
        } else {
            Footprint footprint = new Footprint(loaded, activeCells, groups, eventsPerSecond);
            if (json) {
                print(loaded, footprint, footprint.rowsPerEnd());
            } else {
                out.print(ViewGraph.of(loaded));
                state(footprint);
                rows(footprint);
            }
        }
        return 0;
    }

    private void print(FeatureView loaded, ViewFootprint footprint, double rowsPerEnd) {
        ObjectNode answer = DefinitionJson.view(loaded);
        ArrayNode graph = answer.putArray("graph");
        ViewGraph.of(loaded).toString().lines().forEach(graph::add);
        answer.put("state_bytes", Math.round(footprint.stateBytes()))
                .put("rows_per_window_end", Math.round(rowsPerEnd))
                .put("rows_per_second", footprint.rowsPerSecond());
        answer.putObject("bytes_per_second")
                .put("kafka_json", Math.round(footprint.jsonRowBytes() * footprint.rowsPerSecond()))
                .put("kafka_packed", Math.round(footprint.packedRowBytes() * footprint.rowsPerSecond()))
                .put("store", Math.round(footprint.storeRowBytes() * footprint.rowsPerSecond()));
        answer.put("store_rows", Math.round(footprint.storedRows()))
                .put("store_bytes", Math.round(footprint.storeBytes()))
                .put("log_bytes_per_day", Math.round(footprint.logBytesPerDay()));
        DefinitionJson.print(answer, console);
    }

    private void ingest(Ingest ingest, Map<String, RegistryAddress> registries) {
        Ingest.PubSub pubSub = ingest.input().from() instanceof Ingest.PubSub from ? from : null;
        boolean isExchanged = pubSub != null && pubSub.dedup() != null;
        out.printf(
                "ingest %s: one chain per subtask, %s%n",
                ingest.qualifiedName(), isExchanged ? "behind an exchange by message id" : "without an exchange");
        out.printf("  read       %s%n", ingest.input().from().text());
        if (pubSub != null) {
            subscription(pubSub, ingest.sink().every());
        }
        out.printf(
                "  open       compression %s, messages %s%n",
                ingest.input().envelope().compressionText(),
                ingest.input().envelope().messages().name().toLowerCase(Locale.ROOT));
        out.printf(
                "  translate  %s, %d conditions%n",
                ingest.input().format().text(), ingest.where().size());
        if (ingest.transform() != null) {
            out.printf("  transform  %s%n", ingest.transform().text());
        }
        out.printf("  write      %s%n", write(ingest.sink()));
        out.print(IngestPlan.of(ingest, registries).sinkSchema());
    }

    private void subscription(Ingest.PubSub from, DurationText every) {
        PubSubAddress.Limits limits = PubSubAddress.Limits.STANDARD;
        double seconds = every.millis() / 1e3;
        out.printf(
                Locale.ROOT,
                "  at most    %,d messages and %s unacknowledged on a stream: with a checkpoint every %s, up to %,.0f messages and %,.0f MB a second%n",
                limits.messages(),
                ByteSize.text(limits.bytes()),
                every.text(),
                limits.messages() / seconds,
                limits.bytes() / 1e6 / seconds);
        DurationText dedup = from.dedup();
        if (dedup != null) {
            out.printf("  dedup      a message id that was delivered within %s is dropped%n", dedup.text());
        }
    }

    private static String write(Ingest.Sink sink) {
        if (sink instanceof Ingest.ParquetSink files) {
            return "parquet files in %s, completed every %s or at %s; exactly once"
                    .formatted(
                            files.folder(),
                            files.every().text(),
                            ByteSize.text(files.files().targetFile()));
        }
        String to = sink instanceof Ingest.TopicSink topic
                ? "%s as %s%s".formatted(sink.text(), topic.format().text(), wire(topic.schema()))
                : sink.text();
        boolean atLeastOnce = (sink instanceof Ingest.BigQuerySink table && !table.exactlyOnce())
                || (sink instanceof Ingest.TopicSink topic && !topic.exactlyOnce());
        return atLeastOnce
                ? "%s, visible at once; at least once".formatted(to)
                : "%s, committed every %s; exactly once"
                        .formatted(to, sink.every().text());
    }

    /** Describes how a message names its schema, and the subject and registry of the schema. */
    private static String wire(Source.@Nullable Schema schema) {
        if (schema == null) {
            return "";
        }
        String named = schema.wire() == Source.Wire.PLAIN
                ? ""
                : ", wire " + schema.wire().name().toLowerCase(Locale.ROOT);
        Source.Subject subject = schema.subject();
        return subject == null
                ? named
                : "%s, schema in subject %s of registry %s".formatted(named, subject.name(), subject.registry());
    }

    private static String avroSchema(Ingest ingest, Map<String, RegistryAddress> registries) {
        if (!(ingest.sink() instanceof Ingest.TopicSink topic) || topic.format() != Ingest.Format.AVRO) {
            throw UserError.usage(
                    "%s does not write messages of Avro, but to %s"
                            .formatted(ingest.qualifiedName(), ingest.sink().text()),
                    "--avro-schema goes with sink.topic and format: avro; without it, explain prints the schema of any sink");
        }
        return IngestPlan.of(ingest, registries).sinkSchema().strip();
    }

    private static String avroSchema(FeatureView loaded) {
        if (loaded.isKeyed()) {
            throw UserError.usage(
                    "rows of keyed views are not written as avro, as those of " + loaded.qualifiedName(),
                    "sink.format is json or packed for them");
        }
        return AvroRows.schemaJson(loaded);
    }

    private void state(KeyedFootprint f) {
        out.println();
        out.println("state (one checkpoint writes this much)");
        line(
                "panes",
                Units.bytes(f.panes() * f.keysPerPane() * f.paneBytes()),
                f.panes() + " panes × " + Units.count(f.keysPerPane()) + " keys × " + Units.bytes(f.paneBytes())
                        + " measured on a sample");
        line(
                "windows",
                Units.bytes(f.activeKeys() * f.windowBytes()),
                Units.count((double) f.activeKeys()) + " keys × " + Units.bytes(f.windowBytes())
                        + " measured on a sample");
        line("in all", Units.bytes(f.stateBytes()), "");
    }

    private void rows(KeyedFootprint f) {
        out.println();
        out.println("rows");
        line(
                "per window end",
                Units.count((double) f.activeKeys()),
                "one for each active key, every " + f.view().windows().every().text());
        line("per second", Units.count(f.rowsPerSecond()), "on average; they leave in a burst at each window end");
        bytes(f, "rows of one event each", "key");
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
        bytes(f, "rows in which each cell has the mean count", "(cell, group)");
    }

    private void bytes(ViewFootprint f, String sample, String whose) {
        out.println();
        out.println("bytes per second (of " + sample + "; before compression)");
        rate("kafka, json", f.jsonRowBytes(), f.rowsPerSecond());
        rate("kafka, packed", f.packedRowBytes(), f.rowsPerSecond());
        rate("store", f.storeRowBytes(), f.rowsPerSecond());
        line(
                "store holds",
                Units.bytes(f.storeBytes()),
                Units.count(f.storedRows()) + " rows: the newest of each " + whose
                        + (f.view().online().history() == null ? "" : ", and those of ttl + history"));
        OfflineSpec offline = f.view().offline();
        if (offline != null) {
            DurationText keep = offline.keep();
            line(
                    "feature log",
                    Units.bytes(f.logBytesPerDay()) + "/day",
                    "kept " + (keep == null ? "forever" : "for " + keep.text()));
        }
    }

    private void rate(String name, double rowBytes, double rowsPerSecond) {
        line(name, Units.bytes(rowBytes * rowsPerSecond) + "/s", Units.bytes(rowBytes) + " per row");
    }

    private void line(String name, String value, String how) {
        out.println(String.format(Locale.ROOT, "  %-16s %10s   %s", name, value, how)
                .stripTrailing());
    }
}
