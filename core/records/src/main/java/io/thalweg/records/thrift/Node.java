package io.thalweg.records.thrift;

import io.thalweg.records.translate.FieldPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The instruction to read one field, element, key or value: a field's plan merged with its Thrift type. */
final class Node {
    /** The value is skipped. */
    static final int SKIP = 0;

    static final int BOOL = 1;
    static final int I8 = 2;
    static final int I16 = 3;
    static final int I32 = 4;
    static final int I64 = 5;
    static final int DOUBLE = 6;
    static final int TEXT = 7;
    static final int BYTES = 8;
    static final int UUID = 9;
    static final int UUID_IN_BYTES = 10;
    static final int SYMBOL = 11;

    /** A timestamp that is not in microseconds. */
    static final int SCALED = 12;

    static final int STRUCT = 13;

    /** A struct of which only some fields are selected. */
    static final int PARTS = 14;

    /** A list or set. */
    static final int LIST = 15;

    static final int MAP = 16;

    /** A map that is reported as a list of structs. */
    static final int ENTRIES = 17;

    /** The operation; one of the constants. */
    final int op;

    /** The position in the neutral struct; -1 for elements, keys and values. */
    final int index;

    /** The code of the type that the value must have in the message, or -1 if it does not matter. */
    final int wire;

    final int slot;

    /** For {@link #ENTRIES}: the slot of the struct of each entry. */
    final int entrySlot;

    /** For {@link #SCALED}: microseconds per unit. */
    final long micros;

    private final @Nullable FieldPlan plan;
    private final @Nullable StructNode struct;
    private final @Nullable SymbolNames symbols;
    private final @Nullable Node key;
    private final @Nullable Node element;

    /** The next use of the same value. */
    final @Nullable Node also;

    private Node(
            int op,
            int index,
            int wire,
            long micros,
            int entrySlot,
            @Nullable FieldPlan plan,
            Parts parts,
            @Nullable Node also) {
        this.op = op;
        this.index = index;
        this.wire = wire;
        this.micros = micros;
        this.entrySlot = entrySlot;
        this.plan = plan;
        this.slot = plan == null ? FieldPlan.NONE : plan.slot;
        this.struct = parts.struct;
        this.symbols = parts.symbols;
        this.key = parts.key;
        this.element = parts.element;
        this.also = also;
    }

    /** The parts of the value. */
    record Parts(
            @Nullable StructNode struct,
            @Nullable SymbolNames symbols,
            @Nullable Node key,
            @Nullable Node element) {
        static final Parts NONE = new Parts(null, null, null, null);

        static Parts of(StructNode struct) {
            return new Parts(struct, null, null, null);
        }

        static Parts of(SymbolNames symbols) {
            return new Parts(null, symbols, null, null);
        }

        static Parts of(Node element) {
            return new Parts(null, null, null, element);
        }

        static Parts of(Node key, Node value) {
            return new Parts(null, null, key, value);
        }
    }

    /** Creates a field whose value and type do not matter. */
    static Node ignored(int index) {
        return new Node(SKIP, index, -1, 1, FieldPlan.NONE, null, Parts.NONE, null);
    }

    static Node of(int op, int index, int wire, FieldPlan plan, Parts parts, @Nullable Node also) {
        return new Node(op, index, wire, 1, FieldPlan.NONE, plan, parts, also);
    }

    static Node scaled(int index, int wire, FieldPlan plan, long micros, @Nullable Node also) {
        return new Node(SCALED, index, wire, micros, FieldPlan.NONE, plan, Parts.NONE, also);
    }

    static Node entries(int index, int wire, FieldPlan plan, int entrySlot, Parts parts, @Nullable Node also) {
        return new Node(ENTRIES, index, wire, 1, entrySlot, plan, parts, also);
    }

    StructNode struct() {
        return Objects.requireNonNull(struct);
    }

    SymbolNames symbols() {
        return Objects.requireNonNull(symbols);
    }

    Node key() {
        return Objects.requireNonNull(key);
    }

    /** The element of a list, or the value of a map. */
    Node element() {
        return Objects.requireNonNull(element);
    }

    /** The path for error messages. */
    String path() {
        return plan == null ? "?" : plan.path;
    }
}
