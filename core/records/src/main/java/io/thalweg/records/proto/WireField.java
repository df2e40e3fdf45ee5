package io.thalweg.records.proto;

import org.jspecify.annotations.Nullable;

/** A field of a message type. */
final class WireField {
    final int number;

    /** The position in the schema of the message. */
    final int index;

    /** The kind of the value; for a list, that of its elements. */
    final Kind kind;

    final int wire;
    final boolean repeated;

    /** Which oneof the field belongs to, or -1. */
    final int oneof;

    /** Whether the plan of the struct needs the presence of the field. */
    final boolean expected;

    /** The target of the value; null if it is skipped. */
    final @Nullable WireTarget target;

    WireField(
            int number,
            int index,
            Kind kind,
            boolean repeated,
            int oneof,
            boolean expected,
            @Nullable WireTarget target) {
        this.number = number;
        this.index = index;
        this.kind = kind;
        this.wire = kind.wire;
        this.repeated = repeated;
        this.oneof = oneof;
        this.expected = expected;
        this.target = target;
    }

    /** Creates the only field of a wrapper, or one of the two of an entry, a timestamp or a duration. */
    static WireField part(int number, Kind kind, @Nullable WireTarget target) {
        return new WireField(number, number - 1, kind, false, -1, true, target);
    }

    /** Returns whether a value may have the wire type. */
    boolean accepts(int type) {
        return type == wire || (repeated && type == WireInput.LENGTH && kind.isPackable());
    }
}
