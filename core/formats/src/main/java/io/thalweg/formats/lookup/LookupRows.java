package io.thalweg.formats.lookup;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.records.Utf8;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a lookup table: a map from the text of a key to the values of the table's fields.
 *
 * <p><b>Shape.</b> All texts are in one array of at most 2 GB, row by row, the key first. In addition, a row takes 12 to 20
 * bytes, and 5 for each field.
 *
 * <p><b>Threads.</b> Filled by one thread, then safe to share if published safely.
 */
public final class LookupRows {
    private static final FieldKind[] KINDS = FieldKind.values();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] NOTHING = new byte[0];

    private final int fields;
    private final int maxRows;
    private int rows;
    private int keys;
    private byte[] text = new byte[4096];
    /**
     * The end of text {@code c} of row {@code r}, the key being 0, at {@code r * (fields + 1) + c + 1}; the text begins at the
     * previous end.
     */
    private int[] ends = new int[256];

    private byte[] kinds = new byte[256];
    /** Open addressing: row + 1, 0 for a free slot. */
    private int[] slots = new int[256];

    LookupRows(int fields, int maxRows) {
        this.fields = fields;
        this.maxRows = maxRows;
    }

    /** The number of distinct keys. */
    public int size() {
        return keys;
    }

    /**
     * Adds a row whose values are text; the last row of a duplicate key wins.
     *
     * @param key in UTF-8
     * @param values one for each field, in UTF-8; null = the field is null, not UTF-8 = {@code INVALID_TEXT}
     * @throws IOException if the table exceeds its maximum size
     */
    public void add(byte[] key, List<byte @Nullable []> values) throws IOException {
        begin(key, 0, key.length);
        for (int field = 0; field < fields; field++) {
            byte[] value = values.get(field);
            if (value == null) {
                put(field, FieldKind.NULL, NOTHING);
            } else if (Utf8.firstMalformed(value, 0, value.length) >= 0) {
                put(field, FieldKind.INVALID_TEXT, NOTHING);
            } else {
                put(field, FieldKind.STRING, value);
            }
        }
        end();
    }

    /** Adds a decoded record with its key in column 0, followed by its fields; a missing field is null. As above. */
    void add(EventColumns record, int e) throws IOException {
        begin(record.bytes(), record.offset(e, 0), record.length(e, 0));
        for (int field = 0; field < fields; field++) {
            FieldKind kind = record.kind(e, field + 1);
            switch (kind) {
                case MISSING, NULL -> put(field, FieldKind.NULL, NOTHING);
                case LIST, OTHER -> put(field, FieldKind.OTHER, NOTHING);
                case INVALID_TEXT -> put(field, kind, NOTHING);
                case BOOL ->
                    put(field, kind, String.valueOf(record.bool(e, field + 1)).getBytes(StandardCharsets.US_ASCII));
                default -> put(field, kind, record.bytes(), record.offset(e, field + 1), record.length(e, field + 1));
            }
        }
        end();
    }

    private void begin(byte[] data, int offset, int length) throws IOException {
        if (rows == maxRows) {
            throw new IOException("it has more rows than max_rows, " + maxRows + "; raise max_rows or cut the table");
        }
        int texts = (rows + 1) * (fields + 1);
        if (texts < 0) {
            throw tooLarge();
        }
        if (texts >= ends.length) {
            ends = Arrays.copyOf(ends, larger(ends.length, texts + 1));
        }
        if ((rows + 1) * fields > kinds.length) {
            kinds = Arrays.copyOf(kinds, larger(kinds.length, (rows + 1) * fields));
        }
        append(rows * (fields + 1), data, offset, length);
    }

    private void put(int field, FieldKind kind, byte[] value) throws IOException {
        put(field, kind, value, 0, value.length);
    }

    @SuppressWarnings("EnumOrdinal") // never leaves this class
    private void put(int field, FieldKind kind, byte[] data, int offset, int length) throws IOException {
        kinds[rows * fields + field] = (byte) kind.ordinal();
        append(rows * (fields + 1) + field + 1, data, offset, length);
    }

    private void append(int at, byte[] data, int offset, int length) throws IOException {
        int begin = ends[at];
        if (begin > Integer.MAX_VALUE - 16 - length) {
            throw tooLarge();
        }
        if (begin + length > text.length) {
            text = Arrays.copyOf(text, larger(text.length, begin + length));
        }
        System.arraycopy(data, offset, text, begin, length);
        ends[at + 1] = begin + length;
    }

    private static int larger(int length, int needed) {
        return (int) Math.min(Integer.MAX_VALUE - 16, Math.max(2L * length, needed));
    }

    private static IOException tooLarge() {
        return new IOException("its texts are more than 2 GB; cut the table, or name fewer fields");
    }

    private void end() {
        if (2L * (keys + 1) > slots.length) {
            int[] before = slots;
            slots = new int[Math.multiplyExact(before.length, 2)];
            for (int row : before) {
                if (row > 0) {
                    slots[slot(row - 1)] = row;
                }
            }
        }
        int slot = slot(rows);
        keys += slots[slot] == 0 ? 1 : 0;
        slots[slot] = ++rows;
    }

    private int slot(int row) {
        return slot(text, ends[row * (fields + 1)], ends[row * (fields + 1) + 1]);
    }

    /** Returns the slot of a key, or the free slot where it belongs. */
    private int slot(byte[] data, int from, int to) {
        int mask = slots.length - 1;
        int slot = hash(data, from, to) & mask;
        while (slots[slot] != 0 && !isKey(slots[slot] - 1, data, from, to)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** Hashes word by word; the last word overlaps the previous one. */
    private static int hash(byte[] data, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at < to - 8; at += 8) {
            hash = mix(hash ^ (long) LONGS.get(data, at));
        }
        if (to - from >= 8) {
            return (int) mix(hash ^ (long) LONGS.get(data, to - 8));
        }
        for (; at < to; at++) {
            hash = mix(hash ^ data[at]);
        }
        return (int) hash;
    }

    private static long mix(long word) {
        long mixed = (word + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 29);
    }

    private boolean isKey(int row, byte[] data, int from, int to) {
        int at = row * (fields + 1);
        return Arrays.equals(text, ends[at], ends[at + 1], data, from, to);
    }

    /** Returns the row of a key, or -1. */
    int find(byte[] data, int offset, int length) {
        return slots[slot(data, offset, offset + length)] - 1;
    }

    /** Sets a column of the last event to a field of a row. */
    void copy(int row, int field, EventColumns into, int column) {
        int at = row * (fields + 1) + field + 1;
        int from = ends[at];
        int length = ends[at + 1] - from;
        FieldKind kind = KINDS[kinds[row * fields + field]];
        switch (kind) {
            case MISSING, NULL, LIST, OTHER, INVALID_TEXT -> into.put(column, kind);
            case BOOL -> into.putBool(column, text[from] == 't');
            case STRING -> into.putBytes(column, text, from, length);
            case INTEGER, DOUBLE -> {
                into.putBytes(column, text, from, length);
                into.toNumber(column, length, kind == FieldKind.INTEGER);
            }
        }
    }
}
