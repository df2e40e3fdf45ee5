package io.thalweg.records.proto;

import io.thalweg.records.translate.FieldPlan;
import org.jspecify.annotations.Nullable;

/** One use of a field, element, key or value: its encoding and its slot in the target. */
final class WireTarget {
    final Kind kind;

    /** The slot in the target, or {@link FieldPlan#NONE} for a struct of which only fields are selected. */
    final int slot;

    /** For error messages: the path from the root of the message. */
    final String path;

    /** For a struct: its fields; for a timestamp, a duration, a wrapper or an entry of a map: its parts. */
    final @Nullable WireMessage message;

    /** For a list: its element. */
    final @Nullable WireTarget element;

    final @Nullable EnumNames names;

    /** The value of an entry of a map that lacks it: for an enum, its first number. */
    final long absent;

    /** The next use of the same field. */
    final @Nullable WireTarget also;

    private WireTarget(
            Kind kind,
            FieldPlan plan,
            @Nullable WireMessage message,
            @Nullable WireTarget element,
            @Nullable EnumNames names,
            long absent,
            @Nullable WireTarget also) {
        this.kind = kind;
        this.slot = plan.slot;
        this.path = plan.path;
        this.message = message;
        this.element = element;
        this.names = names;
        this.absent = absent;
        this.also = also;
    }

    static WireTarget scalar(Kind kind, FieldPlan plan, @Nullable WireTarget also) {
        return new WireTarget(kind, plan, null, null, null, 0, also);
    }

    static WireTarget symbol(FieldPlan plan, EnumNames names, int absent, @Nullable WireTarget also) {
        return new WireTarget(Kind.ENUM, plan, null, null, names, absent, also);
    }

    static WireTarget message(Kind kind, FieldPlan plan, WireMessage message, @Nullable WireTarget also) {
        return new WireTarget(kind, plan, message, null, null, 0, also);
    }

    /** Creates the target of a list; its kind is that of its elements. */
    static WireTarget list(FieldPlan plan, WireTarget element, @Nullable WireTarget also) {
        return new WireTarget(element.kind, plan, null, element, null, 0, also);
    }

    /** Creates the target of a map, whose entries have a key and a value. */
    static WireTarget map(FieldPlan plan, WireMessage entry, @Nullable WireTarget also) {
        return new WireTarget(Kind.STRUCT, plan, entry, null, null, 0, also);
    }

    /** The parts; only for kinds that have them. */
    WireMessage parts() {
        if (message == null) {
            throw new IllegalStateException("'" + path + "' is not a message");
        }
        return message;
    }
}
