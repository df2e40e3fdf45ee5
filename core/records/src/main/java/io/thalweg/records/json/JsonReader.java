package io.thalweg.records.json;

import static java.util.Objects.requireNonNull;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.translate.Translation;

/**
 * Reads JSON messages, each one object as RFC 8259 defines it.
 *
 * <p><b>Members.</b> Names are compared after their escapes are replaced. A duplicate member of a selected struct makes the message
 * UNDECODABLE, a duplicate key of a map is reported twice; skipped values are checked for their syntax only. A message that is not
 * JSON is UNDECODABLE, even if it has other faults.
 *
 * <p><b>Values.</b> An integer may be written {@code 12}, {@code 12.0} or {@code 1.2e1}. Numbers are not read from text, nor text
 * from numbers. Text with half of a surrogate pair is INVALID_TEXT where it is read.
 *
 * <p><b>Threads.</b> One.
 */
public final class JsonReader implements RecordReader {
    private static final String INTEGER = "an integer of 64 bits";

    private final JsonScanner in;
    private final JsonNumber number;
    private final JsonBinary binary = new JsonBinary();
    private final JsonDecimals decimals = new JsonDecimals();
    private final JsonPlan.Members root;

    /** The number of open containers. */
    private int depth;
    /** The number of members that are not in the schema, in all messages. */
    private long unknownFields;

    JsonReader(JsonType root, Translation translation, Limits limits) {
        this.in = JsonScanner.within(limits);
        this.number = in.number;
        this.root = new JsonPlan.Members(translation.plan(), root);
    }

    @Override
    public void read(byte[] data, int from, int to, RecordWriter writer) {
        if (from == to) {
            throw new BadRecordException(RecordFault.EMPTY, "the message has no bytes");
        }
        in.open(data, from, to);
        depth = 0;
        try {
            if (in.peek() != '{') {
                throw in.malformed("an object");
            }
            members(root, writer);
            in.finish();
        } catch (BadRecordException e) {
            throw worse(e, from);
        } finally {
            in.close();
        }
    }

    /** Returns the failure, or the syntax error if the message is not JSON. */
    private BadRecordException worse(BadRecordException found, int from) {
        if (found.fault() == RecordFault.UNDECODABLE) {
            return found;
        }
        try {
            in.at = from;
            in.skip(0);
            in.finish();
            return found;
        } catch (BadRecordException malformed) {
            return malformed;
        }
    }

    @Override
    public long unknownFields() {
        return unknownFields;
    }

    private void members(JsonPlan.Members members, RecordWriter writer) {
        in.enter(++depth);
        members.plan.begin();
        if (!in.isEmpty('}')) {
            int previous = members.names.beginning();
            do {
                previous = member(members, previous, writer);
            } while (in.isMore('}'));
        }
        members.plan.end(writer);
        depth--;
    }

    /** Reads a member; returns its position, or that of the member before if it is unknown. */
    private int member(JsonPlan.Members members, int previous, RecordWriter writer) {
        if (in.peek() != '"') {
            throw in.malformed("a name");
        }
        int index = members.names.read(in, previous);
        in.colon();
        if (index == JsonNames.UNKNOWN) {
            unknownFields++;
            in.skip(depth);
            return previous;
        }
        members.plan.see(index);
        JsonPlan plan = members.plan(index);
        if (plan == null) {
            in.skip(depth);
        } else {
            uses(plan, writer);
        }
        return index;
    }

    /** Reads a value for each of its uses. */
    private void uses(JsonPlan first, RecordWriter writer) {
        boolean isNull = in.peek() == 'n';
        int begin = in.at;
        value(first, writer);
        if (isNull) {
            return;
        }
        long unknown = unknownFields;
        for (JsonPlan plan = first.also; plan != null; plan = plan.also) {
            in.at = begin;
            value(plan, writer);
        }
        unknownFields = unknown;
    }

