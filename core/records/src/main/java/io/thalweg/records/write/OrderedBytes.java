package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.Struct;
import java.util.Arrays;

/**
 * The common part of message writers, which puts the fields of each struct in the order of the schema.
 *
 * <p>Fields are written as they arrive, which is already the right order for most sources. The position of each value is
 * recorded. If a field arrived late, the end of its struct extracts the values and rewrites them in order, each with a new
 * header, because headers depend on the previous field (Thrift's deltas, JSON's commas). A schema does not recurse, so at most
 * one instance of a struct is open, and its state fits into arrays by slot.
 */
abstract class OrderedBytes implements ByteRecordWriter {
    /** The flag of a field without a value; that of a boolean is 0 or 1, and of others 0. */
    static final int ABSENT = 2;

    private static final byte[] NOTHING = {};

    final SlotTree tree;
    GrowingBytes out = new GrowingBytes();

    private GrowingBytes scratch = new GrowingBytes();

    /** For structs in which even absent fields leave bytes in the message: the number of fields; -1 for others. */
    final int[] expected;

    /** For fields: the range of the value, the instance of the struct to which it belongs, and its flag. */
    private final int[] start;

    private final int[] end;
    private final int[] stamp;
    private final byte[] flags;

    /** For structs, lists and maps: the start of their content. */
    private final int[] content;

    /** For structs: the number of the current instance, and the last field, or -1. */
    private final int[] serial;

    private final int[] last;
    private final boolean[] disordered;

    /** For structs: the number of fields written; for lists and maps: the number of elements or entries. */
    private final int[] count;

    private int serials;
    private int lengthFrom = -1;
    private int lengthTo;

    /** For values left open: their slots, and the positions of the empty values. */
    private int[] openSlots = new int[16];

    private int[] openAt = new int[16];
    private int openCount;

    OrderedBytes(Struct schema) {
        tree = new SlotTree(schema.checked());
        int nodes = tree.root + 1;
        expected = new int[nodes];
        Arrays.fill(expected, -1);
        start = new int[nodes];
        end = new int[nodes];
        stamp = new int[nodes];
        flags = new byte[nodes];
        content = new int[nodes];
        serial = new int[nodes];
        last = new int[nodes];
        disordered = new boolean[nodes];
        count = new int[nodes];
    }

    /** Writes the header of a field; {@code previous} is the slot of the previous field, or -1. */
    abstract void fieldHeader(int slot, int previous, int flag);

    /** Writes the header of an element, key or value; {@code ordinal} counts elements or entries from 0. */
    abstract void itemHeader(int slot, int ordinal, int flag);

    /** Returns whether an absent field leaves bytes in the message. */
    abstract boolean writesAbsent(int slot);

    abstract void writeBool(int slot, boolean value);

    abstract void writeInt64(int slot, long value);

    abstract void writeFloat64(int slot, double value);

    abstract void writeBytes(int slot, byte[] data, int from, int length);

    abstract void openStruct(int slot);

    abstract void closeStruct(int slot);

    abstract void openList(int slot);

    /** Ends a list; its head was written at {@code head}. */
    abstract void closeList(int slot, int head, int elements);

    abstract void openMap(int slot);

    /** Ends a map; its head was written at {@code head}. */
    abstract void closeMap(int slot, int head, int entries);

    /** Overwrites the length, or the quotes, of a value with an excessive claim. */
    abstract void writeHugeLength();

    @Override
    public final void begin() {
        out.at = 0;
        lengthFrom = -1;
        openCount = 0;
        enterStruct(tree.root);
    }

    @Override
    public final void end() {
        leaveStruct(tree.root);
    }

    @Override
    public final byte[] data() {
        return out.data;
    }

    @Override
    public final int from() {
        return 0;
    }

    @Override
    public final int to() {
        return out.at;
    }

    @Override
    public final void bool(int slot, boolean value) {
        open(slot, value ? 1 : 0);
        writeBool(slot, value);
        end[slot] = out.at;
    }

    @Override
    public final void int64(int slot, long value) {
        open(slot, 0);
        writeInt64(slot, value);
        end[slot] = out.at;
    }

    @Override
    public final void float64(int slot, double value) {
        open(slot, 0);
        writeFloat64(slot, value);
        end[slot] = out.at;
    }

    @Override
    public final void bytes(int slot, byte[] data, int from, int length) {
        open(slot, 0);
        writeBytes(slot, data, from, length);
        end[slot] = out.at;
    }

    @Override
    public final void absent(int slot) {
        if (tree.required[slot]) {
            throw new BadRecordException(RecordFault.MISSING_FIELD, "'" + tree.path[slot] + "' must be there");
        }
        if (writesAbsent(slot)) {
            open(slot, ABSENT);
            end[slot] = out.at;
        }
    }

    @Override
    public final void beginStruct(int slot) {
        open(slot, 0);
        enterStruct(slot);
    }

