package io.thalweg.pipelinetest;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.pipelinetest.PipelineTest.Expectation;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRead;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRow;
import io.thalweg.pipelinetest.PipelineTest.ExpectedValue;
import io.thalweg.pipelinetest.PipelineTest.ReadRow;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reads the key {@code expect} of a test against its view.
 *
 * <p><b>Threads.</b> One.
 */
final class ExpectationReader {
    private static final List<String> REASONS =
            Arrays.stream(BadReason.values()).map(BadReason::text).toList();

    private final FeatureView view;
    private final TestTimes times;
    private final boolean recording;

    /**
     * Creates a reader.
     *
     * @param recording whether reads may omit their answers
     */
    ExpectationReader(FeatureView view, TestTimes times, boolean recording) {
        this.view = view;
        this.times = times;
        this.recording = recording;
    }

    Expectation read(YamlValue value) {
        YamlMap map = value.map();
        List<ExpectedRow> rows = map.optional("rows").map(this::rows).orElse(List.of());
        boolean noOtherRows =
                map.optional("no_other_rows").map(YamlValue::bool).orElse(view.isKeyed() && map.has("rows"));
        Counts counts = map.optional("counts").map(ExpectationReader::counts).orElse(Counts.NONE);
        Map<DeadLetterKind, Long> letters = map.optional("dead_letters")
                .map(each -> RowExpectationReader.letters(each, List.of(), REASONS))
                .orElse(null);
        List<ExpectedRead> reads = map.optional("reads").map(this::reads).orElse(List.of());
        if (value.isMap() && !map.has("rows") && !map.has("counts") && letters == null && !map.has("reads")) {
            value.wrong("rows, counts, dead_letters, reads or several of them");
        }
        map.close();
        return new Expectation(rows, noOtherRows, counts, letters, reads);
    }

    /** Reads the key {@code reads}. */
    List<ExpectedRead> reads(YamlValue value) {
        return value.list().stream()
                .map(each -> read(each.map()))
                .sorted(Comparator.comparingLong(ExpectedRead::atMs))
                .toList();
    }

    private ExpectedRead read(YamlMap map) {
        long atMs = map.required("at", "\"12:05:00\"").map(times::moment).orElse(0L);
        String example = "[{%s: %s, status: PRESENT}]"
                .formatted(
                        view.entities().get(0).name(), example(view.entities().get(0)));
        List<ReadRow> rows = map.required("rows", example).map(YamlValue::list).orElse(List.of()).stream()
                .map(row -> readRow(row.map()))
                .toList();
        map.close();
        return new ExpectedRead(atMs, rows);
    }

    private ReadRow readRow(YamlMap map) {
        Map<String, Object> entities = entities(map);
        ReadStatus status =
                map.optional("status").map(ExpectationReader::status).orElse(null);
        Long end = map.optional("window_end").map(this::windowEnd).orElse(null);
        Map<String, ExpectedValue> features = map.has("features") ? features(map) : Map.of();
        if (status == null && !recording) {
            map.self().problemAt("status", "is required, such as status: PRESENT");
        }
        map.close();
        return new ReadRow(entities, status, end, features);
    }

    /** Reads a status as the server writes it. */
    private static ReadStatus status(YamlValue value) {
        for (ReadStatus status : ReadStatus.values()) {
            if (value.isText() && value.text().equals(status.name())) {
                return status;
            }
        }
        value.wrong(
                "one of " + Arrays.stream(ReadStatus.values()).map(Enum::name).collect(Collectors.joining(", ")));
        return ReadStatus.PRESENT;
    }

    private List<ExpectedRow> rows(YamlValue value) {
        List<ExpectedRow> rows = new ArrayList<>();
        Set<RowKey> keys = new HashSet<>();
        for (YamlValue element : value.list()) {
            int before = element.problems().count();
            ExpectedRow row = row(element.map());
            if (element.problems().count() == before && !keys.add(row.key())) {
                element.problem("the same row is listed twice; keep one");
            }
            rows.add(row);
        }
        return rows;
    }

    private ExpectedRow row(YamlMap map) {
        Map<String, Object> entities = entities(map);
        long end =
                map.required("window_end", "\"12:01:00\"").map(this::windowEnd).orElse(0L);
        boolean absent = map.optional("absent").map(YamlValue::bool).orElse(false);
        Map<String, ExpectedValue> features = absent ? Map.of() : features(map);
        map.close();
        return new ExpectedRow(new RowKey(entities, end), absent, features);
    }

    private Map<String, Object> entities(YamlMap map) {
        Map<String, Object> entities = new LinkedHashMap<>();
        for (Entity entity : view.entities()) {
            map.required(entity.name(), example(entity))
                    .ifPresent(value -> entities.put(entity.name(), entity(entity, value)));
        }
        return entities;
    }

    private long windowEnd(YamlValue value) {
        int before = value.problems().count();
        long end = times.moment(value);
        long every = view.windows().every().millis();
        long nearest = Math.floorDiv(end + every / 2, every) * every;
        if (value.problems().count() == before && nearest != end) {
            value.wrong("the end of a window, a whole multiple of windows.every (%s) such as %s"
                    .formatted(view.windows().every().text(), Instant.ofEpochMilli(nearest)));
        }
        return end;
    }

    /** Returns an example of a value, for people. */
    static String example(Entity entity) {
        if (entity instanceof Entity.Cell) {
            return "{lat: 52.52, lng: 13.40} or the cell's index";
        }
        return switch (((Entity.Field) entity).type()) {
            case STRING -> "a";
            case INT64 -> "17";
            case BOOL -> "true";
            case UUID -> "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
        };
    }

