package io.thalweg.server.region;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.EntityValues;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.ReadSize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for a region, of either protocol.
 *
 * @param region null = every place that has rows
 * @param where for some of the other entities, by name, the values to read; as in {@link io.thalweg.store.StoreKey}
 * @param features empty = all
 * @param top null = all rows
 * @param aggregate null = the view's own cells
 * @param asOf null = now
 */
public record ScanRequest(
        FeatureView view,
        @Nullable Region region,
        Map<String, Set<Object>> where,
        List<String> features,
        @Nullable Top top,
        @Nullable Aggregate aggregate,
        @Nullable Instant asOf) {
    /** Keeps the rows with the greatest values, the greatest first; {@code by} names a feature. */
    record Top(int n, String by) {
        static final int MAX = 1_000;

        static @Nullable Top of(long n, String by, FeatureView view, RequestProblems problems) {
            int before = problems.count();
            if (n < 1 || n > MAX) {
                problems.add("top.n", "must be from 1 to " + MAX + ", was " + n);
            }
            if (!view.featureNames().contains(by)) {
                problems.add(
                        "top.by",
                        () -> "'" + by + "' is not a feature of view " + view.qualifiedName() + "; "
                                + Suggestion.hint(by, view.featureNames()));
            }
            return problems.count() > before ? null : new Top((int) n, by);
        }
    }

    /** Combines rows into one row for each coarser cell. */
    record Aggregate(int resolution, By by) {
        static @Nullable Aggregate of(long resolution, @Nullable By by, int own, RequestProblems problems) {
            if (resolution < 0 || resolution >= own) {
                problems.add(
                        "aggregate.resolution",
                        "must be from 0 to " + (own - 1) + ", below that of the view, was " + resolution);
                return null;
            }
            return by == null ? null : new Aggregate((int) resolution, by);
        }
    }

    /** How values of cells are combined into that of a coarser cell. */
    enum By {
        MEAN,
        MAX,
        SUM;

        /** Returns the name as in JSON. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The estimate for a request without a region: the keys of some tiles. */
    static final double KEYS_EVERYWHERE = 100_000;

    /** Estimates how much the request asks for. */
    public ReadSize size() {
        double keys =
                region == null ? KEYS_EVERYWHERE : region.about(view.cell().resolution());
        for (Set<Object> wanted : where.values()) {
            keys *= Math.max(1, wanted.size());
        }
        return ReadSize.ofScan(keys, features.size(), view.featureNames().size());
    }

    /**
     * Parses the values that a caller asks for.
     *
     * @param given by the name of the entity; as in {@link ReadRequest#entities}
     */
    static Map<String, Set<Object>> where(FeatureView view, Map<String, List<Object>> given, RequestProblems problems) {
        Map<String, Entity.Field> fields = new LinkedHashMap<>();
        view.group().forEach(field -> fields.put(field.name(), field));
        Map<String, Set<Object>> where = new LinkedHashMap<>();
        given.forEach((name, values) -> {
            Entity.Field field = fields.get(name);
            if (field == null) {
                problems.add("where." + name, () -> unknown(view, name, new ArrayList<>(fields.keySet())));
                return;
            }
            Set<Object> wanted = new LinkedHashSet<>();
            for (int i = 0; i < values.size(); i++) {
                try {
                    wanted.add(EntityValues.of(field, values.get(i)));
                } catch (IllegalArgumentException e) {
                    problems.add(
                            "where." + name + (values.size() == 1 ? "" : "[" + i + "]"),
                            String.valueOf(e.getMessage()));
                }
            }
            where.put(name, wanted);
        });
        return where;
    }

    private static String unknown(FeatureView view, String name, List<String> names) {
        return name.equals(view.cell().name())
                ? "is the cell; region chooses cells"
                : "is not an entity of the view besides its cell; "
                        + (names.isEmpty() ? "it has none" : Suggestion.hint(name, names));
    }
}
