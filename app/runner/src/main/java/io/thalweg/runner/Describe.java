package io.thalweg.runner;

import io.thalweg.model.source.EventSchema;
import io.thalweg.model.table.Table;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Windows;
import java.util.stream.Collectors;

/** Describes views in words. */
public final class Describe {
    private Describe() {}

    /** {@code cell (h3 9), product (uuid)}. */
    public static String entities(FeatureView view) {
        return view.entities().stream().map(Describe::entity).collect(Collectors.joining(", "));
    }

    private static String entity(Entity entity) {
        String type = entity instanceof Entity.Field field
                ? field.type().text()
                : "h3 " + ((Entity.Cell) entity).resolution();
        return entity.name() + " (" + type + ")";
    }

    /** {@code 54 (9 rings × 6 windows)}. */
    public static String features(FeatureView view) {
        Computation computation = view.computation();
        if (computation instanceof Computation.OfRings rings) {
            return features(rings.rings().size(), "rings", rings.windows());
        }
        if (computation instanceof Computation.OfKeys keys) {
            return features(keys.measures().size(), "measures", keys.windows());
        }
        return view.columns().size() + " (columns)";
    }

    private static String features(int parts, String of, Windows in) {
        int windows = in.sizes().size();
        return parts * windows + " (" + parts + " " + of + " × " + windows + " windows)";
    }

    /** {@code rider-events, json}, or {@code rides, avro, schema rides-value, version 3}. */
    public static String source(FeatureView view) {
        if (view.isTable()) {
            return "a table";
        }
        EventSchema schema = view.source().encoding().schema();
        return String.join(" + ", view.source().topics()) + ", "
                + view.source().format().text()
                + (schema == null || schema.at().subject() == null ? "" : ", schema " + schema.name());
    }

    /** {@code /lake/driver_stats, parquet, by dt}. */
    public static String table(Table table) {
        String by = table.partitions().isEmpty() ? "" : ", by " + String.join(", ", table.partitions());
        return table.name() + ", " + table.format().text() + by;
    }

    /** The topic of the rows, or {@code -}. */
    public static String sink(FeatureView view) {
        return view.sink() == null ? "-" : view.sink().topic();
    }
}
