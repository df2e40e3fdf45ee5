package io.thalweg.records.proto;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.Utf8;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;

/**
 * Reads the wire format of Protocol Buffers.
 *
 * <p><b>Repeated occurrences.</b> As the specification requires, the last value of a singular scalar wins, singular messages are
 * merged, the last member of a oneof clears the others, and a list collects all its elements, packed or not. The entries of a map
 * are reported in the order of the message; a duplicate key is reported twice. A key or value that an entry lacks takes its
 * default.
 *
 * <p><b>No bytes</b> are a message whose fields have their defaults.
 *
 * <p><b>Unknown fields</b> are skipped and counted. A known field with another wire type makes the message bad, even if the field
 * is not selected. The contents of values that are not reported are not checked: fields that are not selected, and members of a
 * oneof that a later member clears.
 *
 * <p><b>Enums</b> are open: a number without a name is reported as its digits, even where proto2 would drop it.
 *
 * <p><b>Text</b> must be UTF-8, even in proto2. Timestamps and durations are rounded down to microseconds.
 *
 * <p><b>Depth.</b> Each nested message, group and entry of a map is a level; the root is the first.
 */
public final class ProtoReader implements RecordReader {
    /*
     * A field may occur again at the end of a message, so no value is final before the end. Each message is therefore scanned
     * first: WireMessage keeps the bits of its scalars and the ranges of all other values. Then its fields are reported in the
     * order of the schema. The scan skips nested messages, which are scanned when they are reported. Numbers are thus decoded
     * once, and the contents of a nested message are decoded at its own level only.
     */
    private static final long MICROS = 1_000_000;

    private final WireMessage root;
    private final WireInput input;
    private final Ranges ranges = new Ranges();
    private long unknownFields;

    ProtoReader(WireMessage root, Limits limits) {
        this.root = root;
        this.input = new WireInput(limits.depth());
    }

    @Override
    public long unknownFields() {
        return unknownFields;
    }

    @Override
    public void read(byte[] data, int from, int to, RecordWriter writer) {
        input.over(data, from);
        ranges.shrink(0);
        root.begin();
        scan(root, from, to, 1);
        fields(root, writer, 1);
    }

    /** Records the positions of the fields of a message, or of one of its parts. */
    private void scan(WireMessage message, int from, int to, int level) {
        input.at = from;
        int last = -1;
        while (input.at < to) {
            int start = input.at;
            int tag = input.tag(to);
            WireField field = message.field(tag >>> 3);
            if (field == null) {
                unknownFields++;
                input.skip(tag, to, level);
            } else if (field.kind == Kind.GROUP) {
                scanGroup(message, field, tag, to, level);
            } else if (field.repeated) {
                scanElement(message, field, tag, start, to, field.index == last);
            } else {
                scanSingle(message, field, tag, to);
            }
            last = field == null ? -1 : field.index;
        }
    }

    private void scanSingle(WireMessage message, WireField field, int tag, int to) {
        if ((tag & 7) != field.wire) {
            throw wrongWireType(field, tag);
        }
        long value = value(field.wire, to);
        if (field.oneof >= 0) {
            message.choose(field.oneof, field.index);
        }
        if (field.kind.isMessage()) {
            message.add(field.index, value, ranges);
        } else {
            if (field.kind == Kind.STRING && field.target != null && message.has(field.index)) {
                // The replaced value must be valid text as well, as in the library.
                checkText(field.target, message.value(field.index));
            }
            message.set(field.index, value);
        }
    }

    /** Skips a group, and records that it is there. */
    private void scanGroup(WireMessage message, WireField field, int tag, int to, int level) {
        if ((tag & 7) != field.wire) {
            throw wrongWireType(field, tag);
        }
        input.skip(tag, to, level);
        if (field.oneof >= 0) {
            message.choose(field.oneof, field.index);
        }
        message.set(field.index, 0);
    }

    /** Records an element of a list. Adjacent elements share a range, which starts with a tag. */
    private void scanElement(WireMessage message, WireField field, int tag, int start, int to, boolean continued) {
        if (!field.accepts(tag & 7)) {
            throw wrongWireType(field, tag);
        }
        input.skip(tag, to, 0);
        if (continued) {
            message.extend(field.index, input.at, ranges);
        } else {
            message.add(field.index, Ranges.of(start, input.at), ranges);
        }
    }

