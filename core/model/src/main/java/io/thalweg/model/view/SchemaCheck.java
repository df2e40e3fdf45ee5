package io.thalweg.model.view;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.ConditionReader;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.EventSchemas.FieldType;
import io.thalweg.model.source.EventSchemas.Fields;
import io.thalweg.model.source.Source;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks the fields that a view names against the schema of its events: that they exist, and that their types fit their use.
 * Walks the document independently of the readers of its parts, which report the problems of the parts themselves.
 */
final class SchemaCheck {
    private static final Use NUMBER = new Use("a number", FieldType::isNumber, true, "name a field with a number");
    private static final Use INTEGER = new Use(
            "a whole number",
            FieldType::isInteger,
            true,
            "name a field with whole numbers, or set the type that it has");
    private static final Use TEXT =
            new Use("text", FieldType::isText, false, "set the type that it has, or name another field");
    private static final Use UUID =
            new Use("a uuid, as such or as text", FieldType::isText, false, "name a field with a uuid");
    private static final Use BOOLEAN =
            new Use("true or false", type -> type.kind() == EventSchemas.Kind.BOOLEAN, false, "name another field");
    private static final Use CELL = new Use(
            "a whole number or text",
            type -> type.isInteger() || type.isText(),
            false,
            "name a field with an H3 index");
    private static final Use KEY =
            new Use("text or a number", type -> type.isNumber() || type.isText(), false, "name another field");
    private static final Use SCALAR =
            new Use("text, a number or a boolean", FieldType::isScalar, false, "{exists: true} takes any field");
    private static final Use ANY = new Use("there", type -> true, false, "");

    /**
     * What a field is needed for.
     *
     * @param lenient whether text may be read as such: {@code source.numbers: lenient}
     */
    private record Use(String is, Predicate<FieldType> fits, boolean lenient, String remedy) {}

    private final Fields fields;
    private final boolean lenient;
    private final Set<List<String>> given = new HashSet<>();
    private final SortedMap<String, String> types = new TreeMap<>();

    SchemaCheck(Fields fields, Source source) {
        this.fields = fields;
        this.lenient = source.numbers() == Source.Numbers.LENIENT;
        FieldPath time = source.eventTime().field();
        if (time != null && !time.isRecordField()) {
            try {
                types.put(key(time), meaning(fields.type(time)));
            } catch (IllegalArgumentException e) {
                // Reported where the source is read.
            }
        }
    }

    /** Returns the types of all fields that the view names, by path; reports problems. */
    SortedMap<String, String> types(YamlMap view, boolean keyed) {
        view.optional("lookup").ifPresent(this::lookups);
        view.optional("where").ifPresent(this::where);
        list(view.optional("entities")).forEach(this::entity);
        if (keyed) {
            list(view.optional("measures")).forEach(this::measure);
        }
        view.optional("measure").ifPresent(this::measure);
        return types;
    }

    private static List<YamlValue> list(Optional<YamlValue> value) {
        return value.filter(YamlValue::isList).map(YamlValue::list).orElse(List.of());
    }

    /** Records the fields of lookups, which hide those of the event. */
    private void lookups(YamlValue value) {
        for (YamlValue element : list(Optional.of(value))) {
            if (element.isMap()) {
                YamlMap lookup = element.map();
                lookup.optional("key").ifPresent(key -> check(key, KEY));
                list(lookup.optional("fields"))
                        .forEach(field -> given.add(FieldPaths.read(field).segments()));
            }
        }
    }

    private void where(YamlValue value) {
        if (!value.isMap()) {
            return;
        }
        YamlMap conditions = value.map();
        conditions.all().forEach((key, form) -> {
            FieldPath field = FieldPaths.read(conditions.key(key), key);
            Condition condition = new ConditionReader(field, form).read();
            Use use = condition instanceof Condition.Exists
                    ? ANY
                    : condition instanceof Condition.Range ? NUMBER : SCALAR;
            check(conditions.key(key), field, use);
        });
    }

    private void entity(YamlValue value) {
        if (!value.isMap()) {
            return;
        }
        YamlMap entity = value.map();
        Optional<YamlValue> h3 = entity.optional("h3").filter(YamlValue::isMap);
        if (h3.isPresent()) {
            YamlMap cell = h3.get().map();
            cell.optional("lat").ifPresent(lat -> check(lat, NUMBER));
            cell.optional("lng").ifPresent(lng -> check(lng, NUMBER));
            cell.optional("cell").ifPresent(index -> check(index, CELL));
        } else {
            entity.optional("field").ifPresent(field -> check(field, use(entity)));
        }
    }

    private void measure(YamlValue value) {
        if (!value.isMap()) {
            return;
        }
        YamlMap measure = value.map();
        measure.optional("count_distinct").ifPresent(field -> check(field, use(measure)));
        for (Measure.Function function : Measure.Function.values()) {
            measure.optional(function.text()).ifPresent(field -> check(field, numbers(measure)));
        }
        measure.optional("where").ifPresent(this::where);
    }

    private static Use use(YamlMap map) {
        ValueType type =
                map.optional("type").map(given -> given.oneOf(ValueType.class)).orElse(ValueType.STRING);
        return switch (type) {
            case STRING -> TEXT;
            case INT64 -> INTEGER;
            case BOOL -> BOOLEAN;
            case UUID -> UUID;
        };
    }

    private static Use numbers(YamlMap map) {
        boolean integers = map.optional("type")
                .filter(YamlValue::isText)
                .map(type -> type.text().equals(Measure.NumberType.INT64.text()))
                .orElse(false);
        return integers ? INTEGER : NUMBER;
    }

    private void check(YamlValue at, Use use) {
        check(at, FieldPaths.read(at), use);
    }

    private void check(YamlValue at, FieldPath field, Use use) {
        if (field.isRecordField() || field.equals(FieldPaths.UNKNOWN) || given.contains(field.segments())) {
            return;
        }
        @Nullable FieldType type = type(at, field);
        if (type == null) {
            return;
        }
        types.put(key(field), meaning(type));
        boolean fits = use.fits().test(type) || (use.lenient() && lenient && type.kind() == EventSchemas.Kind.TEXT);
        if (!fits) {
            String text = use.lenient() && type.kind() == EventSchemas.Kind.TEXT
                    ? ", or set source.numbers: lenient if the text is a number"
                    : "";
            at.problem("'" + field.text() + "' must be " + use.is() + ", and has type " + type.text()
                    + " in the schema; " + use.remedy() + text);
        }
    }

    private @Nullable FieldType type(YamlValue at, FieldPath field) {
        try {
            return fields.type(field);
        } catch (IllegalArgumentException e) {
            at.problem(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static String key(FieldPath field) {
        return ViewFingerprint.path(field);
    }

    /** Returns what the meaning of an aggregate of a field of this type depends on. */
    private static String meaning(FieldType type) {
        String absent = type.absent();
        return absent == null ? type.text() : type.text() + " = " + ViewFingerprint.text(absent);
    }
}
