package io.thalweg.model.view;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The plan of a keyed view, for readers of its events and for the kernel that aggregates them.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param spec what is computed: one kernel measure for each of the view's, in its order
 * @param inputs the columns of {@link io.thalweg.kernel.keyed.KeyedBlock#inputs}, in order; measures of the same field and
 *     type share theirs
 * @param filters the measures' own conditions, each once: bit {@code f} of {@link
 *     io.thalweg.kernel.keyed.KeyedBlock#matches} says whether all of {@code filters.get(f)} hold
 */
public record KeyedPlan(KeyedSpec spec, List<Input> inputs, List<List<Condition>> filters) {
    /**
     * One or two columns that are read from a field.
     *
     * @param column the first of them
     */
    public record Input(FieldPath field, Kind kind, int column) {
        /** The number of columns. */
        public int columns() {
            return kind == Kind.ID_UUID || kind == Kind.ID_STRING ? 2 : 1;
        }
    }

    /** The type of an input in its columns. */
    public enum Kind {
        /** A whole number of 64 bits. */
        INT64,
        /** A finite number, as a double's raw bits. */
        DOUBLE,
        /** A whole number of 64 bits that is counted once. */
        ID_INT64,
        /** A UUID's upper and lower half. */
        ID_UUID,
        /** The frozen 128-bit hash of a text ({@link ViewFingerprint#ID_HASH}), upper and lower half. */
        ID_STRING
    }

    public KeyedPlan {
        inputs = List.copyOf(inputs);
        filters = filters.stream().map(List::copyOf).toList();
    }

    /** Creates the plan of a keyed view. */
    public static KeyedPlan of(FeatureView view) {
        List<Input> inputs = new ArrayList<>();
        List<List<Condition>> filters = new ArrayList<>();
        List<KeyedMeasure> measures = new ArrayList<>();
        for (NamedMeasure measure : view.measures()) {
            int filter = filter(measure.where(), filters);
            measures.add(measure(measure, filter, inputs));
        }
        List<Integer> windowPanes =
                Arrays.stream(view.windows().panes()).boxed().toList();
        KeyForm form = keyForm(view);
        KeyedSpec spec = new KeyedSpec(
                form,
                measures,
                filters.size(),
                windowPanes,
                view.windows().every().millis(),
                view.early() != null);
        return new KeyedPlan(spec, inputs, filters);
    }

    private static int filter(List<Condition> where, List<List<Condition>> filters) {
        if (where.isEmpty()) {
            return 0;
        }
        if (!filters.contains(where)) {
            filters.add(where);
        }
        return 1 + filters.indexOf(where);
    }

    private static KeyedMeasure measure(NamedMeasure named, int filter, List<Input> inputs) {
        long perMs = named.perMinute() ? 60_000 : 0;
        Measure measure = named.measure();
        if (measure instanceof Measure.CountDistinct distinct) {
            Kind kind = idKind(distinct.type());
            KeyedMeasure.Input input = kind == Kind.ID_INT64 ? KeyedMeasure.Input.INT64 : KeyedMeasure.Input.ID128;
            int column = column(distinct.field(), kind, inputs);
            return new KeyedMeasure(KeyedMeasure.Kind.COUNT_DISTINCT, input, filter, column, perMs);
        }
        if (measure instanceof Measure.OfNumbers numbers) {
            boolean decimal = numbers.type() == Measure.NumberType.DOUBLE;
            int column = column(numbers.field(), decimal ? Kind.DOUBLE : Kind.INT64, inputs);
            KeyedMeasure.Input input = decimal ? KeyedMeasure.Input.DOUBLE : KeyedMeasure.Input.INT64;
            return new KeyedMeasure(KeyedMeasure.Kind.valueOf(numbers.function().name()), input, filter, column, perMs);
        }
        return new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, filter, 0, perMs);
    }

    private static Kind idKind(ValueType type) {
        return switch (type) {
            case INT64, BOOL -> Kind.ID_INT64;
            case UUID -> Kind.ID_UUID;
            case STRING -> Kind.ID_STRING;
        };
    }

    private static int column(FieldPath field, Kind kind, List<Input> inputs) {
        int columns = 0;
        for (Input input : inputs) {
            if (input.field().segments().equals(field.segments()) && input.kind() == kind) {
                return input.column();
            }
            columns += input.columns();
        }
        inputs.add(new Input(field, kind, columns));
        return columns;
    }

    /** Returns how the kernel stores the keys of a view. */
    public static KeyForm keyForm(FeatureView view) {
        List<ValueType> types = view.group().stream().map(Entity.Field::type).toList();
        boolean narrow = types.stream().allMatch(type -> type == ValueType.INT64 || type == ValueType.BOOL);
        if (types.equals(List.of(ValueType.UUID)) || (narrow && types.size() == 2)) {
            return KeyForm.PAIR;
        }
        return narrow && types.size() == 1 ? KeyForm.LONG : KeyForm.BYTES;
    }
}
