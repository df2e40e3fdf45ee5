package io.thalweg.records.translate;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plans for the fields of one struct of the source, by position in its schema, and the set of fields that the current message
 * contains. At most one instance of a struct is open at a time, because selected schemas do not recurse.
 *
 * <p><b>Threads.</b> One.
 */
public final class StructPlan {
    private final List<String> names;
    private final @Nullable FieldPlan[] fields;
    private final long[] expected;
    private final long[] seen;

    StructPlan(List<String> names, @Nullable FieldPlan[] fields) {
        this.names = names;
        this.fields = fields;
        this.expected = new long[(fields.length + 63) >>> 6];
        this.seen = new long[expected.length];
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] != null) {
                expected[i >>> 6] |= 1L << i;
            }
        }
    }

    /** Starts an instance of the struct. */
    public void begin() {
        if (seen.length == 1) {
            seen[0] = 0;
        } else {
            Arrays.fill(seen, 0);
        }
    }

    /** Returns the plan of a field; null if its value is skipped and its presence does not matter. */
    public @Nullable FieldPlan field(int index) {
        return fields[index];
    }

    /**
     * Records that the message contains a field.
     *
     * @throws BadRecordException if the field is a duplicate
     */
    public void see(int index) {
        long bit = 1L << index;
        if ((seen[index >>> 6] & bit) != 0) {
            throw BadRecordException.undecodable("'" + names.get(index) + "' is there twice");
        }
        seen[index >>> 6] |= bit;
    }

    /** Returns whether the message has contained a field so far. */
    public boolean hasSeen(int index) {
        return (seen[index >>> 6] & 1L << index) != 0;
    }

    /** Ends an instance and reports the fields that it lacks. */
    public void end(RecordWriter writer) {
        for (int word = 0; word < expected.length; word++) {
            long missing = expected[word] & ~seen[word];
            while (missing != 0) {
                FieldPlan field = fields[(word << 6) + Long.numberOfTrailingZeros(missing)];
                missing &= missing - 1;
                if (field != null) {
                    field.missing(writer);
                }
            }
        }
    }

    /** Reports all selected fields as null, because the struct itself is missing. */
    void writeNulls(RecordWriter writer) {
        for (FieldPlan field : fields) {
            if (field != null) {
                field.writeNulls(writer);
            }
        }
    }
}