    private void value(JsonPlan plan, RecordWriter writer) {
        if (in.peek() == 'n') {
            in.nullLiteral();
            plan.field.isNull(writer);
            return;
        }
        int slot = plan.field.slot;
        switch (plan.spelling) {
            case BOOL -> writer.bool(slot, bool(plan));
            case INT -> writer.int64(slot, integer(plan));
            case FLOAT -> writer.float64(slot, float32(plan));
            case DOUBLE -> writer.float64(slot, float64(plan));
            case TEXT -> text(plan, writer);
            case BASE64 -> base64(plan, writer);
            case UUID -> uuid(plan, writer);
            case DATE, TIME, TIMESTAMP -> writer.int64(slot, time(plan));
            case EPOCH_SECONDS -> writer.int64(slot, micros(plan, 1_000_000));
            case EPOCH_MILLIS -> writer.int64(slot, micros(plan, 1000));
            case EPOCH_MICROS -> writer.int64(slot, micros(plan, 1));
            case DECIMAL -> decimal(plan, writer);
            case DECIMAL_TEXT -> decimalText(plan, writer);
            case STRUCT -> struct(plan, writer);
            case LIST -> list(plan, writer);
            case MAP -> map(plan, writer);
            case SKIPPED -> in.skip(depth);
        }
    }

    private void struct(JsonPlan plan, RecordWriter writer) {
        expect((byte) '{', plan, "an object");
        int slot = plan.field.slot;
        if (slot < 0) {
            members(requireNonNull(plan.members), writer);
            return;
        }
        writer.beginStruct(slot);
        members(requireNonNull(plan.members), writer);
        writer.endStruct(slot);
    }

    private void list(JsonPlan plan, RecordWriter writer) {
        expect((byte) '[', plan, "an array");
        in.enter(++depth);
        JsonPlan element = requireNonNull(plan.element);
        writer.beginList(plan.field.slot);
        if (!in.isEmpty(']')) {
            do {
                value(element, writer);
            } while (in.isMore(']'));
        }
        writer.endList(plan.field.slot);
        depth--;
    }

    private void map(JsonPlan plan, RecordWriter writer) {
        expect((byte) '{', plan, "an object");
        in.enter(++depth);
        writer.beginMap(plan.field.slot);
        if (!in.isEmpty('}')) {
            do {
                entry(plan, writer);
            } while (in.isMore('}'));
        }
        writer.endMap(plan.field.slot);
        depth--;
    }

    private void entry(JsonPlan plan, RecordWriter writer) {
        if (in.peek() != '"') {
            throw in.malformed("a name");
        }
        unicode(plan);
        writer.bytes(plan.keySlot, in.text, in.textFrom, in.textLength);
        in.colon();
        value(requireNonNull(plan.element), writer);
    }

    private boolean bool(JsonPlan plan) {
        byte b = in.peek();
        if (b != 't' && b != 'f') {
            throw wrongType(plan, "a boolean");
        }
        return in.bool();
    }

    private void number(JsonPlan plan) {
        byte b = in.peek();
        if (b != '-' && !JsonNumber.isDigit(b)) {
            throw wrongType(plan, "a number");
        }
        in.number();
    }

    private long int64(JsonPlan plan) {
        number(plan);
        if (!number.isInt64()) {
            throw BadRecordException.wrongType(plan.field.path, INTEGER, "a fraction or a larger number");
        }
        return number.integer();
    }

    private long integer(JsonPlan plan) {
        long value = int64(plan);
        int unused = plan.unusedBits;
        if (value << unused >> unused != value) {
            throw outOfRange(plan, "must fit %d bits, was %d".formatted(64 - unused, value));
        }
        return value;
    }

    private long micros(JsonPlan plan, long unit) {
        long value = int64(plan);
        long micros = value * unit;
        if (Math.multiplyHigh(value, unit) != micros >> 63) {
            throw outOfRange(plan, "must fit 64 bits as microseconds, was " + value);
        }
        return micros;
    }

