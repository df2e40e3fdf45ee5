package io.thalweg.records.avro;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.avro.Schema;

/** Compiles the steps that skip values. Adjacent values of fixed size become one step, and so do adjacent numbers. */
final class Skips {
    private static final int MOST = Integer.MAX_VALUE;

    private final IdentityHashMap<Schema, Step.SkipRecord> records = new IdentityHashMap<>();
    private final IdentityHashMap<Schema, Integer> smallest = new IdentityHashMap<>();

    /** Appends the steps that skip a value, or nothing if the value takes no bytes. */
    void add(List<Step> steps, Schema schema) {
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> addCount(steps, Step.SKIP, 1);
            case INT, LONG, ENUM -> addCount(steps, Step.SKIP_NUMBERS, 1);
            case FLOAT -> addCount(steps, Step.SKIP, 4);
            case DOUBLE -> addCount(steps, Step.SKIP, 8);
            case FIXED -> addCount(steps, Step.SKIP, schema.getFixedSize());
            case STRING, BYTES -> addCount(steps, Step.SKIP_BYTES, 1);
            case UNION -> steps.add(union(schema));
            case ARRAY -> steps.add(array(schema.getElementType()));
            case MAP -> steps.add(map(schema.getValueType()));
            case RECORD -> addRecord(steps, schema);
        }
    }

    /** Returns the steps that skip a value. */
    Step[] steps(Schema schema) {
        List<Step> steps = new ArrayList<>();
        add(steps, schema);
        return steps.toArray(Step[]::new);
    }

    private static void addCount(List<Step> steps, int op, int count) {
        int last = steps.size() - 1;
        if (count == 0) {
            return;
        }
        if (last >= 0
                && steps.get(last) instanceof Step.Skip before
                && before.op == op
                && before.count <= MOST - count) {
            steps.set(last, new Step.Skip(op, before.count + count));
        } else {
            steps.add(new Step.Skip(op, count));
        }
    }

    private void addRecord(List<Step> steps, Schema schema) {
        Step.SkipRecord step = record(schema);
        if (step.fields.length == 1 && step.fields[0] instanceof Step.Skip only) {
            addCount(steps, only.op, only.count);
        } else {
            steps.add(step);
        }
    }

    private Step.SkipRecord record(Schema schema) {
        Step.SkipRecord known = records.get(schema);
        if (known != null) {
            return known;
        }
        Step.SkipRecord step = new Step.SkipRecord(schema.getFullName());
        records.put(schema, step);
        List<Step> fields = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            add(fields, field.schema());
        }
        step.fields = fields.toArray(Step[]::new);
        return step;
    }

    private Step union(Schema schema) {
        Step[][] branches = schema.getTypes().stream().map(this::steps).toArray(Step[][]::new);
        return new Step.Union(Step.SKIPPED, branches);
    }

    private Step array(Schema element) {
        Step[] steps = steps(element);
        boolean isFixed = steps.length == 0 || (steps.length == 1 && steps[0].op == Step.SKIP);
        return new Step.SkipBlocks(steps, smallest(element), isFixed);
    }

    private Step map(Schema value) {
        List<Step> steps = new ArrayList<>();
        addCount(steps, Step.SKIP_BYTES, 1);
        add(steps, value);
        return new Step.SkipBlocks(steps.toArray(Step[]::new), smallestEntry(value), false);
    }

    /** Returns the minimum number of bytes of a map entry: the length of its key, and its value. */
    int smallestEntry(Schema value) {
        return (int) Math.min(MOST, 1L + smallest(value));
    }

    /** Returns the minimum number of bytes of a value. */
    int smallest(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> 0;
            case FLOAT -> 4;
            case DOUBLE -> 8;
            case FIXED -> schema.getFixedSize();
            case UNION -> smallestBranch(schema);
            case RECORD -> smallestRecord(schema);
            default -> 1;
        };
    }

    private int smallestBranch(Schema union) {
        int least = union.getTypes().stream().mapToInt(this::smallest).min().orElse(0);
        return (int) Math.min(MOST, 1L + least);
    }

    private int smallestRecord(Schema schema) {
        Integer known = smallest.get(schema);
        if (known != null) {
            return known;
        }
        // While its minimum is computed, a record within itself counts as 0: the true value can only be larger.
        smallest.put(schema, 0);
        long sum = 0;
        for (Schema.Field field : schema.getFields()) {
            sum += smallest(field.schema());
        }
        int bounded = (int) Math.min(MOST, sum);
        smallest.put(schema, bounded);
        return bounded;
    }
}
