package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values that samples contain at one path. */
final class JsonSample {
    /** An object with more distinct names is a map, because its names are data. */
    static final int MAX_NAMES = 100;

    /** The kinds of values between which there is a conflict. */
    private enum Kind {
        BOOLEAN("boolean"),
        NUMBER("number"),
        STRING("string"),
        OBJECT("object"),
        ARRAY("array");

        private final String type;

        Kind(String type) {
            this.type = type;
        }
    }

    /** The place where a kind was first met, and its number of occurrences. */
    private record Met(String where, long count) {
        Met plus(Met later) {
            return new Met(where, count + later.count);
        }
    }

    private final Map<Kind, Met> kinds = new EnumMap<>(Kind.class);
    private final JsonNumber number = new JsonNumber();
    private final JsonBinary binary = new JsonBinary();
    private long nulls;
    private boolean hasFractions;
    private @Nullable String tooLarge;
    private boolean allMoments = true;
    private boolean allDates = true;
    private boolean allUuids = true;
    private Map<String, JsonSample> members = new LinkedHashMap<>();
    /** The elements of an array or the values of a map. */
    private @Nullable JsonSample part;

    private boolean isMap;

    /** Adds a document, which is never a map. */
    void addRoot(JsonTree value, String where) {
        if (value instanceof JsonTree.Null) {
            nulls++;
        } else if (value instanceof JsonTree.Bool) {
            meet(Kind.BOOLEAN, where);
        } else if (value instanceof JsonTree.Num found) {
            meet(Kind.NUMBER, where);
            addNumber(found.text(), where);
        } else if (value instanceof JsonTree.Text text) {
            meet(Kind.STRING, where);
            addText(text.value().getBytes(UTF_8));
        } else if (value instanceof JsonTree.Arr array) {
            meet(Kind.ARRAY, where);
            array.elements().forEach(element -> part().add(element, where));
        } else if (value instanceof JsonTree.Obj object) {
            meet(Kind.OBJECT, where);
            object.members().forEach((name, member) -> addMember(name, member, where));
        }
    }

    /** Adds a value within a document: an object with many names is a map. */
    private void add(JsonTree value, String where) {
        addRoot(value, where);
        if (members.size() > MAX_NAMES) {
            becomeMap();
        }
    }

    private void meet(Kind kind, String where) {
        kinds.merge(kind, new Met(where, 1), Met::plus);
    }

    private void addNumber(String text, String where) {
        byte[] bytes = text.getBytes(UTF_8);
        number.scan(bytes, 0, bytes.length);
        boolean isInteger = text.matches("-?[0-9]+");
        hasFractions |= !isInteger;
        boolean fits = isInteger ? number.isInt64() : !Double.isInfinite(JsonDoubles.toDouble(number));
        if (!fits && tooLarge == null) {
            tooLarge = where;
        }
    }

    private void addText(byte[] text) {
        allMoments = allMoments && JsonTimeParser.timestamp(text, 0, text.length) > JsonTimeParser.OUT_OF_RANGE;
        allDates = allDates && JsonTimeParser.date(text, 0, text.length) > JsonTimeParser.OUT_OF_RANGE;
        allUuids = allUuids && binary.uuid(text, 0, text.length);
    }

    private void addMember(String name, JsonTree value, String where) {
        JsonSample member = isMap ? part() : members.computeIfAbsent(name, unused -> new JsonSample());
        member.add(value, where);
    }

    private void becomeMap() {
        isMap = true;
        members.values().forEach(part()::merge);
        members = Map.of();
    }

    private void merge(JsonSample other) {
        other.kinds.forEach((kind, met) -> kinds.merge(kind, met, Met::plus));
        nulls += other.nulls;
        hasFractions |= other.hasFractions;
        tooLarge = tooLarge == null ? other.tooLarge : tooLarge;
        allMoments &= other.allMoments;
        allDates &= other.allDates;
        allUuids &= other.allUuids;
        if (other.part != null) {
            part().merge(other.part);
        }
        if (other.isMap && !isMap) {
            becomeMap();
        }
        other.members.forEach((name, member) -> {
            JsonSample into = isMap ? part() : members.computeIfAbsent(name, unused -> new JsonSample());
            into.merge(member);
        });
        if (members.size() > MAX_NAMES) {
            becomeMap();
        }
    }

    /** The number of values, including nulls. */
    long count() {
        return nulls + kinds.values().stream().mapToLong(Met::count).sum();
    }

    /** The number of values that were objects. */
    long objects() {
        Met met = kinds.get(Kind.OBJECT);
        return met == null ? 0 : met.count();
    }

    boolean hasNulls() {
        return nulls > 0;
    }

    boolean isMap() {
        return isMap;
    }

    Map<String, JsonSample> members() {
        return members;
    }

    JsonSample part() {
        if (part == null) {
            part = new JsonSample();
        }
        return part;
    }

    /** Returns why no type can be inferred, and what to do; null if a type can be inferred. */
    @Nullable
    String conflict() {
        if (kinds.size() > 1) {
            List<String> found = new ArrayList<>();
            kinds.forEach((kind, met) ->
                    found.add("%s in %d (first in %s)".formatted(typeOf(kind), met.count(), met.where())));
            return "values have several types, " + String.join(", ", found)
                    + "; make the producer send one, or write the type to keep, which makes the others bad events";
        }
        if (kinds.isEmpty()) {
            return (nulls > 0 ? "all values are null" : "there are no values") + "; write its type if it is needed";
        }
        if (tooLarge != null) {
            return "a number in " + tooLarge
                    + " does not fit its type; write a string or number with format decimal, x-precision and x-scale";
        }
        return objects() > 0 && members.isEmpty() && !isMap
                ? "all objects are empty; write properties or additionalProperties if it is needed"
                : null;
    }

    /** Returns the name of the only type. */
    String type() {
        return typeOf(kinds.keySet().iterator().next());
    }

    private String typeOf(Kind kind) {
        return kind == Kind.NUMBER && !hasFractions ? "integer" : kind.type;
    }

    /** The format that all strings have, or empty text. */
    String format() {
        return allMoments ? "date-time" : allDates ? "date" : allUuids ? "uuid" : "";
    }
}
