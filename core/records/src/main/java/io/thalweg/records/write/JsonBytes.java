package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes JSON objects without white space. Absent fields are omitted; absent elements are {@code null}.
 *
 * <p><b>Types.</b> {@code Bytes} as base64, {@code Uuid} in its usual form, {@code Date}, {@code Time} and {@code Timestamp} as in
 * RFC 3339 or in the unit of the layout; keys of maps as text. Numbers that are not finite and years outside 0001 to 9999 are out
 * of range.
 *
 * <p><b>Cost.</b> A number with more than 15 significant digits creates objects.
 */
public final class JsonBytes extends OrderedBytes implements FillableWriter {
    private static final byte NUMBER = 0;
    private static final byte DATE = 1;
    private static final byte TIME = 2;
    private static final byte TIMESTAMP = 3;
    private static final byte LOCAL_TIMESTAMP = 4;
    private static final byte FLOAT = 5;
    private static final byte TEXT = 6;
    private static final byte BYTES = 7;
    private static final byte UUID = 8;
    private static final byte DECIMAL_TEXT = 9;
    private static final byte DECIMAL_NUMBER = 10;

    private static final byte[] TRUE = JsonLiterals.ascii("true");
    private static final byte[] FALSE = JsonLiterals.ascii("false");
    private static final byte[] NULL = JsonLiterals.ascii("null");
    private static final byte[] FIRST_KEY = JsonLiterals.ascii("{\"key\":");
    private static final byte[] NEXT_KEY = JsonLiterals.ascii("},{\"key\":");
    private static final byte[] VALUE = JsonLiterals.ascii(",\"value\":");
    private static final int BOMB_LEVELS = 10_000;

    private final byte[] form;
    /** Whether this class writes the quotes around the value. */
    private final boolean[] quoted;

    private final long[] units;
    private final int[] scales;
    private final byte[][] names;
    private final boolean mapsAreEntries;
    private final boolean isForPeople;
    private final JsonNumbers numbers = new JsonNumbers();

    public JsonBytes(Struct schema) {
        this(schema, JsonLayout.DEFAULT);
    }

    public JsonBytes(Struct schema, JsonLayout layout) {
        this(schema, layout, false);
    }

    /**
     * Creates a writer of rows for people, which refuses no value: numbers that are not finite are text, such as {@code "NaN"}, and
     * times in years outside 0001 to 9999 are their days or microseconds as text.
     */
    public static JsonBytes forPeople(Struct schema) {
        return new JsonBytes(schema, JsonLayout.DEFAULT, true);
    }

    private JsonBytes(Struct schema, JsonLayout layout, boolean isForPeople) {
        super(schema);
        this.isForPeople = isForPeople;
        form = new byte[tree.root];
        quoted = new boolean[tree.root];
        units = new long[tree.root];
        scales = new int[tree.root];
        names = new byte[tree.root][];
        mapsAreEntries = layout.mapsAreEntries();
        for (int slot = 0; slot < tree.root; slot++) {
            compile(slot, layout);
        }
    }

    private void compile(int slot, JsonLayout layout) {
        FieldType type = tree.type[slot];
        String path = tree.path[slot];
        units[slot] = 1;
        names[slot] = name(tree.name[slot]);
        form[slot] = form(type, path, layout);
        if (type instanceof Timestamp && layout.unit(path) != 0) {
            units[slot] = layout.unit(path);
        }
        if (type instanceof Decimal decimal) {
            scales[slot] = decimal.scale();
        }
        boolean bare = form[slot] == NUMBER || form[slot] == FLOAT || form[slot] == DECIMAL_NUMBER;
        boolean withQuotes = form[slot] == TEXT || form[slot] == BYTES;
        quoted[slot] = bare ? tree.role[slot] == SlotTree.KEY : !withQuotes;
    }

    private static byte form(FieldType type, String path, JsonLayout layout) {
        if (type instanceof Timestamp timestamp) {
            return layout.unit(path) != 0 ? NUMBER : timestamp.utc() ? TIMESTAMP : LOCAL_TIMESTAMP;
        }
        if (type instanceof Decimal) {
            return layout.decimalIsNumber(path) ? DECIMAL_NUMBER : DECIMAL_TEXT;
        }
        if (type instanceof Real real) {
            return real.bits() == 32 ? FLOAT : NUMBER;
        }
        if (type instanceof Date) {
            return DATE;
        }
        if (type instanceof Time) {
            return TIME;
        }
        if (type instanceof Uuid) {
            return UUID;
        }
        if (type instanceof Bytes) {
            return BYTES;
        }
        return type instanceof FieldType.Text || type instanceof FieldType.Symbols ? TEXT : NUMBER;
    }

    /** Returns the bytes before a value: a comma, which the first field skips, the quoted name and a colon. */
    private static byte[] name(String name) {
        GrowingBytes text = new GrowingBytes();
        text.put(',');
        byte[] plain = name.getBytes(StandardCharsets.UTF_8);
        JsonLiterals.text(text, plain, 0, plain.length);
        text.put(':');
        return Arrays.copyOf(text.data, text.at);
    }

