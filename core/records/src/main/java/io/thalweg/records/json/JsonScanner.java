package io.thalweg.records.json;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one JSON text, as RFC 8259 defines them: no byte order mark, comment, trailing comma or {@code NaN}.
 *
 * <p><b>Errors.</b> A malformed text is UNDECODABLE; the detail contains the position in the message.
 *
 * <p><b>Threads.</b> One. Allocates only to grow with the longest string that has escapes.
 */
public final class JsonScanner {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';
    private static final long SPACES = ONES * ' ';
    private static final int TRUE = 't' | 'r' << 8 | 'u' << 16 | 'e' << 24;
    private static final int ALSE = 'a' | 'l' << 8 | 's' << 16 | 'e' << 24;
    private static final int NULL = 'n' | 'u' << 8 | 'l' << 16 | 'l' << 24;
    private static final byte[] NONE = {};

    private final int maxDepth;
    /** Follows the message of a text that nests too deeply. */
    private final String remedy;

    /** The number scanned last. */
    final JsonNumber number;

    /** One bit for each container that {@link #skip} has open, set for objects. */
    private long[] open = new long[1];

    private final JsonEscapes escapes = new JsonEscapes();

    byte[] data = NONE;
    int at;
    int end;
    private int start;

    /** The contents of the string scanned last: a range of the message, or of a buffer if it had escapes. */
    byte[] text = NONE;

    int textFrom;
    int textLength;
    /** Whether that string contains no half of a surrogate pair. */
    boolean isUnicode;

    private JsonScanner(int maxDepth, String remedy, JsonNumber number) {
        this.maxDepth = maxDepth;
        this.remedy = remedy;
        this.number = number;
    }

    /** Creates a scanner for texts that nest {@code maxDepth} levels at most, with numbers of any length. */
    public JsonScanner(int maxDepth) {
        this(maxDepth, "", new JsonNumber(Integer.MAX_VALUE));
    }

    /** Creates a scanner whose limits a definition sets. */
    static JsonScanner within(Limits limits) {
        return new JsonScanner(limits.depth(), "; raise 'limits.depth' if that is intended", new JsonNumber());
    }

    /** Begins with the text in [{@code from}, {@code to}) of an array. */
    public void open(byte[] message, int from, int to) {
        data = message;
        start = from;
        at = from;
        end = to;
    }

    /** Forgets the message. */
    public void close() {
        data = NONE;
        text = NONE;
    }

    /** Returns the first byte of the next token without consuming it. */
    public byte peek() {
        int i = at;
        byte b;
        return i < end && (b = data[i]) > ' ' ? b : peekBehindSpace();
    }

    private byte peekBehindSpace() {
        skipSpace();
        if (at == end) {
            throw BadRecordException.undecodable("the message ends within the object; it is cut off or not JSON");
        }
        return data[at];
    }

