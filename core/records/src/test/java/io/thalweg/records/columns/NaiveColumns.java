package io.thalweg.records.columns;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns of whole records, one leaf at a time: for each leaf, every record is walked along the path to it.
 *
 * <p>Records are those of {@link io.thalweg.records.write.Tree}.
 *
 * <p><b>Source.</b> Melnik and others, "Dremel", VLDB 2010, section 4.1.
 */
final class NaiveColumns {
    private NaiveColumns() {}

    /** A value or null with its levels. */
    record Entry(int repetition, int definition, @Nullable Object value) {}

    /** A leaf of the schema with all its entries. */
    record Column(List<String> path, FieldType type, int maxDefinition, int maxRepetition, List<Entry> entries) {}

    /** A step from a value to a part of it. */
    private sealed interface Step {
        boolean optional();
    }

    /** A field of a struct, or the key or value of an entry of a map. */
    private record Part(int index, @Override boolean optional) implements Step {}

    /** Each element of a list, each entry of a map. */
    private record Each(@Override boolean optional) implements Step {}

    private record Leaf(List<String> names, List<Step> steps, Scalar type) {}

    static List<Column> of(Struct schema, List<List<@Nullable Object>> records) {
        List<Leaf> leaves = new ArrayList<>();
        leaves(schema, List.of(), List.of(), leaves);
        return leaves.stream().map(leaf -> column(leaf, records)).toList();
    }

    private static void leaves(FieldType type, List<String> names, List<Step> steps, List<Leaf> to) {
        if (type instanceof Struct struct) {
            for (int i = 0; i < struct.fields().size(); i++) {
                Field field = struct.fields().get(i);
                leaves(field.type(), with(names, field.name()), with(steps, new Part(i, !field.required())), to);
            }
        } else if (type instanceof ListOf list) {
            leaves(list.element(), with(names, "element"), with(steps, new Each(!list.elementsRequired())), to);
        } else if (type instanceof MapOf map) {
            List<Step> entries = with(steps, new Each(false));
            leaves(map.key(), with(names, "key"), with(entries, new Part(0, false)), to);
            leaves(map.value(), with(names, "value"), with(entries, new Part(1, !map.valuesRequired())), to);
        } else {
            to.add(new Leaf(names, steps, (Scalar) type));
        }
    }

    private static <T> List<T> with(List<? extends T> some, T last) {
        List<T> all = new ArrayList<>(some);
        all.add(last);
        return all;
    }

    private static Column column(Leaf leaf, List<List<@Nullable Object>> records) {
        List<Entry> entries = new ArrayList<>();
        for (List<@Nullable Object> record : records) {
            walk(leaf.steps, record, 0, 0, 0, entries);
        }
        int lists = (int) leaf.steps.stream().filter(Each.class::isInstance).count();
        int optionals = (int) leaf.steps.stream().filter(Step::optional).count();
        return new Column(leaf.names, leaf.type, optionals + lists, lists, entries);
    }

    /**
     * Follows the remaining steps.
     *
     * @param enclosing how many lists and maps enclose {@code value}
     */
    private static void walk(
            List<Step> left, Object value, int repetition, int definition, int enclosing, List<Entry> to) {
        if (left.isEmpty()) {
            to.add(new Entry(repetition, definition, value));
            return;
        }
        List<?> parts = (List<?>) value;
        if (left.get(0) instanceof Part part) {
            enter(left, parts.get(part.index), repetition, definition, enclosing, to);
            return;
        }
        if (parts.isEmpty()) {
            to.add(new Entry(repetition, definition, null));
        }
        for (int i = 0; i < parts.size(); i++) {
            int level = i == 0 ? repetition : enclosing + 1;
            enter(left, parts.get(i), level, definition + 1, enclosing + 1, to);
        }
    }

    private static void enter(
            List<Step> left, @Nullable Object part, int repetition, int definition, int enclosing, List<Entry> to) {
        if (part == null) {
            to.add(new Entry(repetition, definition, null));
        } else {
            int defined = definition + (left.get(0).optional() ? 1 : 0);
            walk(left.subList(1, left.size()), part, repetition, defined, enclosing, to);
        }
    }
}