    @Override
    public int textSize(int length) {
        return 2 + length;
    }

    @Override
    public int bytesSize(int length) {
        return 2 + (length + 2) / 3 * 4;
    }

    @Override
    boolean writesAbsent(int slot) {
        return tree.role[slot] != SlotTree.FIELD;
    }

    @Override
    void fieldHeader(int slot, int previous, int flag) {
        byte[] name = names[slot];
        int skipped = previous < 0 ? 1 : 0;
        out.bytes(name, skipped, name.length - skipped);
    }

    @Override
    void itemHeader(int slot, int ordinal, int flag) {
        if (mapsAreEntries && tree.role[slot] != SlotTree.ELEMENT) {
            out.bytes(tree.role[slot] == SlotTree.VALUE ? VALUE : ordinal > 0 ? NEXT_KEY : FIRST_KEY);
        } else if (tree.role[slot] == SlotTree.VALUE) {
            out.put(':');
        } else if (ordinal > 0) {
            out.put(',');
        }
        if (flag == ABSENT) {
            out.bytes(NULL);
        }
    }

    private void quote(int slot) {
        if (quoted[slot]) {
            out.put('"');
        }
    }

    @Override
    void writeBool(int slot, boolean value) {
        quote(slot);
        out.bytes(value ? TRUE : FALSE);
        quote(slot);
    }

    @Override
    void writeInt64(int slot, long value) {
        quote(slot);
        switch (fits(slot, value) ? form[slot] : NUMBER) {
            case DATE -> JsonTimeWriter.date(out, value);
            case TIME -> JsonTimeWriter.time(out, value);
            case TIMESTAMP -> JsonTimeWriter.timestamp(out, value);
            case LOCAL_TIMESTAMP -> JsonTimeWriter.localTimestamp(out, value);
            default -> JsonLiterals.integer(out, units[slot] == 1 ? value : Math.floorDiv(value, units[slot]));
        }
        quote(slot);
    }

    private boolean fits(int slot, long value) {
        boolean fits = switch (form[slot]) {
            case DATE -> JsonTimeWriter.isDay(value);
            case TIME -> JsonTimeWriter.isTime(value);
            case TIMESTAMP, LOCAL_TIMESTAMP -> JsonTimeWriter.isTimestamp(value);
            default -> true;
        };
        if (!fits && !isForPeople) {
            throw outOfRange(slot, "a time of day, or a date in the years 0001 to 9999");
        }
        return fits;
    }

    @Override
    void writeFloat64(int slot, double value) {
        if (!Double.isFinite(value)) {
            if (!isForPeople) {
                throw outOfRange(slot, "a finite number");
            }
            out.bytes(JsonLiterals.ascii('"' + Double.toString(value) + '"'));
            return;
        }
        quote(slot);
        JsonNumbers.float64(out, value, form[slot] == FLOAT);
        quote(slot);
    }

    private BadRecordException outOfRange(int slot, String wanted) {
        return new BadRecordException(
                RecordFault.OUT_OF_RANGE, "'" + tree.path[slot] + "' must be " + wanted + " to be written as JSON");
    }

    @Override
    void writeBytes(int slot, byte[] data, int from, int length) {
        int at = out.at;
        quote(slot);
        switch (form[slot]) {
            case BYTES -> JsonLiterals.base64(out, data, from, length);
            case UUID -> uuid(data, from);
            case DECIMAL_TEXT, DECIMAL_NUMBER -> numbers.decimal(out, data, from, length, scales[slot]);
            default -> JsonLiterals.text(out, data, from, length);
        }
        quote(slot);
        if (tree.role[slot] != SlotTree.KEY) {
            noteLength(at, out.at);
        }
    }

    private void uuid(byte[] data, int from) {
        out.reserve(36);
        JsonLiterals.uuid(data, from, out.data, out.at);
        out.at += 36;
    }

    /** Writes deep nesting, because JSON has no lengths. */
    @Override
    void writeHugeLength() {
        for (int i = 0; i < BOMB_LEVELS; i++) {
            out.put('[');
        }
        for (int i = 0; i < BOMB_LEVELS; i++) {
            out.put(']');
        }
    }

    @Override
    void openStruct(int slot) {
        out.put('{');
    }

    @Override
    void closeStruct(int slot) {
        out.put('}');
    }

    @Override
    void openList(int slot) {
        out.put('[');
    }

    @Override
    void closeList(int slot, int head, int elements) {
        out.put(']');
    }

    @Override
    void openMap(int slot) {
        out.put(mapsAreEntries ? '[' : '{');
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        if (!mapsAreEntries || entries > 0) {
            out.put('}');
        }
        if (mapsAreEntries) {
            out.put(']');
        }
    }
}
