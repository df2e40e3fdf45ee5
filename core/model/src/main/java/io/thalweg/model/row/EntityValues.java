package io.thalweg.model.row;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.ValueType;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts values of entities, as people and programs give them, to those of a row's key. */
public final class EntityValues {
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,19}");

    private EntityValues() {}

    /**
     * Returns the value of an entity: {@code Long} for a cell.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static Object of(Entity entity, Object given) {
        return entity instanceof Entity.Cell cell ? (Object) cell(cell, given) : of((Entity.Field) entity, given);
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
     * Returns the value of an entity that is a field: {@code String}, {@code Long} or {@code Boolean}.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static Object of(Entity.Field entity, Object given) {
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
        if (type == ValueType.UUID && given instanceof String text) {
            String uuid = uuid(text);
            if (uuid != null) {
                return uuid;
            }
        }
        throw new IllegalArgumentException("must be " + rule(type) + ", was " + shown(given));
    }

    /** Returns the canonical text of a UUID; null if the text is not one. Java also reads shorter forms, which are refused. */
    private static @Nullable String uuid(String text) {
        try {
            String uuid = UUID.fromString(text).toString();
            return uuid.equalsIgnoreCase(text) ? uuid : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
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
