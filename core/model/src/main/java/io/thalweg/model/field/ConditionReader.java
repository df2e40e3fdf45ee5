package io.thalweg.model.field;

import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one entry of {@code where}. */
public final class ConditionReader {
    private final FieldPath field;
    private final YamlValue value;

    public ConditionReader(FieldPath field, YamlValue value) {
        this.field = field;
        this.value = value;
    }

    /** Reads {@code where}: all of its entries. */
    public static List<Condition> readAll(YamlValue value) {
        List<Condition> conditions = new ArrayList<>();
        YamlMap map = value.map();
        map.all()
                .forEach((key, condition) ->
                        conditions.add(new ConditionReader(FieldPaths.read(map.key(key), key), condition).read()));
        return conditions;
    }

    public Condition read() {
        return value.isMap() ? form(value.map()) : new Condition.In(field, values(value));
    }

    private Condition form(YamlMap map) {
        Condition.Range range =
                new Condition.Range(field, bound(map, "gt"), bound(map, "gte"), bound(map, "lt"), bound(map, "lte"));
        boolean ranged = map.has("gt") || map.has("gte") || map.has("lt") || map.has("lte");
        Optional<YamlValue> not = map.optional("not");
        Optional<YamlValue> exists = map.optional("exists");
        map.close();
        if ((ranged ? 1 : 0) + (not.isPresent() ? 1 : 0) + (exists.isPresent() ? 1 : 0) != 1) {
            value.wrong("one of [a, b], {gte: 0, lt: 500}, {not: [a]} and {exists: true}");
        }
        if (not.isPresent()) {
            return new Condition.NotIn(field, values(not.get()));
        }
        if (exists.isPresent()) {
            return new Condition.Exists(field, exists.get().bool());
        }
        check(range);
        return range;
    }

    private List<@Nullable Object> values(YamlValue from) {
        List<@Nullable Object> values = new ArrayList<>();
        for (YamlValue element : from.listOrOne()) {
            Object scalar = element.scalar();
            if (!element.isScalar() || (scalar instanceof Double number && !Double.isFinite(number))) {
                element.wrong("text, a finite number, true, false or null");
            }
            if (scalar instanceof String text && !JsonText.isUnicode(text)) {
                element.wrong("valid Unicode text, because no event can hold half of a surrogate pair");
            }
            values.add(scalar);
        }
        if (values.isEmpty()) {
            from.wrong("a list with at least one value");
        }
        return Collections.unmodifiableList(values);
    }

    private static @Nullable Number bound(YamlMap map, String key) {
        Optional<YamlValue> bound = map.optional(key);
        if (bound.isEmpty()) {
            return null;
        }
        Object scalar = bound.get().scalar();
        if (scalar instanceof Long || (scalar instanceof Double number && Double.isFinite(number))) {
            return (Number) scalar;
        }
        bound.get().wrong("a finite number");
        return 0L;
    }

    private void check(Condition.Range range) {
        if ((range.gt() != null && range.gte() != null) || (range.lt() != null && range.lte() != null)) {
            value.wrong("at most one of gt, gte and at most one of lt, lte");
            return;
        }
        Number low = range.gt() != null ? range.gt() : range.gte();
        Number high = range.lt() != null ? range.lt() : range.lte();
        if (low == null || high == null) {
            return;
        }
        int order = new java.math.BigDecimal(low.toString()).compareTo(new java.math.BigDecimal(high.toString()));
        if (order > 0 || (order == 0 && (range.gt() != null || range.lt() != null))) {
            value.wrong("a range that holds a number: the lower bound below the upper");
        }
    }
}
