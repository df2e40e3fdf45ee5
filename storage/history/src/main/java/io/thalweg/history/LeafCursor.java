package io.thalweg.history;

import io.thalweg.records.columns.LeafColumn;
import java.nio.charset.StandardCharsets;

/** A forward pass over a column of single values. */
final class LeafCursor {
    private final LeafColumn leaf;
    private int entry = -1;
    private int value = -1;

    LeafCursor(LeafColumn leaf) {
        this.leaf = leaf;
    }

    /** Advances to the next row; returns whether it has a value. */
    boolean next() {
        entry++;
        boolean present = leaf.definition(entry) == leaf.maxDefinition();
        value += present ? 1 : 0;
        return present;
    }

    /** The value of a fixed column. */
    long number() {
        return leaf.longAt(value);
    }

    byte[] bytes() {
        int from = leaf.from(value);
        return java.util.Arrays.copyOfRange(leaf.data(), from, leaf.to(value));
    }

    String text() {
        int from = leaf.from(value);
        return new String(leaf.data(), from, leaf.to(value) - from, StandardCharsets.UTF_8);
    }
}
