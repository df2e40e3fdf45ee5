package io.thalweg.records.columns;

import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import java.util.Arrays;
import java.util.List;

/**
 * The values of one leaf of a schema.
 *
 * <p><b>Shape.</b> An entry is a value or a null, with a repetition and a definition level. It is a value if its definition level
 * is {@link #maxDefinition}. Columns with a maximum of 0 keep no levels. Fixed values are longs ({@code Bool} as 0 or 1,
 * {@code Real} as the bits of a double); others are ranges of one byte array.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class LeafColumn {
    private static final int FIRST_ROWS = 256;
    private static final int FIRST_BYTES = 4096;

    private final List<String> path;
    private final Scalar type;
    private final int maxDefinition;
    private final int maxRepetition;
    private final boolean fixed;

    private int entries;
    private byte[] definitions = new byte[0];
    private byte[] repetitions = new byte[0];
    private int values;
    private long[] longs = new long[0];
    private int[] ends = new int[0];
    private byte[] bytes = new byte[0];

    private int markedEntries;
    private int markedValues;

    LeafColumn(List<String> path, Scalar type, int maxDefinition, int maxRepetition) {
        this.path = List.copyOf(path);
        this.type = type;
        this.maxDefinition = maxDefinition;
        this.maxRepetition = maxRepetition;
        this.fixed = isFixed(type);
    }

    private static boolean isFixed(Scalar type) {
        return type instanceof Bool
                || type instanceof Int
                || type instanceof Real
                || type instanceof Date
                || type instanceof Time
                || type instanceof Timestamp;
    }

    /** Creates an empty column of the same leaf, with room for about as much as this one holds. */
    LeafColumn next() {
        LeafColumn next = new LeafColumn(path, type, maxDefinition, maxRepetition);
        next.definitions = new byte[maxDefinition > 0 ? roomFor(entries) : 0];
        next.repetitions = new byte[maxRepetition > 0 ? roomFor(entries) : 0];
        if (fixed) {
            next.longs = new long[roomFor(values)];
        } else {
            next.ends = new int[roomFor(values)];
            next.bytes = new byte[values == 0 ? 0 : roomFor(ends[values - 1])];
        }
        return next;
    }

    /**
     * Returns the capacity for the next batch. Batches of equal size differ slightly; one large batch must not make all later
     * ones large.
     */
    private static int roomFor(int count) {
        return count + (count >> 3);
    }

    /** Copies the entries of each row to the column of the row's part. */
    LeafColumn[] split(int[] partOfRow, int parts) {
        LeafColumn[] split = new LeafColumn[parts];
        for (int part = 0; part < parts; part++) {
            split[part] = new LeafColumn(path, type, maxDefinition, maxRepetition);
        }
        int row = -1;
        int value = 0;
        for (int i = 0; i < entries; i++) {
            int repetition = repetition(i);
            if (repetition == 0) {
                row++;
            }
            LeafColumn to = split[partOfRow[row]];
            if (definition(i) < maxDefinition) {
                to.addNull(definition(i), repetition);
            } else if (fixed) {
                to.addLong(longs[value++], repetition);
            } else {
                int from = from(value);
                to.addBytes(bytes, from, ends[value++] - from, repetition);
            }
        }
        return split;
    }

    /** The names from the root to the leaf, without those that Parquet adds to lists and maps. */
    public List<String> path() {
        return path;
    }

    public Scalar type() {
        return type;
    }

    /** The definition level of entries with a value. */
    public int maxDefinition() {
        return maxDefinition;
    }

    /** The number of lists and maps that enclose the leaf. */
    public int maxRepetition() {
        return maxRepetition;
    }

    /** Returns whether values are longs; otherwise they are bytes. */
    public boolean isFixed() {
        return fixed;
    }

    /** The number of entries: values and nulls. */
    public int entries() {
        return entries;
    }

    /** Returns the definition level of an entry. */
    public int definition(int entry) {
        return maxDefinition == 0 ? 0 : definitions[entry];
    }

    /** Returns the repetition level of an entry. */
    public int repetition(int entry) {
        return maxRepetition == 0 ? 0 : repetitions[entry];
    }

    /** The number of entries that are values. */
    public int values() {
        return values;
    }

    /** Returns a fixed value by its position among the values, without nulls. */
    public long longAt(int value) {
        return longs[value];
    }

    /** The array that holds the values that are not fixed. */
    public byte[] data() {
        return bytes;
    }

    /** Returns the start of a value in {@link #data}. */
    public int from(int value) {
        return value == 0 ? 0 : ends[value - 1];
    }

    /** Returns the end of a value in {@link #data}. */
    public int to(int value) {
        return ends[value];
    }

    /** Returns the number of bytes of the values. */
    public long valueBytes() {
        return fixed ? 8L * values : values == 0 ? 0 : ends[values - 1];
    }

    void addLong(long value, int repetition) {
        addLevels(maxDefinition, repetition);
        if (values == longs.length) {
            longs = Arrays.copyOf(longs, Math.max(FIRST_ROWS, 2 * values));
        }
        longs[values++] = value;
    }

    void addBytes(byte[] data, int from, int length, int repetition) {
        addLevels(maxDefinition, repetition);
        if (values == ends.length) {
            ends = Arrays.copyOf(ends, Math.max(FIRST_ROWS, 2 * values));
        }
        int at = values == 0 ? 0 : ends[values - 1];
        if (bytes.length - at < length) {
            bytes = Arrays.copyOf(bytes, Math.max(FIRST_BYTES, Math.max(2 * bytes.length, Math.addExact(at, length))));
        }
        System.arraycopy(data, from, bytes, at, length);
        ends[values++] = at + length;
    }

    void addNull(int definition, int repetition) {
        addLevels(definition, repetition);
    }

    private void addLevels(int definition, int repetition) {
        if (maxDefinition > 0) {
            if (entries == definitions.length) {
                definitions = Arrays.copyOf(definitions, Math.max(FIRST_ROWS, 2 * entries));
            }
            definitions[entries] = (byte) definition;
        }
        if (maxRepetition > 0) {
            if (entries == repetitions.length) {
                repetitions = Arrays.copyOf(repetitions, Math.max(FIRST_ROWS, 2 * entries));
            }
            repetitions[entries] = (byte) repetition;
        }
        entries++;
    }

    void mark() {
        markedEntries = entries;
        markedValues = values;
    }

    void rollback() {
        entries = markedEntries;
        values = markedValues;
    }
}