    /** Returns the value of an entity as rows contain it; records problems. */
    static Object entity(Entity entity, YamlValue value) {
        if (entity instanceof Entity.Cell cell) {
            return value.isMap() ? cell(cell, value.map()) : index(cell, value);
        }
        Object scalar = value.scalar();
        switch (((Entity.Field) entity).type()) {
            case INT64 -> {
                return scalar instanceof Long ? scalar : wrong(value, "a whole number such as 17");
            }
            case BOOL -> {
                return scalar instanceof Boolean ? scalar : wrong(value, "true or false");
            }
            case UUID -> {
                return scalar instanceof String text && isUuid(text)
                        ? UUID.fromString(text).toString()
                        : wrong(value, "a UUID such as 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe");
            }
            default -> {
                return scalar instanceof String ? scalar : wrong(value, "text; write a number in quotes");
            }
        }
    }

    private static boolean isUuid(String text) {
        return text.matches("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");
    }

    private static Object wrong(YamlValue value, String rule) {
        value.wrong(rule);
        return "";
    }

    /** Returns the cell that contains a place. */
    private static Object cell(Entity.Cell cell, YamlMap place) {
        Optional<Double> lat = place.required("lat", "52.52").map(value -> degrees(value, 90));
        Optional<Double> lng = place.required("lng", "13.40").map(value -> degrees(value, 180));
        place.close();
        return lat.isEmpty() || lng.isEmpty()
                ? ""
                : (Object) HexTiling.of(cell.resolution()).cell(lat.get(), lng.get());
    }

    private static double degrees(YamlValue value, double most) {
        if (value.scalar() instanceof Number number && Math.abs(number.doubleValue()) <= most) {
            return number.doubleValue();
        }
        value.wrong("degrees from -%.0f to %.0f".formatted(most, most));
        return 0;
    }

    private static Object index(Entity.Cell cell, YamlValue value) {
        String text = String.valueOf(value.scalar());
        try {
            long index = Long.parseUnsignedLong(text, 16);
            if (HexTiling.isValidCell(index) && HexTiling.resolution(index) == cell.resolution()) {
                return index;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        return wrong(
                value, "the index of an H3 cell of resolution %d, or {lat: …, lng: …}".formatted(cell.resolution()));
    }

    private Map<String, ExpectedValue> features(YamlMap row) {
        Map<String, ExpectedValue> features = new LinkedHashMap<>();
        List<String> known = view.featureNames();
        row.required("features", "{" + known.get(0) + ": 1}")
                .ifPresent(value -> value.map().all().forEach((name, feature) -> {
                    if (!known.contains(name)) {
                        feature.problem(
                                "is not a feature of view %s; %s".formatted(view.qualifiedName(), hint(name, known)));
                    }
                    features.put(name, feature(feature));
                }));
        return features;
    }

    /** Suggests the nearest name, or some of the names if there are many. */
    private static String hint(String name, List<String> known) {
        return Suggestion.to(name, known)
                .map(near -> "did you mean '" + near + "'?")
                .orElse("known: " + String.join(", ", known.subList(0, Math.min(5, known.size())))
                        + (known.size() > 5 ? ", …" : ""));
    }

    /** Reads a number, exact or approximate, or null. */
    static ExpectedValue feature(YamlValue value) {
        if (value.isMap()) {
            YamlMap map = value.map();
            ExpectedValue read = new ExpectedValue(
                    map.required("about", "0.3").map(ExpectationReader::number).orElse(BigDecimal.ZERO),
                    map.required("within", "0.01")
                            .map(ExpectationReader::number)
                            .filter(within -> within.signum() >= 0)
                            .orElse(BigDecimal.ZERO));
            map.close();
            return read;
        }
        return new ExpectedValue(value.isNull() ? null : number(value), null);
    }

    /** Whole numbers of more than 64 bits are written as text. */
    private static BigDecimal number(YamlValue value) {
        Object scalar = value.scalar();
        try {
            if (scalar instanceof Number || scalar instanceof String) {
                return new BigDecimal(scalar.toString());
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        value.wrong("a number, null, or {about: 0.3, within: 0.01}");
        return BigDecimal.ZERO;
    }

    private static Counts counts(YamlValue value) {
        return counts(
                value,
                Arrays.stream(EventOutcome.values()).map(EventOutcome::text).toList(),
                REASONS);
    }

    /** Reads counts by outcome and reason, which must have these names. */
    static Counts counts(YamlValue value, List<String> outcomes, List<String> reasons) {
        YamlMap map = value.map();
        Optional<YamlValue> listed = map.optional("reasons");
        Counts counts = new Counts(
                counts(map, outcomes),
                listed.map(each -> closed(each.map(), reasons)).orElse(null));
        map.close();
        return counts;
    }

    /** Reads counts by name; there must be no names other than these. */
    static Map<String, Long> closed(YamlMap map, List<String> names) {
        Map<String, Long> counts = counts(map, names);
        map.close();
        return counts;
    }

    private static Map<String, Long> counts(YamlMap map, List<String> names) {
        Map<String, Long> counts = new LinkedHashMap<>();
        names.forEach(name ->
                map.optional(name).ifPresent(count -> counts.put(name, (long) count.integer(0, Integer.MAX_VALUE))));
        return counts;
    }
}
