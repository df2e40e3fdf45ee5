package io.thalweg.records.proto;

import io.thalweg.records.translate.StructPlan;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message type, and where the current instance has them.
 *
 * <p>Per field there is one number: of a varint or a number of fixed width its bits, otherwise the range of its bytes. Of a
 * list it is a range of fields with their tags, because neighbours share one. Messages and lists may have further ranges.
 */
final class WireMessage {
    private static final int DENSE = 1024;
    private static final long[] NO_VALUES = {};

    /** By number, if the numbers are small. */
    private final @Nullable WireField[] dense;

    /** By number otherwise: sorted numbers, and their fields. */
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

    /** The field with a number, or null. */
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

    /** Fields that the instance has and the plan expects, by index: 64 at a time. */
    long present(int word) {
        return seen[word] & expected[word];
    }

    int words() {
        return seen.length;
    }

    /** The bits of a scalar, or the first range of the field. */
    long value(int index) {
        return values[index];
    }

    /** The second range of the field, or {@link Ranges#NONE}. */
    int more(int index) {
        return more[index];
    }

    /** Notes a member of a oneof: the other members are no longer there. */
    void choose(int oneof, int index) {
        int other = oneofs[oneof];
        if (other != index) {
            if (other >= 0) {
                seen[other >>> 6] &= ~(1L << other);
            }
            oneofs[oneof] = index;
        }
    }

    /** Notes a value that replaces an earlier one. */
    void set(int index, long value) {
        seen[index >>> 6] |= 1L << index;
        values[index] = value;
    }

    /** Notes a further range of a field. */
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