    @Override
    public final void endStruct(int slot) {
        leaveStruct(slot);
        end[slot] = out.at;
    }

    @Override
    public final void beginList(int slot) {
        open(slot, 0);
        enter(slot);
        openList(slot);
    }

    @Override
    public final void endList(int slot) {
        closeList(slot, content[slot], count[slot]);
        end[slot] = out.at;
    }

    @Override
    public final void beginMap(int slot) {
        open(slot, 0);
        enter(slot);
        openMap(slot);
    }

    @Override
    public final void endMap(int slot) {
        closeMap(slot, content[slot], count[slot]);
        end[slot] = out.at;
    }

    /** See {@link FillableWriter#leaveOpen}; not usable in formats in which lengths enclose other values. */
    public final void leaveOpen(int slot) {
        open(slot, 0);
        if (openCount == openAt.length) {
            openAt = Arrays.copyOf(openAt, 2 * openCount);
            openSlots = Arrays.copyOf(openSlots, 2 * openCount);
        }
        openSlots[openCount] = slot;
        openAt[openCount++] = out.at;
        writeBytes(slot, NOTHING, 0, 0);
        end[slot] = out.at;
    }

    /** See {@link FillableWriter#fill}. */
    public final void fill(int[] lengths, FillableWriter.Values values) {
        GrowingBytes before = out;
        out = scratch;
        scratch = before;
        out.at = 0;
        int empty = textSize(0);
        int from = 0;
        for (int i = 0; i < openCount; i++) {
            out.bytes(before.data, from, openAt[i] - from);
            writeBytes(openSlots[i], values.next(lengths[i]), 0, lengths[i]);
            from = openAt[i] + empty;
        }
        out.bytes(before.data, from, before.at - from);
        openCount = 0;
    }

    @Override
    public final boolean claimHugeLength() {
        if (lengthFrom < 0) {
            return false;
        }
        scratch.at = 0;
        scratch.bytes(out.data, lengthTo, out.at - lengthTo);
        out.at = lengthFrom;
        writeHugeLength();
        out.bytes(scratch.data, 0, scratch.at);
        lengthFrom = -1;
        return true;
    }

    /** Records the position of the length of the last text. */
    final void noteLength(int from, int to) {
        lengthFrom = from;
        lengthTo = to;
    }

    /** Moves the bytes from {@code position} on. */
    final void shift(int position, int room) {
        out.shift(position, room);
        if (lengthFrom >= position) {
            lengthFrom += room;
            lengthTo += room;
        }
        for (int i = openCount - 1; i >= 0 && openAt[i] >= position; i--) {
            openAt[i] += room;
        }
    }

    /** Returns how many fields of an open struct were written. */
    final int written(int slot) {
        return count[slot];
    }

    /** Returns whether a field of an open struct was written. */
    final boolean hasField(int slot) {
        return stamp[slot] == serial[tree.parent[slot]];
    }

    private void open(int slot, int flag) {
        int parent = tree.parent[slot];
        byte role = tree.role[slot];
        if (role == SlotTree.FIELD) {
            int previous = last[parent];
            fieldHeader(slot, previous, flag);
            disordered[parent] |= slot <= previous;
            last[parent] = slot;
            count[parent]++;
            stamp[slot] = serial[parent];
            flags[slot] = (byte) flag;
            start[slot] = out.at;
        } else {
            int ordinal = count[parent];
            itemHeader(slot, role == SlotTree.VALUE ? ordinal - 1 : ordinal, flag);
            count[parent] = role == SlotTree.VALUE ? ordinal : ordinal + 1;
        }
    }

    private void enter(int slot) {
        content[slot] = out.at;
        count[slot] = 0;
    }

    private void enterStruct(int slot) {
        openStruct(slot);
        enter(slot);
        serial[slot] = ++serials;
        last[slot] = -1;
        disordered[slot] = false;
    }

    private void leaveStruct(int slot) {
        if (disordered[slot] || (expected[slot] >= 0 && count[slot] != expected[slot])) {
            putInOrder(slot);
        }
        closeStruct(slot);
    }

    private void putInOrder(int slot) {
        if (openCount > 0) {
            throw new IllegalStateException(
                    "values can be left open only if fields are reported in the order of the schema, '"
                            + tree.path[slot] + "' was not");
        }
        int from = content[slot];
        scratch.at = 0;
        scratch.bytes(out.data, from, out.at - from);
        out.at = from;
        lengthFrom = -1;
        int previous = -1;
        for (int child : tree.children[slot]) {
            if (stamp[child] == serial[slot]) {
                fieldHeader(child, previous, flags[child]);
                out.bytes(scratch.data, start[child] - from, end[child] - start[child]);
                previous = child;
            } else if (expected[slot] >= 0) {
                throw new IllegalStateException(
                        "field '" + tree.path[child] + "' was not reported; report it as absent");
            }
        }
    }
}