    private void skipSpace() {
        int i = at;
        while (i < end && isSpace(data[i])) {
            i++;
        }
        at = i;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    /** The array that contains the text. */
    public byte[] message() {
        return data;
    }

    /** The index of the next byte in {@link #message}. */
    public int position() {
        return at;
    }

    /**
     * Consumes the bracket of an object or array, which is the current byte.
     *
     * @param depth number of containers that enclose its contents, with it
     */
    public void enter(int depth) {
        checkDepth(depth);
        at++;
    }

    /** Consumes the closing bracket, if a container is empty. */
    public boolean isEmpty(char close) {
        boolean isEmpty = peek() == close;
        at += isEmpty ? 1 : 0;
        return isEmpty;
    }

    /** Consumes the comma before another value or, returning false, the closing bracket. */
    public boolean isMore(char close) {
        byte b = peek();
        if (b != ',' && b != close) {
            throw malformed("',' or '" + close + "'");
        }
        at++;
        return b == ',';
    }

    /** Consumes a name and its colon; returns it, or null if it contains half of a surrogate pair. */
    public @Nullable String name() {
        if (peek() != '"') {
            throw malformed("a name");
        }
        string();
        String name = isUnicode ? new String(text, textFrom, textLength, StandardCharsets.UTF_8) : null;
        colon();
        return name;
    }

    /** Checks that only white space follows. */
    public void finish() {
        skipSpace();
        if (at != end) {
            throw malformed("the end of the message");
        }
    }

    /** The array of the string scanned last, from {@link #textFrom} on; valid until the next string. */
    public byte[] text() {
        return text;
    }

    public int textFrom() {
        return textFrom;
    }

    public int textLength() {
        return textLength;
    }

    /** Whether the string scanned last contains no half of a surrogate pair. */
    public boolean isUnicode() {
        return isUnicode;
    }

    /** Consumes the colon after a name. */
    void colon() {
        if (peek() != ':') {
            throw malformed("':'");
        }
        at++;
    }

    /** Consumes {@code null}; the current byte is its first. */
    public void nullLiteral() {
        if (end - at < 4 || (int) INTS.get(data, at) != NULL) {
            throw malformed("a value");
        }
        at += 4;
    }

    /** Consumes {@code true} or {@code false}; the current byte is its first. */
    public boolean bool() {
        if (data[at] == 't') {
            if (end - at < 4 || (int) INTS.get(data, at) != TRUE) {
                throw malformed("a value");
            }
            at += 4;
            return true;
        }
        if (end - at < 5 || (int) INTS.get(data, at + 1) != ALSE) {
            throw malformed("a value");
        }
        at += 5;
        return false;
    }

    /** Consumes a string and sets {@link #text}; the current byte is the quote. */
    public void string() {
        int from = at + 1;
        int to = skipPlain(from);
        if (data[to] == '"') {
            text = data;
            textFrom = from;
            textLength = to - from;
            isUnicode = true;
            at = to + 1;
        } else {
            escapedString(from, to);
        }
    }

    private void escapedString(int from, int firstEscape) {
        int close = skipEscaped(firstEscape);
        text = escapes.unescape(data, from, close);
        textFrom = 0;
        textLength = escapes.length();
        isUnicode = escapes.isUnicode();
        at = close + 1;
    }

    /** Checks and consumes a string; the current byte is the quote. */
    private void skipString() {
        int to = skipPlain(at + 1);
        at = (data[to] == '"' ? to : skipEscaped(to)) + 1;
    }

    /** Returns the index of the closing quote or first escape at or after {@code from}. */
    private int skipPlain(int from) {
        byte[] bytes = data;
        int last = end - 8;
        int i = from;
        while (true) {
            while (i <= last) {
                long stops = stops((long) LONGS.get(bytes, i));
                if (stops != 0) {
                    i += Long.numberOfTrailingZeros(stops) >>> 3;
                    break;
                }
                i += 8;
            }
            if (i >= end) {
                throw BadRecordException.undecodable("the message ends within a string; it is cut off");
            }
            byte b = bytes[i];
            if (b == '"' || b == '\\') {
                return i;
            }
            i += b >= ' ' ? 1 : multiByte(i);
        }
    }

    /** Returns high bits, of which the lowest marks the first byte that is a quote, a backslash, a control character or not ASCII. */
    private static long stops(long word) {
        return (((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES) | (word - SPACES) | word) & HIGH_BITS;
    }

    private int multiByte(int i) {
        int length = data[i] < 0 ? Utf8.sequenceLength(data, i, end) : 0;
        if (length == 0) {
            at = i;
            throw BadRecordException.undecodable(
                    data[i] < 0
                            ? "invalid UTF-8 in a string at byte " + (i - start)
                            : "unescaped control character in a string at byte " + (i - start));
        }
        return length;
    }

    /** Returns the index of the closing quote after an escape. */
    private int skipEscaped(int firstEscape) {
        int i = firstEscape;
        while (data[i] == '\\') {
            int length = JsonEscapes.length(data, i, end);
            if (length == 0) {
                at = i;
                throw BadRecordException.undecodable("malformed escape in a string at byte " + (i - start));
            }
            i = skipPlain(i + length);
        }
        return i;
    }

    /** Consumes a number; the current byte is its first. */
    public void number() {
        int to = number.scan(data, at, end);
        if (to < 0) {
            boolean isNumber = data[at] == '-' || (data[at] >= '0' && data[at] <= '9');
            throw isNumber
                    ? BadRecordException.undecodable("malformed number at byte " + (at - start))
                    : malformed("a value");
        }
        at = to;
    }

    /**
     * Checks the syntax of any value and consumes it.
     *
     * @param depth number of containers that enclose it
     */
    public void skip(int depth) {
        int inside = 0;
        while (true) {
            byte b = peek();
            if (b == '{' || b == '[') {
                checkDepth(depth + inside + 1);
                at++;
                if (peek() == b + 2) {
                    at++;
                } else {
                    push(inside++, b == '{');
                    if (b == '{') {
                        skipName();
                    }
                    continue;
                }
            } else {
                skipScalar(b);
            }
            inside = closeBehindValue(inside);
            if (inside == 0) {
                return;
            }
        }
    }

    /** Consumes everything between a value and the next one; returns the number of containers that are then open. */
    private int closeBehindValue(int open) {
        int inside = open;
        while (inside > 0) {
            boolean object = isObject(inside - 1);
            byte b = peek();
            if (b == ',') {
                at++;
                if (object) {
                    skipName();
                }
                return inside;
            }
            if (b != (object ? '}' : ']')) {
                throw malformed(object ? "',' or '}'" : "',' or ']'");
            }
            at++;
            inside--;
        }
        return 0;
    }

    void checkDepth(int depth) {
        if (depth > maxDepth) {
            throw BadRecordException.undecodable(
                    "the message nests more than " + maxDepth + " levels at byte " + (at - start) + remedy);
        }
    }

    private void push(int index, boolean object) {
        int word = index >>> 6;
        if (word == open.length) {
            open = Arrays.copyOf(open, word * 2);
        }
        open[word] = object ? open[word] | 1L << index : open[word] & ~(1L << index);
    }

    private boolean isObject(int index) {
        return (open[index >>> 6] & 1L << index) != 0;
    }

    private void skipName() {
        if (peek() != '"') {
            throw malformed("a name");
        }
        skipString();
        colon();
    }

    private void skipScalar(byte b) {
        switch (b) {
            case '"' -> skipString();
            case 't', 'f' -> bool();
            case 'n' -> nullLiteral();
            default -> number();
        }
    }

    /** Returns the kind of the value that starts with a byte, for error messages. */
    static String kind(byte b) {
        return switch (b) {
            case '{' -> "an object";
            case '[' -> "an array";
            case '"' -> "text";
            case 't', 'f' -> "a boolean";
            case 'n' -> "null";
            default -> "a number";
        };
    }

    /** Creates the failure of finding something other than {@code expected} at the current position. */
    public BadRecordException malformed(String expected) {
        String found = "the end of the message";
        if (at < end) {
            int b = data[at] & 0xFF;
            found = b > ' ' && b < 0x7F ? "'" + (char) b + "'" : "byte 0x%02X".formatted(b);
        }
        return BadRecordException.undecodable(
                "malformed JSON at byte " + (at - start) + ": expected " + expected + ", found " + found);
    }
}
