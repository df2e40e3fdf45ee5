package io.thalweg.formats;

import io.thalweg.records.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reusable batch of events: the named fields as columns, each event's raw bytes by reference, and where the event was read.
 *
 * <p><b>Shape.</b> Events {@code 0 … size()−1} in the order they were appended; columns as in the {@link Projection}. Text and
 * number tokens are UTF-8 in one shared array: {@link #bytes()}, {@link #offset}, {@link #length}. The array may be replaced when
 * events are appended: get it after the batch is filled.
 *
 * <p><b>Raw bytes</b> are not copied: they stay valid as long as the caller does not modify the arrays that it passed to the
 * decoder, which it must not do before {@link #clear()}.
 *
 * <p><b>Units.</b> Timestamps are epoch ms; {@link #NO_TIMESTAMP} if the input has none.
 *
 * <p><b>Threads.</b> One.
 */
public final class EventColumns {
    /** The timestamp of records whose input has none (files). */
    public static final long NO_TIMESTAMP = Long.MIN_VALUE;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final FieldKind[] KINDS = FieldKind.values();
    private static final int FIRST_CAPACITY = 64;
    private static final int SHOWN_CHARS = 100;

    private final int columns;
    private int size;

    // Per event and column, row by row. Kinds are numbers, because storing a reference costs a GC barrier.
    private byte[] kinds;
    private long[] values;
    private int[] offsets;
    private int[] lengths;

    private byte[] text = new byte[4096];
    private int textLength;
    /** Where the text of the last event begins. */
    private int lastText;

    // Per event.
    private byte[][] raws = new byte[FIRST_CAPACITY][];
    private int[] rawOffsets = new int[FIRST_CAPACITY];
    private int[] rawLengths = new int[FIRST_CAPACITY];
    private long[] rawTotals = new long[FIRST_CAPACITY];
    private int[] partitions = new int[FIRST_CAPACITY];
    private long[] recordOffsets = new long[FIRST_CAPACITY];
    private long[] recordTimestampsMs = new long[FIRST_CAPACITY];
    private @Nullable BadReason[] reasons = new BadReason[FIRST_CAPACITY];
    private @Nullable String[] errors = new String[FIRST_CAPACITY];
    private boolean[] tombstones = new boolean[FIRST_CAPACITY];

    /** Creates an empty batch for events of {@code projection}. */
    public EventColumns(Projection projection) {
        columns = projection.size();
        kinds = new byte[FIRST_CAPACITY * columns];
        values = new long[FIRST_CAPACITY * columns];
        offsets = new int[FIRST_CAPACITY * columns];
        lengths = new int[FIRST_CAPACITY * columns];
    }

    /** Removes all events and their raw bytes; keeps the memory of the columns. */
    public void clear() {
        Arrays.fill(raws, 0, size, null);
        Arrays.fill(reasons, 0, size, null);
        Arrays.fill(errors, 0, size, null);
        size = 0;
        textLength = 0;
    }

    /** The number of events in the batch. */
    public int size() {
        return size;
    }

    /** The kind of value that event {@code e} has in column {@code c}. */
    public FieldKind kind(int e, int c) {
        return KINDS[kinds[e * columns + c]];
    }

    /** The value of an {@code INTEGER}. */
    public long integer(int e, int c) {
        return values[e * columns + c];
    }

    /** The value of an {@code INTEGER} or {@code DOUBLE}, as {@link Double#parseDouble} reads its token. */
    public double number(int e, int c) {
        int at = e * columns + c;
        if (KINDS[kinds[at]] != FieldKind.INTEGER) {
            return Double.longBitsToDouble(values[at]);
        }
        return values[at] == 0 && isNegative(at) ? -0.0 : (double) values[at];
    }

    /** Whether a number has a token with a minus sign: {@code -0} is an integer, and a double different from 0. */
    private boolean isNegative(int at) {
        return lengths[at] > 0 && text[offsets[at]] == '-';
    }

    /** The value of a {@code BOOL}. */
    public boolean bool(int e, int c) {
        return values[e * columns + c] != 0;
    }

    /** The text of a {@code STRING}, or the token of a number; empty for the other kinds. */
    public String string(int e, int c) {
        return new String(text, offset(e, c), length(e, c), StandardCharsets.UTF_8);
    }

    /** The array that contains the texts, see {@link #offset} and {@link #length}; must not be modified. */
    public byte[] bytes() {
        return text;
    }

    /** Where in {@link #bytes()} the text of a {@code STRING} or the token of a number begins. */
    public int offset(int e, int c) {
        return offsets[e * columns + c];
    }

    /** The length of that text in bytes. */
    public int length(int e, int c) {
        return lengths[e * columns + c];
    }

    /** The array that holds the event's raw bytes. */
    public byte[] raw(int e) {
        return raws[e];
    }

    /** Where in {@link #raw} the event begins. */
    public int rawOffset(int e) {
        return rawOffsets[e];
    }

    /**
     * The number of raw bytes available: fewer than {@link #rawTotal} if a reader did not keep a record that is too
     * large.
     */
    public int rawLength(int e) {
        return rawLengths[e];
    }

    /** The true length of the record in bytes. */
    public long rawTotal(int e) {
        return rawTotals[e];
    }

    /** The source partition; 0 for files. */
    public int partition(int e) {
        return partitions[e];
    }

    /** The record's offset in its partition; for files, as counted by the reader. */
    public long recordOffset(int e) {
        return recordOffsets[e];
    }

    /** The record's own timestamp in epoch ms, or {@link #NO_TIMESTAMP}. */
    public long recordTimestampMs(int e) {
        return recordTimestampsMs[e];
    }

    /** Why the event could not be decoded: {@code UNDECODABLE} or {@code TOO_LARGE}; null if it could. */
    public @Nullable BadReason decodeReason(int e) {
        return reasons[e];
    }

    /** Why the event's bytes could not be decoded; null if they were. If not null, all columns are {@code MISSING}. */
    public @Nullable String decodeError(int e) {
        return errors[e];
    }

    /**
     * Appends an event that is too large to be decoded, of which only the first {@code length} bytes are available.
     *
     * @param total its true length in bytes
     */
    public void appendTooLarge(
            byte[] data, int offset, int length, long total, int partition, long recordOffset, long recordTimestampMs) {
        append(data, offset, length, partition, recordOffset, recordTimestampMs);
        rawTotals[size - 1] = total;
        fail(
                BadReason.TOO_LARGE,
                "a record must not be larger than %d bytes, was %d".formatted(EventDecoder.MAX_RECORD_BYTES, total));
    }

    void appendTooLarge(byte[] data, int offset, int length, RecordOrigin origin) {
        appendTooLarge(data, offset, length, length, origin.partition(), origin.offset(), origin.timestampMs());
    }

    /**
     * Appends what a file contains instead of an event.
     *
     * @param total its true length in bytes, of which the first {@code length} are available
     */
    public void appendLost(
            byte[] data, int offset, int length, long total, long recordOffset, BadReason reason, String error) {
        append(data, offset, length, 0, recordOffset, NO_TIMESTAMP);
        rawTotals[size - 1] = total;
        fail(reason, error);
    }

    /** Truncates the raw bytes of the last event. */
    void trimRaw(int length) {
        rawLengths[size - 1] = length;
        rawTotals[size - 1] = length;
    }

    /** The value of a column, shortened for a message. */
    public String shown(int e, int c) {
        return switch (kind(e, c)) {
            case MISSING -> "nothing";
            case NULL -> "null";
            case STRING -> '"' + cut(string(e, c)) + '"';
            case INTEGER -> length(e, c) > 0 ? cut(string(e, c)) : Long.toString(integer(e, c));
            case DOUBLE -> length(e, c) > 0 ? cut(string(e, c)) : Double.toString(number(e, c));
            case BOOL -> Boolean.toString(bool(e, c));
            case LIST -> "a list of " + length(e, c) / Double.BYTES;
            case OTHER -> "an object or array";
            case INVALID_TEXT -> "bytes that are not UTF-8, or half of a surrogate pair";
        };
    }

    private static String cut(String value) {
        if (value.length() <= SHOWN_CHARS) {
            return value;
        }
        int end = Character.isHighSurrogate(value.charAt(SHOWN_CHARS - 1)) ? SHOWN_CHARS - 1 : SHOWN_CHARS;
        return value.substring(0, end) + "…";
    }

    void append(byte[] data, int offset, int length, RecordOrigin origin) {
        append(data, offset, length, origin.partition(), origin.offset(), origin.timestampMs());
    }

    /** Begins the next event with all columns missing. */
    public void append(byte[] data, int offset, int length, int partition, long recordOffset, long recordTimestampMs) {
        if (size == raws.length) {
            grow();
        }
        int e = size++;
        lastText = textLength;
        resetLast();
        raws[e] = data;
        rawOffsets[e] = offset;
        rawLengths[e] = length;
        rawTotals[e] = length;
        partitions[e] = partition;
        recordOffsets[e] = recordOffset;
        recordTimestampsMs[e] = recordTimestampMs;
        tombstones[e] = false;
    }

    /** Appends a record without a value: not an event, though the record is at this position. */
    public void appendTombstone(byte[] data, int offset, RecordOrigin origin) {
        append(data, offset, 0, origin);
        fail(BadReason.UNDECODABLE, "the record has no value");
        tombstones[size - 1] = true;
    }

    /** Whether a record has no value; it is then not decoded. */
    public boolean isTombstone(int e) {
        return tombstones[e];
    }

    /** Marks the last event as one that could not be decoded. */
    public void fail(BadReason reason, String error) {
        resetLast();
        reasons[size - 1] = reason;
        errors[size - 1] = error;
    }

    /** Makes all columns of the last event missing again. */
    public void resetLast() {
        for (int c = 0; c < columns; c++) {
            put(c, FieldKind.MISSING);
        }
        textLength = lastText;
    }

    // The following methods set a column of the last event; the last value wins.

    /** Sets a kind that has no value: {@code MISSING}, {@code NULL}, {@code OTHER}, {@code INVALID_TEXT}. */
    public void put(int c, FieldKind kind) {
        int at = (size - 1) * columns + c;
        kinds[at] = number(kind);
        lengths[at] = 0;
    }

    public void putBool(int c, boolean value) {
        put(c, FieldKind.BOOL);
        values[(size - 1) * columns + c] = value ? 1 : 0;
    }

    /** Sets a number without a text form: {@link #string} of it is empty. */
    public void putBinary(int c, long value) {
        put(c, FieldKind.INTEGER);
        values[(size - 1) * columns + c] = value;
    }

    /** Gives a number of the last event its text form, if it has none. */
    public void addToken(int c) {
        int e = size - 1;
        FieldKind kind = kind(e, c);
        if (length(e, c) > 0 || (kind != FieldKind.INTEGER && kind != FieldKind.DOUBLE)) {
            return;
        }
        long value = values[e * columns + c];
        byte[] token = shown(e, c).getBytes(StandardCharsets.US_ASCII);
        putBytes(c, token, 0, token.length);
        kinds[e * columns + c] = number(kind);
        values[e * columns + c] = value;
    }

    /** Sets a number like {@link #putBinary(int, long)}. */
    public void putBinary(int c, double value) {
        put(c, FieldKind.DOUBLE);
        values[(size - 1) * columns + c] = Double.doubleToRawLongBits(value);
    }

    public void putInteger(int c, long value) {
        byte[] token = Long.toString(value).getBytes(StandardCharsets.US_ASCII);
        putBytes(c, token, 0, token.length);
        toInteger(c, value);
    }

    public void putBytes(int c, byte[] data, int from, int length) {
        int at = slice(c, FieldKind.STRING, length);
        System.arraycopy(data, from, text, at, length);
        textLength = at + length;
    }

    /** Sets text whose bytes may not be UTF-8. */
    public void putText(int c, byte[] bytes) {
        if (Utf8.firstMalformed(bytes, 0, bytes.length) >= 0) {
            put(c, FieldKind.INVALID_TEXT);
        } else {
            putBytes(c, bytes, 0, bytes.length);
        }
    }

    /**
     * Sets text like {@link #putBytes}, from an array with at least seven more bytes after it, so that words can be
     * copied.
     */
    public void putPadded(int c, byte[] data, int from, int length) {
        int at = slice(c, FieldKind.STRING, length + 7);
        for (int i = 0; i < length; i += 8) {
            LONGS.set(text, at + i, (long) LONGS.get(data, from + i));
        }
        lengths[(size - 1) * columns + c] = length;
        textLength = at + length;
    }

    /** Sets a list of numbers, 8 bytes each, big-endian. */
    public void putList(int c, byte[] data, int length) {
        int at = slice(c, FieldKind.LIST, length);
        System.arraycopy(data, 0, text, at, length);
        textLength = at + length;
    }

    /** Sets a number by its token, which must be one of JSON. */
    void putNumber(int c, byte[] data, int from, int length) {
        boolean integral = true;
        for (int i = from; i < from + length; i++) {
            integral &= data[i] == '-' || (data[i] >= '0' && data[i] <= '9');
        }
        putBytes(c, data, from, length);
        toNumber(c, length, integral);
    }

    // The following methods convert the text that was set last to a number; it must be a JSON number of that value.

    public void toNumber(int c, int length, boolean integral) {
        int begin = offset(size - 1, c);
        if (integral && Decimals.isLong(text, begin, length)) {
            toInteger(c, Decimals.parseLong(text, begin, length));
        } else {
            toDouble(c, Decimals.parseDouble(text, begin, length));
        }
    }

    public void toDouble(int c, double value) {
        int at = (size - 1) * columns + c;
        kinds[at] = number(FieldKind.DOUBLE);
        values[at] = Double.doubleToRawLongBits(value);
    }

    public void toInteger(int c, long value) {
        int at = (size - 1) * columns + c;
        kinds[at] = number(FieldKind.INTEGER);
        values[at] = value;
    }

    @SuppressWarnings("EnumOrdinal") // never leaves this class
    private static byte number(FieldKind kind) {
        return (byte) kind.ordinal();
    }

    private int slice(int c, FieldKind kind, int capacity) {
        if (text.length - textLength < capacity) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, Math.addExact(textLength, capacity)));
        }
        int at = (size - 1) * columns + c;
        kinds[at] = number(kind);
        offsets[at] = textLength;
        lengths[at] = capacity;
        return textLength;
    }

    private void grow() {
        int capacity = 2 * raws.length;
        kinds = Arrays.copyOf(kinds, capacity * columns);
        values = Arrays.copyOf(values, capacity * columns);
        offsets = Arrays.copyOf(offsets, capacity * columns);
        lengths = Arrays.copyOf(lengths, capacity * columns);
        raws = Arrays.copyOf(raws, capacity);
        rawOffsets = Arrays.copyOf(rawOffsets, capacity);
        rawLengths = Arrays.copyOf(rawLengths, capacity);
        rawTotals = Arrays.copyOf(rawTotals, capacity);
        partitions = Arrays.copyOf(partitions, capacity);
        recordOffsets = Arrays.copyOf(recordOffsets, capacity);
        recordTimestampsMs = Arrays.copyOf(recordTimestampsMs, capacity);
        reasons = Arrays.copyOf(reasons, capacity);
        errors = Arrays.copyOf(errors, capacity);
        tombstones = Arrays.copyOf(tombstones, capacity);
    }
}
