package io.thalweg.records.write;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Finds the position of a name, given as UTF-8, without creating objects. */
final class NameIndex {
    private final byte[][] names;
    private final int[] table;

    NameIndex(List<String> names) {
        this.names = names.stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        table = new int[Integer.highestOneBit(Math.max(4, names.size())) * 4];
        for (int i = 0; i < this.names.length; i++) {
            int at = home(this.names[i], 0, this.names[i].length);
            while (table[at] != 0) {
                at = (at + 1) & (table.length - 1);
            }
            table[at] = i + 1;
        }
    }

    /** Returns the position of the name, or -1. */
    int find(byte[] data, int from, int length) {
        int at = home(data, from, length);
        while (table[at] != 0) {
            byte[] name = names[table[at] - 1];
            if (Arrays.equals(name, 0, name.length, data, from, from + length)) {
                return table[at] - 1;
            }
            at = (at + 1) & (table.length - 1);
        }
        return -1;
    }

    private int home(byte[] data, int from, int length) {
        int hash = length;
        for (int i = from; i < from + length; i++) {
            hash = hash * 31 + data[i];
        }
        hash *= 0x9E3779B1;
        return (hash >>> 16) & (table.length - 1);
    }
}
