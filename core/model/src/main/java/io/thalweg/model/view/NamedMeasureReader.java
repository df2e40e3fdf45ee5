package io.thalweg.model.view;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.ConditionReader;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code measure} or {@code measures} of a view without rings. */
final class NamedMeasureReader {
    static final int MEASURES_MAX = 64;

    private static final Set<String> KEYS = Set.of("name", "where", "per", "type");
    private static final List<String> FUNCTIONS = List.of("count", "count_distinct", "sum", "min", "max", "mean");
    private static final String FORMS =
            "one of {count: all}, {count_distinct: rider_id}, {sum: amount}, {min: amount}, "
                    + "{max: amount} and {mean: amount}";

    private NamedMeasureReader() {}

    static List<NamedMeasure> read(YamlMap view) {
        Optional<YamlValue> one = view.optional("measure");
        Optional<YamlValue> many = view.optional("measures");
        if (one.isPresent() && many.isPresent()) {
            view.key("measures").problem("does not go with measure; put all of them into measures");
        }
        if (one.isEmpty() && many.isEmpty()) {
            view.self().problemAt("measures", "is required, such as measures: [{name: views, count: all}]");
        }
        List<NamedMeasure> measures = new ArrayList<>();
        one.ifPresent(value -> measures.add(measure(value)));
        many.ifPresent(value -> list(value, measures));
        return measures;
    }

    private static void list(YamlValue value, List<NamedMeasure> measures) {
        Set<String> names = new TreeSet<>();
        for (YamlValue element : value.list()) {
            int before = element.problems().count();
            NamedMeasure measure = measure(element);
            if (element.problems().count() == before && !names.add(measure.name())) {
                element.problem("the features of another measure are called " + measure.name()
                        + "_{window} too; give it a name of its own");
            }
            measures.add(measure);
        }
        if (value.isList() && (measures.isEmpty() || measures.size() > MEASURES_MAX)) {
            value.wrong("a list of 1 to " + MEASURES_MAX + " measures");
        }
    }

    private static NamedMeasure measure(YamlValue value) {
        YamlMap map = value.map();
        List<String> given = FUNCTIONS.stream().filter(map::has).toList();
        if (value.isMap() && given.size() != 1 && !misnamed(map)) {
            value.wrong(FORMS);
        }
        Measure measure = given.isEmpty() ? new Measure.Count() : measure(given.get(0), map);
        List<Condition> where =
                map.optional("where").map(ConditionReader::readAll).orElse(List.of());
        boolean perMinute = map.optional("per").map(per -> per(per, measure)).orElse(false);
        String name = map.optional("name").map(YamlValue::name).orElseGet(() -> name(measure));
        map.close();
        return new NamedMeasure(name, measure, where, perMinute);
    }

    /** Whether a key has the name that another system gives to a function; {@link YamlMap#close} reports it. */
    private static boolean misnamed(YamlMap map) {
        return map.names().stream()
                .filter(key -> !KEYS.contains(key) && !FUNCTIONS.contains(key))
                .anyMatch(key -> Suggestion.to(key, FUNCTIONS).isPresent());
    }

    private static Measure measure(String function, YamlMap map) {
        Optional<YamlValue> argument = map.optional(function);
        Optional<YamlValue> type = map.optional("type");
        if (function.equals("count")) {
            argument.filter(all -> !all.isText() || !all.text().equals("all")).ifPresent(all -> all.wrong("all"));
            type.ifPresent(unused -> map.key("type").problem("does not go with count; remove it"));
            return new Measure.Count();
        }
        FieldPath field = argument.map(FieldPaths::read).orElse(FieldPaths.UNKNOWN);
        if (function.equals("count_distinct")) {
            ValueType identity = type.map(given -> given.oneOf(ValueType.class)).orElse(ValueType.STRING);
            if (identity == ValueType.BOOL) {
                type.ifPresent(given -> given.wrong("one of string, int64, uuid"));
            }
            return new Measure.CountDistinct(field, identity);
        }
        return new Measure.OfNumbers(
                Measure.Function.valueOf(function.toUpperCase(Locale.ROOT)),
                field,
                type.map(given -> given.oneOf(Measure.NumberType.class)).orElse(Measure.NumberType.DOUBLE));
    }

    private static boolean per(YamlValue per, Measure measure) {
        if (!per.isText() || !per.text().equals("minute")) {
            per.wrong("minute");
        }
        if (measure instanceof Measure.OfNumbers numbers && numbers.function() != Measure.Function.SUM) {
            per.problem("goes with count, count_distinct and sum only; remove it");
            return false;
        }
        return true;
    }

    /** Returns a derived name, such as {@code count}, {@code distinct_rider_id} or {@code sum_amount}. */
    private static String name(Measure measure) {
        if (measure instanceof Measure.CountDistinct distinct) {
            return "distinct_" + name(distinct.field());
        }
        if (measure instanceof Measure.OfNumbers numbers) {
            return numbers.function().text() + "_" + name(numbers.field());
        }
        return "count";
    }

    /** Returns a path's segments, reduced to the characters of names. */
    private static String name(FieldPath field) {
        String joined = String.join("_", field.segments()).toLowerCase(Locale.ROOT);
        return joined.replaceAll("[^a-z0-9]+", "_").replaceAll("^_|_$", "");
    }
}
