package io.thalweg.server.read;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ValueType;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts the keys of a request into keys of the store and collects the problems of all of them. */
public final class KeyParser {
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,19}");
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private final FeatureView view;
    private final List<String> names;
    private final RequestProblems problems = new RequestProblems();

    KeyParser(FeatureView view) {
        this.view = view;
        this.names = view.entities().stream().map(Entity::name).toList();
    }

    /** A key with its canonical form. */
    record Key(StoreKey stored, KeyEntities canonical) {}

    /** Returns all keys, or throws a {@link RefusedRequestException} that names the bad ones. */
    List<Key> parse(List<Map<String, Object>> entities) {
        List<Key> keys = new ArrayList<>(entities.size());
        for (int i = 0; i < entities.size(); i++) {
            Readers.requireWanted();
            Key key = parse("entities[" + i + "]", entities.get(i));
            if (key != null) {
                keys.add(key);
            }
        }
        problems.throwIfAny();
        return keys;
    }

    private @Nullable Key parse(String path, Map<String, Object> given) {
        int before = problems.count();
        for (String name : given.keySet()) {
            if (!names.contains(name)) {
                problems.add(path + "." + name, () -> "is not an entity of the view; " + Suggestion.hint(name, names));
            }
        }
        long cell = 0;
        List<Object> group = new ArrayList<>();
        for (Entity entity : view.entities()) {
            Object value = value(path + "." + entity.name(), entity, given.get(entity.name()));
            if (value == null) {
                continue;
            }
            if (entity instanceof Entity.Cell) {
                cell = (Long) value;
            } else {
                group.add(value);
            }
        }
        if (problems.count() > before) {
            return null;
        }
        StoreKey key = new StoreKey(cell, group);
        return new Key(key, new KeyEntities(view, key));
    }

    private @Nullable Object value(String path, Entity entity, @Nullable Object given) {
        if (given == null) {
            problems.add(path, "is missing");
            return null;
        }
        try {
            return entity instanceof Entity.Cell cell ? cell(cell, given) : field((Entity.Field) entity, given);
        } catch (IllegalArgumentException e) {
            problems.add(path, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static long cell(Entity.Cell entity, Object given) {
        if (given instanceof String text) {
            return CellText.parse(text, entity.resolution());
        }
        throw new IllegalArgumentException(
                "must be hex text such as \"892a1008003ffff\", for JSON numbers lose the digits"
                        + " of a cell above 2^53; was " + given);
    }

    /**
     * Returns the value of an entity.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static Object field(Entity.Field entity, Object given) {
        ValueType type = entity.type();
        if (type == ValueType.STRING && given instanceof String) {
            return given;
        }
        if (type == ValueType.BOOL && given instanceof Boolean) {
            return given;
        }
        if (type == ValueType.INT64 && given instanceof Long) {
            return given;
        }
        if (type == ValueType.INT64
                && given instanceof String text
                && INTEGER.matcher(text).matches()) {
            return Long.parseLong(text);
        }
        if (type == ValueType.UUID
                && given instanceof String text
                && UUID_TEXT.matcher(text).matches()) {
            return UUID.fromString(text).toString();
        }
        throw new IllegalArgumentException("must be " + rule(type) + ", was " + shown(given));
    }

    private static String rule(ValueType type) {
        return switch (type) {
            case STRING -> "text";
            case BOOL -> "true or false";
            case INT64 -> "a whole number of 64 bits, above 2^53 as text";
            case UUID -> "a UUID such as \"17a2b60c-29dd-5f76-95f3-b65da5cbbdbe\"";
        };
    }

    private static String shown(Object given) {
        String text = given instanceof String ? "'" + given + "'" : String.format(Locale.ROOT, "%s", given);
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