    /** Reads the bits of a number, or the range of other values. */
    private long value(int wire, int to) {
        return switch (wire) {
            case WireInput.VARINT -> input.varint(to);
            case WireInput.FIXED64 -> input.fixed64(to);
            case WireInput.FIXED32 -> input.fixed32(to);
            default -> input.bytes(to);
        };
    }

    /** Reports the fields of a scanned struct. */
    private void fields(WireMessage message, RecordWriter writer, int level) {
        StructPlan plan = message.plan();
        if (plan == null) {
            return;
        }
        plan.begin();
        for (int word = 0; word < message.words(); word++) {
            for (long rest = message.present(word); rest != 0; rest &= rest - 1) {
                int index = (word << 6) + Long.numberOfTrailingZeros(rest);
                plan.see(index);
                WireField field = message.fieldAt(index);
                WireTarget target = field.target;
                if (target != null) {
                    field(message, field, target, writer, level);
                }
            }
        }
        plan.end(writer);
    }

    /** Reports a field for all of its uses. Uses that read the same parts meet the same unknown fields. */
    private void field(WireMessage message, WireField field, WireTarget first, RecordWriter writer, int level) {
        long before = unknownFields;
        use(message, field, first, writer, level);
        for (WireTarget target = first.also; target != null; target = target.also) {
            long after = unknownFields;
            unknownFields = before;
            use(message, field, target, writer, level);
            unknownFields = Math.max(after, unknownFields);
        }
    }

    private void use(WireMessage message, WireField field, WireTarget target, RecordWriter writer, int level) {
        int index = field.index;
        if (field.repeated) {
            repeated(target, message.value(index), message.more(index), writer, level);
        } else {
            single(message, index, target, writer, level);
        }
    }

    private void single(WireMessage message, int index, WireTarget target, RecordWriter writer, int level) {
        int more = target.message == null ? Ranges.NONE : message.more(index);
        value(target, message.value(index), more, writer, level);
    }

    /** Reports a part of an entry or a wrapper, or its default if it is missing. */
    private void part(WireMessage message, int index, RecordWriter writer, int level) {
        WireTarget target = message.fieldAt(index).target;
        if (target == null) {
            return;
        }
        if (message.has(index)) {
            single(message, index, target, writer, level);
        } else {
            value(target, target.absent, Ranges.NONE, writer, level);
        }
    }

    private void repeated(WireTarget target, long first, int more, RecordWriter writer, int level) {
        WireTarget element = target.element;
        if (element == null) {
            writer.beginMap(target.slot);
            entries(target.parts(), first, writer, level);
            for (int next = more; next != Ranges.NONE; next = ranges.next(next)) {
                entries(target.parts(), ranges.range(next), writer, level);
            }
            writer.endMap(target.slot);
        } else {
            writer.beginList(target.slot);
            elements(element, first, writer, level);
            for (int next = more; next != Ranges.NONE; next = ranges.next(next)) {
                elements(element, ranges.range(next), writer, level);
            }
            writer.endList(target.slot);
        }
    }

    private void entries(WireMessage entry, long range, RecordWriter writer, int level) {
        int to = Ranges.to(range);
        int at = Ranges.from(range);
        while (at < to) {
            input.at = at;
            input.tag(to);
            long bytes = input.bytes(to);
            at = input.at;
            assemble(entry, bytes, Ranges.NONE, level + 1);
            part(entry, 0, writer, level + 1);
            part(entry, 1, writer, level + 1);
        }
    }

    private void elements(WireTarget element, long range, RecordWriter writer, int level) {
        int wire = element.kind.wire;
        int to = Ranges.to(range);
        int at = Ranges.from(range);
        while (at < to) {
            input.at = at;
            int tag = input.tag(to);
            long value = value(tag & 7, to);
            at = input.at;
            if ((tag & 7) == wire) {
                value(element, value, Ranges.NONE, writer, level);
            } else {
                packed(element, wire, value, writer, level);
            }
        }
    }

    private void packed(WireTarget element, int wire, long range, RecordWriter writer, int level) {
        int to = Ranges.to(range);
        input.at = Ranges.from(range);
        while (input.at < to) {
            value(element, value(wire, to), Ranges.NONE, writer, level);
        }
    }