    private double float64(JsonPlan plan) {
        number(plan);
        double value = JsonDoubles.toDouble(number);
        if (Double.isInfinite(value)) {
            throw BadRecordException.wrongType(plan.field.path, "a double", "a larger number");
        }
        return value;
    }

    private double float32(JsonPlan plan) {
        double wide = float64(plan);
        float value = JsonDoubles.toFloat(number, wide);
        if (Float.isInfinite(value)) {
            throw outOfRange(plan, "must fit a float, was " + wide);
        }
        return value;
    }

    private void decimal(JsonPlan plan, RecordWriter writer) {
        number(plan);
        convert(plan, writer);
    }

    private void decimalText(JsonPlan plan, RecordWriter writer) {
        string(plan);
        int end = in.textFrom + in.textLength;
        if (number.scan(in.text, in.textFrom, end) != end) {
            throw BadRecordException.wrongType(
                    plan.field.path, "a decimal number as text, such as \"12.50\"", "other text");
        }
        convert(plan, writer);
    }

    private void convert(JsonPlan plan, RecordWriter writer) {
        decimals.convert(number, requireNonNull(plan.decimal), plan.field.path);
        writer.bytes(plan.field.slot, decimals.bytes, decimals.from(), decimals.length());
    }

    private void string(JsonPlan plan) {
        expect((byte) '"', plan, "text");
        unicode(plan);
    }

    private void unicode(JsonPlan plan) {
        in.string();
        if (!in.isUnicode) {
            throw BadRecordException.invalidText(plan.field.path, "text with half of a surrogate pair");
        }
    }

    private void text(JsonPlan plan, RecordWriter writer) {
        string(plan);
        writer.bytes(plan.field.slot, in.text, in.textFrom, in.textLength);
    }

    private void base64(JsonPlan plan, RecordWriter writer) {
        string(plan);
        int length = binary.base64(in.text, in.textFrom, in.textLength);
        if (length < 0) {
            throw BadRecordException.wrongType(plan.field.path, "base64 with padding", "other text");
        }
        writer.bytes(plan.field.slot, binary.bytes, 0, length);
    }

    private void uuid(JsonPlan plan, RecordWriter writer) {
        string(plan);
        if (!binary.uuid(in.text, in.textFrom, in.textLength)) {
            throw BadRecordException.wrongType(plan.field.path, "a UUID", "other text");
        }
        writer.bytes(plan.field.slot, binary.bytes, 0, JsonBinary.UUID_BYTES);
    }

    private long time(JsonPlan plan) {
        string(plan);
        long value = switch (plan.spelling) {
            case DATE -> JsonTimeParser.date(in.text, in.textFrom, in.textLength);
            case TIME -> JsonTimeParser.time(in.text, in.textFrom, in.textLength);
            default -> JsonTimeParser.timestamp(in.text, in.textFrom, in.textLength);
        };
        if (value == JsonTimeParser.MALFORMED) {
            throw BadRecordException.wrongType(plan.field.path, form(plan.spelling), "other text");
        }
        if (value == JsonTimeParser.OUT_OF_RANGE) {
            throw outOfRange(plan, "must be in the years 0001 to 9999");
        }
        return value;
    }

    private static String form(Spelling spelling) {
        return switch (spelling) {
            case DATE -> "a date such as 2026-11-23";
            case TIME -> "a time without offset such as 09:30:00";
            default -> "a timestamp with offset such as 2026-11-23T09:30:00Z";
        };
    }

    private void expect(byte first, JsonPlan plan, String expected) {
        if (in.peek() != first) {
            throw wrongType(plan, expected);
        }
    }

    private BadRecordException wrongType(JsonPlan plan, String expected) {
        return BadRecordException.wrongType(plan.field.path, expected, JsonScanner.kind(in.peek()));
    }

    private static BadRecordException outOfRange(JsonPlan plan, String rule) {
        return new BadRecordException(RecordFault.OUT_OF_RANGE, "'" + plan.field.path + "' " + rule);
    }
}
