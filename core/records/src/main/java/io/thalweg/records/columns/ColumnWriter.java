package io.thalweg.records.columns;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects messages as columns.
 *
 * <p><b>Use.</b> For each message call {@link #begin}, pass the calls of a reader, then call {@link #end} or, if the message is
 * bad, {@link #rollback}, which removes all of it. {@link #take} returns the rows collected so far. A message may become several
 * rows: {@link #beginAnother} and the calls of each.
 *
 * <p><b>Threads.</b> One.
 *
 * <p><b>Source.</b> Melnik and others, "Dremel", VLDB 2010: an entry's repetition level names the list that starts a new element,
 * and its definition level counts the optional and repeated nodes on its path that are present.
 */
public final class ColumnWriter implements RecordWriter {
    /*
     * The levels of a slot are computed once. Only the repetition level of the next entries varies: it is that of the enclosing
     * element's first entry until a nested list starts its second element.
     */
    private final int[] firstLeaf;
    private final int[] lastLeaf;
    private final int[] absentDefinition;
    private final int[] emptyDefinition;
    private final int[] listLevel;
    private final int[] elementLevel;
    private final boolean[] emptyList;
    private final int[] outerRepetition;
    private LeafColumn[] leaves;
    private int repetition;
    private int rows;
    private int markedRows;

    public ColumnWriter(Struct target) {
        int slots = target.slots();
        firstLeaf = new int[slots];
        lastLeaf = new int[slots];
        absentDefinition = new int[slots];
        emptyDefinition = new int[slots];
        listLevel = new int[slots];
        elementLevel = new int[slots];
        Layout layout = new Layout();
        int slot = 0;
        for (Field field : target.fields()) {
            slot = layout.add(slot, field.name(), field.type(), field.required(), new Levels(0, 0, 0));
        }
        leaves = layout.leaves.toArray(LeafColumn[]::new);
        emptyList = new boolean[layout.deepest + 1];
        outerRepetition = new int[layout.deepest + 1];
    }

    /** The levels of a node's parent, and the level of the list if the node is its element or key. */
    private record Levels(int definition, int repetition, int ofElement) {}

    private final class Layout {
        private final List<String> path = new ArrayList<>();
        private final List<LeafColumn> leaves = new ArrayList<>();
        private int deepest;

        /** Adds a node and its descendants; returns the next free slot. */
        int add(int slot, String name, FieldType type, boolean required, Levels parent) {
            path.add(name);
            firstLeaf[slot] = leaves.size();
            absentDefinition[slot] = parent.definition;
            elementLevel[slot] = parent.ofElement;
            int definition = parent.definition + (required ? 0 : 1);
            int next = parts(slot, type, definition, parent.repetition);
            lastLeaf[slot] = leaves.size();
            path.remove(path.size() - 1);
            return next;
        }

        private int parts(int slot, FieldType type, int definition, int repetition) {
            if (type instanceof Struct struct) {
                int next = slot + 1;
                for (Field field : struct.fields()) {
                    next = add(
                            next, field.name(), field.type(), field.required(), new Levels(definition, repetition, 0));
                }
                return next;
            }
            if (type instanceof ListOf list) {
                Levels inside = repeated(slot, definition, repetition);
                return add(slot + 1, "element", list.element(), list.elementsRequired(), inside);
            }
            if (type instanceof MapOf map) {
                Levels inside = repeated(slot, definition, repetition);
                int value = add(slot + 1, "key", map.key(), true, inside);
                return add(
                        value,
                        "value",
                        map.value(),
                        map.valuesRequired(),
                        new Levels(inside.definition, inside.repetition, 0));
            }
            if (!(type instanceof Scalar scalar)) {
                throw new IllegalArgumentException("'" + String.join(".", path) + "' recurses");
            }
            leaves.add(new LeafColumn(path, scalar, definition, repetition));
            return slot + 1;
        }

        private Levels repeated(int slot, int definition, int repetition) {
            emptyDefinition[slot] = definition;
            listLevel[slot] = repetition + 1;
            deepest = Math.max(deepest, repetition + 1);
            return new Levels(definition + 1, repetition + 1, repetition + 1);
        }
    }

    /** Starts a message. */
    public void begin() {
        for (LeafColumn leaf : leaves) {
            leaf.mark();
        }
        markedRows = rows;
        repetition = 0;
    }

    /** Starts another row of the current message. */
    public void beginAnother() {
        repetition = 0;
    }

    /** Ends a row. */
    public void end() {
        rows++;
    }

    /** Removes all rows of the current message. */
    public void rollback() {
        for (LeafColumn leaf : leaves) {
            leaf.rollback();
        }
        rows = markedRows;
    }

    /** The number of rows collected. */
    public int rows() {
        return rows;
    }

    /**
     * Returns one of the columns collected so far, in the order of {@link ColumnBatch#leaves}. Its last entries belong to the
     * current message.
     */
    public LeafColumn leaf(int index) {
        return leaves[index];
    }

    /** Returns rows that were collected column by column, without {@link #end}, and starts an empty batch. */
    public ColumnBatch take(int rows) {
        this.rows = rows;
        return take();
    }

    /** Returns the rows collected and starts an empty batch. */
    public ColumnBatch take() {
        ColumnBatch batch = new ColumnBatch(rows, List.of(leaves));
        LeafColumn[] next = new LeafColumn[leaves.length];
        for (int i = 0; i < next.length; i++) {
            next[i] = leaves[i].next();
        }
        leaves = next;
        rows = 0;
        return batch;
    }

    @Override
    public void bool(int slot, boolean value) {
        element(slot);
        leaves[firstLeaf[slot]].addLong(value ? 1 : 0, repetition);
    }

    @Override
    public void int64(int slot, long value) {
        element(slot);
        leaves[firstLeaf[slot]].addLong(value, repetition);
    }

    @Override
    public void float64(int slot, double value) {
        element(slot);
        leaves[firstLeaf[slot]].addLong(Double.doubleToRawLongBits(value), repetition);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        element(slot);
        leaves[firstLeaf[slot]].addBytes(data, from, length, repetition);
    }

    @Override
    public void absent(int slot) {
        element(slot);
        addNulls(slot, absentDefinition[slot]);
    }

    private void addNulls(int slot, int definition) {
        for (int leaf = firstLeaf[slot]; leaf < lastLeaf[slot]; leaf++) {
            leaves[leaf].addNull(definition, repetition);
        }
    }

    @Override
    public void beginStruct(int slot) {
        element(slot);
    }

    @Override
    public void endStruct(int slot) {
        // The fields of a struct are its columns.
    }

    @Override
    public void beginList(int slot) {
        element(slot);
        int level = listLevel[slot];
        outerRepetition[level] = repetition;
        emptyList[level] = true;
    }

    @Override
    public void endList(int slot) {
        int level = listLevel[slot];
        repetition = outerRepetition[level];
        if (emptyList[level]) {
            addNulls(slot, emptyDefinition[slot]);
        }
    }

    @Override
    public void beginMap(int slot) {
        beginList(slot);
    }

    @Override
    public void endMap(int slot) {
        endList(slot);
    }

    /** Starts an element if the slot is that of an element. */
    private void element(int slot) {
        int level = elementLevel[slot];
        if (level == 0) {
            return;
        }
        if (emptyList[level]) {
            // The first element has the repetition level of its list.
            emptyList[level] = false;
        } else {
            repetition = level;
        }
    }
}
