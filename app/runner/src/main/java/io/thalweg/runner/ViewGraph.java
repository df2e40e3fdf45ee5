package io.thalweg.runner;

import io.thalweg.formats.Projection;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.NamedMeasure;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.DurationText;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The job that a view becomes, step by step, as text. It names clusters and stores, and contains no secrets. */
public final class ViewGraph {
    private final FeatureView view;
    private final StringBuilder text = new StringBuilder();

    private ViewGraph(FeatureView view) {
        this.view = view;
    }

    /** The lines for a view. */
    public static String of(FeatureView view) {
        ViewGraph graph = new ViewGraph(view);
        graph.graph();
        return graph.text.toString();
    }

    private void graph() {
        text.append("%s: %s%n%njob%n".formatted(view.qualifiedName(), view.description()));
        if (!view.isTable()) {
            overEvents();
        }
        sink();
        store();
    }

    private void overEvents() {
        step(
                "read+decode",
                Describe.source(view) + " from kafka '" + view.source().kafka() + "': only " + fields());
        step("", "bad and late events → topic " + view.deadLetterTopic());
        lookups();
        if (view.isKeyed()) {
            countKeys();
        } else {
            countCells();
        }
    }

    private void sink() {
        SinkSpec sink = view.sink();
        if (sink != null) {
            step(
                    "sink",
                    "topic " + sink.topic() + " in kafka '" + sink.kafka() + "', " + lower(sink.format()) + ", "
                            + lower(sink.delivery()));
        }
    }

    private void store() {
        String history = view.online().history() == null
                ? ""
                : ", history " + view.online().history().text();
        Online.Layout layout = view.online().layout();
        step(
                "store",
                "with --serve or --store: ttl " + view.online().ttl().text() + history
                        + (layout.isFeast() ? ", layout " + layout.text() : ""));
    }

    private void lookups() {
        for (Lookup lookup : view.lookups()) {
            Lookup.Table table = lookup.table();
            step(
                    "lookup",
                    "%s → %s from %s, read again every %s, at most %,d rows; without a row the event is %s"
                            .formatted(
                                    lookup.key().text(),
                                    lookup.fields().stream()
                                            .map(FieldPath::text)
                                            .collect(Collectors.joining(", ")),
                                    table instanceof Lookup.Redis ? "redis " + table.name() : table.name(),
                                    table.refresh().text(),
                                    table.maxRows(),
                                    lookup.dropsMisses() ? "skipped" : "kept, with null"));
        }
    }

    private void countKeys() {
        step("route", Describe.entities(view) + " → one of 256 shards");
        String every = view.windows().every().text();
        for (NamedMeasure measure : view.measures()) {
            step(
                    measure.equals(view.measures().get(0)) ? "aggregate" : "",
                    measure.name() + ": " + measure(measure.measure()) + " per key and pane of " + every);
        }
        step("", features());
        DurationText early = view.early();
        if (early != null) {
            step("", "every " + early.text() + " a PARTIAL row of keys that changed in the window that is open");
        }
    }

    private String features() {
        List<String> names = view.featureNames();
        return Describe.features(view) + " features at every window end, " + names.get(0) + " … "
                + names.get(names.size() - 1);
    }

    private void countCells() {
        HexTiling tiling = HexTiling.of(view.cell().resolution());
        step(
                "route",
                "cell of resolution " + tiling.resolution() + " → tile of resolution " + tiling.tileResolution() + " ("
                        + tiling.slots() + " cells) → one of 256 shards");
        step(
                "accumulate",
                measure(view.measure()) + " per cell, group and pane of "
                        + view.windows().every().text());
        step("assemble", features());
    }

    private void step(String name, String does) {
        text.append("  %-12s %s%n".formatted(name, does));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String measure(Measure measure) {
        if (measure instanceof Measure.OfNumbers numbers) {
            return numbers.function().text() + " of " + numbers.field().text();
        }
        return measure instanceof Measure.CountDistinct distinct
                ? "distinct " + distinct.field().text()
                : "events";
    }

    /** The fields that are decoded. */
    private String fields() {
        return Projection.of(List.of(view)).paths().stream()
                .map(FieldPath::text)
                .collect(Collectors.joining(", "));
    }
}