    /** Reports a value. A message in several parts has further ranges. */
    private void value(WireTarget target, long value, int more, RecordWriter writer, int level) {
        int slot = target.slot;
        switch (target.kind) {
            case BOOL -> writer.bool(slot, value != 0);
            case INT32, SFIXED32 -> writer.int64(slot, low(value));
            case INT64, SFIXED64 -> writer.int64(slot, value);
            case UINT32, FIXED32 -> writer.int64(slot, value & 0xFFFF_FFFFL);
            case UINT64, FIXED64 -> writer.int64(slot, unsigned(target, value));
            case SINT32 -> writer.int64(slot, ((int) value >>> 1) ^ -((int) value & 1));
            case SINT64 -> writer.int64(slot, (value >>> 1) ^ -(value & 1));
            case FLOAT -> writer.float64(slot, Float.intBitsToFloat((int) value));
            case DOUBLE -> writer.float64(slot, Double.longBitsToDouble(value));
            case ENUM -> name(target, (int) value, writer);
            case STRING -> text(target, value, writer);
            case BYTES -> bytes(slot, value, writer);
            default -> message(target, value, more, writer, level + 1);
        }
    }

    private void message(WireTarget target, long first, int more, RecordWriter writer, int level) {
        WireMessage message = target.parts();
        int mark = ranges.size();
        assemble(message, first, more, level);
        switch (target.kind) {
            case STRUCT -> struct(target, message, writer, level);
            case WRAPPER -> part(message, 0, writer, level);
            default -> writer.int64(target.slot, micros(target, message));
        }
        ranges.shrink(mark);
    }

    private void struct(WireTarget target, WireMessage message, RecordWriter writer, int level) {
        if (target.slot == FieldPlan.NONE) {
            fields(message, writer, level);
        } else {
            writer.beginStruct(target.slot);
            fields(message, writer, level);
            writer.endStruct(target.slot);
        }
    }

    /** Scans all parts of a message as if they were one. */
    private void assemble(WireMessage message, long first, int more, int level) {
        input.checkLevel(level);
        message.begin();
        scan(message, Ranges.from(first), Ranges.to(first), level);
        for (int next = more; next != Ranges.NONE; next = ranges.next(next)) {
            scan(message, Ranges.from(ranges.range(next)), Ranges.to(ranges.range(next)), level);
        }
    }

    private void text(WireTarget target, long range, RecordWriter writer) {
        checkText(target, range);
        bytes(target.slot, range, writer);
    }

    private void checkText(WireTarget target, long range) {
        int from = Ranges.from(range);
        int malformed = Utf8.firstMalformed(input.data(), from, Ranges.to(range) - from);
        if (malformed >= 0) {
            throw BadRecordException.invalidText(target.path, "not UTF-8 at its byte " + (malformed - from));
        }
    }

    private void bytes(int slot, long range, RecordWriter writer) {
        writer.bytes(slot, input.data(), Ranges.from(range), Ranges.to(range) - Ranges.from(range));
    }

    private static void name(WireTarget target, int number, RecordWriter writer) {
        EnumNames names = target.names;
        if (names != null) {
            names.write(number, target.slot, writer);
        }
    }

    private static int low(long value) {
        return (int) value;
    }

    private static long unsigned(WireTarget target, long value) {
        if (value < 0) {
            throw outOfRange(target, "at most " + Long.MAX_VALUE + ", was " + Long.toUnsignedString(value));
        }
        return value;
    }

    private static long micros(WireTarget target, WireMessage parts) {
        long seconds = parts.has(0) ? parts.value(0) : 0;
        long micros = parts.has(1) ? Math.floorDiv((int) parts.value(1), 1_000) : 0;
        if (seconds < 0 && micros > 0) {
            // Avoids an overflow in the intermediate result for the smallest value.
            seconds++;
            micros -= MICROS;
        }
        long whole = seconds * MICROS;
        long sum = whole + micros;
        if (Math.multiplyHigh(seconds, MICROS) != whole >> 63 || ((whole ^ sum) & (micros ^ sum)) < 0) {
            throw outOfRange(target, "a time in microseconds of 64 bits, was " + seconds + " seconds");
        }
        return sum;
    }

    private static BadRecordException outOfRange(WireTarget target, String expected) {
        return new BadRecordException(RecordFault.OUT_OF_RANGE, "'" + target.path + "' must be " + expected);
    }

    private static BadRecordException wrongWireType(WireField field, int tag) {
        return BadRecordException.undecodable("field " + field.number + " has wire type " + (tag & 7) + " where a "
                + field.kind + " has " + field.wire);
    }
}
