package io.thalweg.server.feast;

import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.ValueType;
import io.thalweg.server.feast.FeastAnswer.Cell;
import io.thalweg.server.feast.FeastAnswer.Column;
import io.thalweg.server.feast.FeastAnswer.Status;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.ReadAnswer;
import io.thalweg.server.read.ReadAnswer.Row;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.ReadRequest.ReadFrom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers as Feast's feature server does, from the store, whatever the layout of its views: one read per view, features of
 * several views side by side. Values that Thalweg knows to be zero are present.
 *
 * <p><b>Threads.</b> Safe. A read blocks on the store.
 */
public final class FeastReader {
    private static final OptionalLong NEVER = OptionalLong.empty();

    private final FeatureReader reader;

    public FeastReader(FeatureReader reader) {
        this.reader = reader;
    }

    /** A requested feature. */
    private record Asked(FeatureView view, String feature, String name) {
        /** The features to read from the view for it. */
        List<String> features() {
            return isArray() ? view.featureNames() : List.of(feature);
        }

        boolean isArray() {
            return feature.equals(FeastView.ARRAY) && view.online().layout() == Online.Layout.FEAST_ARRAY;
        }
    }

    public FeastAnswer read(FeastRequest request) {
        int entities = count(request.entities());
        List<Asked> asked = asked(request);
        Map<FeatureView, Set<String>> wanted = new LinkedHashMap<>();
        asked.forEach(each -> wanted.computeIfAbsent(each.view(), view -> new LinkedHashSet<>())
                .addAll(each.features()));
        Map<FeatureView, ReadAnswer> answers = new LinkedHashMap<>();
        wanted.forEach((view, features) -> answers.put(
                view,
                reader.read(
                        view,
                        new ReadRequest(
                                view.qualifiedName(),
                                keys(view, request.entities(), entities),
                                List.copyOf(features),
                                null,
                                ReadFrom.STORE))));
        List<Column> columns = new ArrayList<>();
        request.entities()
                .forEach((joinKey, values) -> columns.add(new Column(
                        joinKey,
                        values.stream()
                                .map(value -> new Cell(value, Status.PRESENT, NEVER))
                                .toList())));
        asked.forEach(each -> columns.add(column(each, answers.get(each.view()))));
        return new FeastAnswer(columns);
    }

    private static int count(Map<String, List<Object>> entities) {
        List<Integer> counts =
                entities.values().stream().map(List::size).distinct().toList();
        if (counts.size() > 1) {
            throw RefusedRequestException.invalid(
                    "entities: all join keys must have equally many values, was " + counts);
        }
        return counts.isEmpty() ? 0 : counts.get(0);
    }

    private List<Asked> asked(FeastRequest request) {
        List<String> references = request.features();
        int most = reader.views().stream()
                .mapToInt(view -> view.featureNames().size() + 1)
                .sum();
        if (references.size() > most) {
            throw RefusedRequestException.invalid(
                    "features: all views together have %d, was %d names".formatted(most, references.size()));
        }
        List<Asked> asked = new ArrayList<>();
        Map<String, FeatureView> views = new HashMap<>(); // one version for all features of a name
        RequestProblems problems = new RequestProblems();
        Set<String> names = new LinkedHashSet<>(request.entities().keySet());
        for (int i = 0; i < references.size(); i++) {
            String reference = references.get(i);
            int colon = reference.indexOf(':');
            if (colon < 0) {
                problems.add(
                        "features[" + i + "]",
                        () -> "must be VIEW:FEATURE such as demand:k5_8m, was '" + reference + "'");
                continue;
            }
            FeatureView view = views.computeIfAbsent(reference.substring(0, colon), reader::view);
            String feature = reference.substring(colon + 1);
            String name = request.fullNames() ? view.qualifiedName() + "__" + feature : feature;
            if (!names.add(name)) {
                problems.add(
                        "features[" + i + "]",
                        () -> "'" + name + "' is answered twice; ask for it once, or with full_feature_names: true");
            }
            asked.add(new Asked(view, feature, name));
        }
        if (references.isEmpty()) {
            problems.add("features", "must name at least one, such as demand:k5_8m");
        }
        problems.throwIfAny();
        return asked;
    }

    /** Returns the view's keys in the form of its own API; columns that the view does not know belong to other views. */
    private static List<Map<String, Object>> keys(FeatureView view, Map<String, List<Object>> columns, int count) {
        List<Map<String, Object>> keys = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Map<String, Object> key = new LinkedHashMap<>();
            for (Entity entity : view.entities()) {
                List<Object> column = columns.get(entity.name());
                if (column != null) {
                    key.put(entity.name(), given(entity, column.get(i)));
                }
            }
            keys.add(key);
        }
        return keys;
    }

    /** Converts a value: Feast has cells as whole numbers, possibly as text, and booleans as 0 and 1. */
    private static Object given(Entity entity, Object value) {
        if (entity instanceof Entity.Cell) {
            boolean decimal = value instanceof String text && text.matches("\\d{17,19}");
            return value instanceof Long || decimal ? Long.toHexString(Long.parseLong(value.toString())) : value;
        }
        boolean truth = ((Entity.Field) entity).type() == ValueType.BOOL;
        return truth && value instanceof Long number && (number == 0 || number == 1) ? (Object) (number == 1) : value;
    }

    private static Column column(Asked asked, @Nullable ReadAnswer answer) {
        if (answer == null) {
            throw new IllegalStateException("view " + asked.view().qualifiedName() + " was not read");
        }
        int[] places =
                asked.features().stream().mapToInt(answer.features()::indexOf).toArray();
        return new Column(
                asked.name(),
                answer.rows().stream().map(row -> cell(asked, places, row)).toList());
    }

    /** The status of a row without values. */
    private static Status status(ReadStatus status) {
        return switch (status) {
            case NOT_FOUND -> Status.NOT_FOUND;
            case UNREADABLE -> Status.INVALID;
            default -> Status.OUTSIDE_MAX_AGE;
        };
    }

    private static Cell cell(Asked asked, int[] places, Row row) {
        List<@Nullable Object> values = row.values();
        if (values == null) {
            return new Cell(null, status(row.status()), row.windowEndMs());
        }
        Object value = asked.isArray() ? floats(values, places) : values.get(places[0]);
        return new Cell(value, value == null ? Status.NULL_VALUE : Status.PRESENT, row.windowEndMs());
    }

    private static List<Float> floats(List<@Nullable Object> values, int[] places) {
        List<Float> floats = new ArrayList<>(places.length);
        for (int place : places) {
            Object value = values.get(place);
            floats.add(value == null ? Float.NaN : ((Number) value).floatValue());
        }
        return floats;
    }
}
