package io.thalweg.records.json;

import io.thalweg.records.ByteHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The names of a struct's fields, looked up by their bytes.
 *
 * <p>Messages of one producer usually have their fields in the same order. The bytes are therefore compared first with the field
 * that followed the previous one last time, and hashed only on a miss.
 *
 * <p><b>Threads.</b> One.
 */
final class JsonNames {
    /** The position of a name that is not in the struct. */
    static final int UNKNOWN = -1;

    /** Each name in UTF-8. */
    private final byte[][] names;

    /** Each name in quotes; empty for names that need escapes. */
    private final byte[][] quoted;

    /** An open hash table of positions, plus one. */
    private final int[] table;

    /** The field that followed each field last time; the last entry is the first field of the struct. */
    private final int[] next;

    JsonNames(List<String> names) {
        int size = names.size();
        this.names = new byte[size][];
        this.quoted = new byte[size][];
        this.next = new int[size + 1];
        this.table = new int[Integer.highestOneBit(Math.max(1, size)) * 4];
        for (int i = 0; i < size; i++) {
            byte[] name = names.get(i).getBytes(StandardCharsets.UTF_8);
            this.names[i] = name;
            this.quoted[i] = quoted(name);
            this.next[i] = i + 1 < size ? i + 1 : 0;
            put(i, name);
        }
    }

    private static byte[] quoted(byte[] name) {
        for (byte b : name) {
            if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
                return new byte[0];
            }
        }
        byte[] quoted = new byte[name.length + 2];
        quoted[0] = '"';
        System.arraycopy(name, 0, quoted, 1, name.length);
        quoted[quoted.length - 1] = '"';
        return quoted;
    }

    private void put(int index, byte[] name) {
        int slot = slot(ByteHash.of(0, name, 0, name.length));
        while (table[slot] != 0) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = index + 1;
    }

    /** The value that marks the start of a struct. */
    int beginning() {
        return names.length;
    }

    /**
     * Consumes a name; the current byte is its quote.
     *
     * @param previous the field before it, or {@link #beginning}
     * @return the position of the field, or {@link #UNKNOWN}
     */
    int read(JsonScanner in, int previous) {
        if (names.length == 0) {
            in.string();
            return UNKNOWN;
        }
        int guess = next[previous];
        byte[] expected = quoted[guess];
        int to = in.at + expected.length;
        if (expected.length > 0 && to <= in.end && Arrays.equals(in.data, in.at, to, expected, 0, expected.length)) {
            in.at = to;
            return guess;
        }
        in.string();
        int found = in.isUnicode ? find(in.text, in.textFrom, in.textLength) : UNKNOWN;
        if (found != UNKNOWN) {
            next[previous] = found;
        }
        return found;
    }

    private int find(byte[] data, int from, int length) {
        int slot = slot(ByteHash.of(0, data, from, length));
        while (table[slot] != 0) {
            int index = table[slot] - 1;
            byte[] name = names[index];
            if (name.length == length && Arrays.equals(data, from, from + length, name, 0, length)) {
                return index;
            }
            slot = slot + 1 & table.length - 1;
        }
        return UNKNOWN;
    }

    private int slot(long hash) {
        return (int) (hash >>> 32) & table.length - 1;
    }
}
