package io.thalweg.records.proto;

import io.thalweg.records.translate.StructPlan;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message type, and their positions in the current instance.
 *
 * <p>Each field has one number: the bits of a varint or a fixed-width number, otherwise the range of its bytes. For a list, the
 * range contains the tags, because adjacent elements share a range. Messages and lists may have further ranges.
 */
final class WireMessage {
    private static final int DENSE = 1024;
    private static final long[] NO_VALUES = {};

    /** Fields with small numbers, by number. */
    private final @Nullable WireField[] dense;

    /** For larger numbers: all numbers, sorted, and their fields. */
    private final int[] numbers;

    private final WireField[] sorted;

    private final WireField[] fields;
    private final @Nullable StructPlan plan;
    private final long[] expected;
    private final long[] seen;
    private final long[] values;
    private final int[] more;
    private final int[] tails;
    private final int[] oneofs;

    /**
     * Creates a message type.
     *
     * @param fields in the order of the schema
     * @param plan of the struct that it becomes; null for parts of a scalar and entries of a map
     */
    WireMessage(List<WireField> fields, @Nullable StructPlan plan) {
        this.fields = fields.toArray(WireField[]::new);
        this.plan = plan;
        this.sorted = fields.stream()
                .sorted(Comparator.comparingInt(field -> field.number))
                .toArray(WireField[]::new);
        this.numbers = Arrays.stream(sorted).mapToInt(field -> field.number).toArray();
        this.dense = dense(sorted);
        this.expected = new long[(this.fields.length + 63) >>> 6];
        this.seen = new long[expected.length];
        this.values = this.fields.length == 0 ? NO_VALUES : new long[this.fields.length];
        this.more = new int[this.fields.length];
        this.tails = new int[this.fields.length];
        this.oneofs =
                new int[1 + fields.stream().mapToInt(field -> field.oneof).max().orElse(-1)];
        for (WireField field : fields) {
            if (field.expected) {
                expected[field.index >>> 6] |= 1L << field.index;
            }
        }
    }

    private static @Nullable WireField[] dense(WireField[] sorted) {
        int highest = sorted.length == 0 ? 0 : sorted[sorted.length - 1].number;
        @Nullable WireField[] dense = new WireField[Math.min(highest, DENSE) + 1];
        for (WireField field : sorted) {
            if (field.number < dense.length) {
                dense[field.number] = field;
            }
        }
        return dense;
    }

    /** Returns the field with a number, or null. */
    @Nullable
    WireField field(int number) {
        if (number < dense.length) {
            return dense[number];
        }
        int at = Arrays.binarySearch(numbers, number);
        return at < 0 ? null : sorted[at];
    }

    WireField fieldAt(int index) {
        return fields[index];
    }

    @Nullable
    StructPlan plan() {
        return plan;
    }

    /** Starts an instance. */
    void begin() {
        Arrays.fill(seen, 0);
        if (oneofs.length > 0) {
            Arrays.fill(oneofs, -1);
        }
    }

    boolean has(int index) {
        return (seen[index >>> 6] & 1L << index) != 0;
    }

    /** Returns a bit set of 64 fields, by index, that the instance contains and the plan expects. */
    long present(int word) {
        return seen[word] & expected[word];
    }

    int words() {
        return seen.length;
    }

    /** Returns the bits of a scalar, or the first range of the field. */
    long value(int index) {
        return values[index];
    }

    /** Returns the index of the second range of the field, or {@link Ranges#NONE}. */
    int more(int index) {
        return more[index];
    }

    /** Records a member of a oneof and clears the others. */
    void choose(int oneof, int index) {
        int other = oneofs[oneof];
        if (other != index) {
            if (other >= 0) {
                seen[other >>> 6] &= ~(1L << other);
            }
            oneofs[oneof] = index;
        }
    }

    /** Records a value, which replaces an earlier one. */
    void set(int index, long value) {
        seen[index >>> 6] |= 1L << index;
        values[index] = value;
    }

    /** Records the first or a further range of a field. */
    void add(int index, long range, Ranges ranges) {
        if (has(index)) {
            int tail = ranges.add(tails[index], range);
            if (more[index] == Ranges.NONE) {
                more[index] = tail;
            }
            tails[index] = tail;
        } else {
            set(index, range);
            more[index] = Ranges.NONE;
            tails[index] = Ranges.NONE;
        }
    }

    /** Moves the end of the last range of a field. */
    void extend(int index, int to, Ranges ranges) {
        int tail = tails[index];
        if (tail == Ranges.NONE) {
            values[index] = Ranges.withEnd(values[index], to);
        } else {
            ranges.extend(tail, to);
        }
    }
}
