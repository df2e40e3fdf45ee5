package io.thalweg.formats;

import io.thalweg.records.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON by the structure of earlier documents. Documents of one source mostly differ in their scalar values; the bytes
 * between two scalars, a {@link JsonPathNode.Step}, repeat. So a document is read step by step: compare the bytes with the step
 * that was taken from here the last time, check and keep or skip one scalar, and so on. Unknown bytes are parsed once by the
 * grammar and remembered.
 *
 * <p><b>Invariant.</b> At every node, the bytes so far are a prefix of a well-formed document, and the node determines the open
 * containers. Steps were parsed by the grammar, and scalars are checked each time, so a document that is read to its end is
 * well-formed, and each column contains what {@link StreamedJson} would write. All uncertain cases are left to the latter:
 * malformed documents, duplicate wanted fields, names with escapes, wanted text with escapes, and very deep nesting.
 *
 * <p><b>Memory.</b> When the remembered structure exceeds {@value #MAX_REMEMBERED} bytes, the current document is left to the
 * full parser and everything is forgotten, because names may be data.
 *
 * <p><b>Threads.</b> One.
 */
public final class ScannedJson {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final int TRUE = 't' | 'r' << 8 | 'u' << 16 | 'e' << 24;
    private static final int FALS = 'f' | 'a' << 8 | 'l' << 16 | 's' << 24;
    private static final int NULL = 'n' | 'u' << 8 | 'l' << 16 | 'l' << 24;

    /** Bytes after the document, the first of them zero: enough for any read of a word that begins in it. */
    private static final int PADDING = 24;

    /** The largest wanted index of an element: each element up to it has a node of its own. */
    public static final int MAX_INDEX = 255;

    private static final int MAX_DEPTH = 64;
    private static final int MAX_REMEMBERED = 1 << 20;
    /** The approximate bytes of a node or a step, in addition to those of its name or its content. */
    private static final int OVERHEAD = 200;

    private static final int UNSURE = -1;

    private final JsonField fields;
    private JsonPathNode document;
    /** The node before and after a document. */
    private JsonPathNode outside;

    private JsonPathNode.Step start;
    private int remembered;

    /**
     * Contains the document up to {@link #end}, followed by a zero, which never occurs in JSON, so that no loop checks for the
     * end.
     */
    private byte[] bytes = {};

    private int end;
    /** A copy of documents that are not followed by a zero in their own array. */
    private byte[] copy = new byte[4096];

    private boolean isEscaped;
    private int cursor;

    ScannedJson(JsonField fields) {
        this.fields = fields;
        document = JsonPathNode.document(fields);
        outside = JsonPathNode.outside();
        start = JsonPathNode.Step.to(outside);
    }

    /** Fills the last event of {@code into}. Returns false if the full parser must read the document from the beginning. */
    boolean read(byte[] data, int offset, int count, EventColumns into) {
        if (remembered > MAX_REMEMBERED) {
            forget();
        }
        int behind = offset + count;
        if (data.length - behind >= PADDING && data[behind] == 0) { // the case for Kafka records without headers
            bytes = data;
            end = behind;
            return read(offset, into);
        }
        if (copy.length < count + PADDING) {
            copy = new byte[2 * count + PADDING];
        }
        System.arraycopy(data, offset, copy, 0, count);
        copy[count] = 0;
        bytes = copy;
        end = count;
        return read(0, into);
    }

    private boolean read(int from, EventColumns into) {
        byte[] data = bytes;
        JsonPathNode.Step last = start;
        long seen = 0;
        int at = from;
        while (true) {
            JsonPathNode.Step step = last.next;
            if (step == null || !step.matches(data, at) || !isScalarOrEnd(data[at + step.length])) {
                step = other(last.target, at);
                if (step == null) {
                    return false;
                }
                last.next = step;
            }
            at += step.length;
            if (step.isWanted) {
                if ((seen & step.fields) != 0) {
                    return false;
                }
                seen |= step.fields;
                step.putContainers(into);
            }
            byte b = data[at];
            int column = step.column;
            if (b == '"') {
                at = column < 0 ? textEnd(data, at + 1) : text(data, at + 1, column, into);
            } else if (isDigit(b) || b == '-') {
                at = number(data, at, column, into);
            } else if (b != 0) {
                at = literal(data, at, column, into);
            } else {
                return step.target == outside && at == end;
            }
            if (at < 0) {
                return false;
            }
            last = step;
        }
    }

    /** Whether a byte after a step begins a scalar or ends the value, rather than opening a structure. */
    private static boolean isScalarOrEnd(byte b) {
        return b == '"' || isDigit(b) || b == '-' || b == 't' || b == 'f' || b == 'n' || b == 0;
    }

    /**
     * Returns the step after the value of {@code node} that matches the bytes at {@code at}; null if that is not
     * certain.
     */
    private JsonPathNode.@Nullable Step other(JsonPathNode node, int at) {
        for (JsonPathNode.Step known : node.steps()) {
            if (known.matches(bytes, at) && isScalarOrEnd(bytes[at + known.length])) {
                return known;
            }
        }
        return remembered > MAX_REMEMBERED ? null : walk(node, at);
    }

    // Scalars: each method checks one, keeps it if its column is not -1, and returns its end or UNSURE.

    private int text(byte[] data, int from, int column, EventColumns into) {
        isEscaped = false;
        int end = textEnd(data, from);
        if (end == UNSURE || isEscaped) {
            return UNSURE;
        }
        into.putPadded(column, data, from, end - 1 - from);
        return end;
    }

    /** Returns the index after the closing quote of the text whose characters begin at {@code from}. */
    private int textEnd(byte[] data, int from) {
        int at = from;
        while (true) {
            long stops = stops((long) LONGS.get(data, at));
            if (stops == 0) {
                at += 8;
                continue;
            }
            at += Long.numberOfTrailingZeros(stops) >>> 3;
            if (data[at] == '"') {
                return at + 1;
            }
            at = unusual(data, at);
            if (at < 0) {
                return UNSURE;
            }
        }
    }

    /**
     * Returns a word whose lowest set bit marks the first quote, backslash, control character or byte beyond ASCII. Flipping the
     * second bit maps the quote to 0x20, right after the control characters, which stay below 0x20.
     */
    private static long stops(long word) {
        long quotesAndControls = (word ^ (2 * ONES)) - 0x21 * ONES;
        long backslashes = (word ^ ('\\' * ONES)) - ONES;
        return (quotesAndControls | backslashes | word) & HIGH_BITS;
    }

    /** Returns the index after an escape or a character beyond ASCII. */
    private int unusual(byte[] data, int at) {
        byte b = data[at];
        if (b < 0) {
            int sequence = Utf8.sequenceLength(data, at, end);
            return sequence == 0 ? UNSURE : at + sequence;
        }
        if (b != '\\') {
            return UNSURE;
        }
        isEscaped = true;
        return switch (data[at + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> at + 2;
            case 'u' -> Scalars.isHex(data, at + 2, 4) ? at + 6 : UNSURE;
            default -> UNSURE;
        };
    }

    private static int number(byte[] data, int from, int column, EventColumns into) {
        int whole = data[from] == '-' ? from + 1 : from;
        int point = digitsEnd(data, whole);
        if (point == whole || (data[whole] == '0' && point > whole + 1)) {
            return UNSURE;
        }
        int at = point;
        if (data[point] == '.') {
            at = digitsEnd(data, point + 1);
            if (at == point + 1) {
                return UNSURE;
            }
        }
        int exponent = at;
        if ((data[at] | 0x20) == 'e') {
            int digits = data[at + 1] == '-' || data[at + 1] == '+' ? at + 2 : at + 1;
            at = digitsEnd(data, digits);
            if (at == digits) {
                return UNSURE;
            }
        }
        if (column >= 0) {
            into.putPadded(column, data, from, at - from);
            if (at > exponent) {
                into.toNumber(column, at - from, false);
            } else {
                keep(data, from, whole, point, at, column, into);
            }
        }
        return at;
    }

    /** Keeps the value of a number without exponent, whose token is kept. */
    private static void keep(byte[] data, int from, int whole, int point, int end, int column, EventColumns into) {
        boolean isInteger = end == point;
        int places = isInteger ? 0 : end - point - 1;
        if (point - whole + places > Decimals.SAFE_DIGITS) {
            into.toNumber(column, end - from, isInteger);
            return;
        }
        long value = Decimals.digits(data, whole, point - whole);
        if (isInteger) {
            into.toInteger(column, whole > from ? -value : value);
        } else {
            double number = Decimals.decimal(value, Decimals.digits(data, point + 1, places), places);
            into.toDouble(column, whole > from ? -number : number);
        }
    }

    private static int digitsEnd(byte[] data, int from) {
        int at = from;
        while (true) {
            // A digit becomes at most 9, and then at most 0x7F; the lowest byte above that is not a digit.
            long digits = (long) LONGS.get(data, at) ^ ('0' * ONES);
            long others = (digits | (digits + 0x76 * ONES)) & HIGH_BITS;
            if (others != 0) {
                return at + (Long.numberOfTrailingZeros(others) >>> 3);
            }
            at += 8;
        }
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static int literal(byte[] data, int from, int column, EventColumns into) {
        int word = (int) INTS.get(data, from);
        boolean isFalse = word == FALS && data[from + 4] == 'e';
        if (word != TRUE && word != NULL && !isFalse) {
            return UNSURE;
        }
        if (column >= 0) {
            if (word == NULL) {
                into.put(column, FieldKind.NULL);
            } else {
                into.putBool(column, !isFalse);
            }
        }
        return isFalse ? from + 5 : from + 4;
    }

    // The grammar between scalars.

    /**
     * Parses from the end of the value of {@code from} to the next scalar or to the document's end, and remembers the step.
     *
     * @return null if it is not certain that this is well-formed and names no wanted field twice; whether a valid scalar follows
     *     is not checked
     */
    private JsonPathNode.@Nullable Step walk(JsonPathNode from, int begin) {
        JsonPathNode node = from == outside ? document : from;
        boolean isBefore = from == outside;
        long seen = 0;
        int[] containers = {};
        cursor = space(begin);
        while (node != null && node.depth <= MAX_DEPTH) {
            byte b = bytes[cursor];
            if (isBefore) {
                if ((seen & node.bit) != 0) {
                    return null;
                }
                seen |= node.bit;
                if (b != '{' && (b != '[' || node == document)) {
                    return node == document ? null : remember(from, begin, node, seen, containers);
                }
                if (node.column >= 0) {
                    containers = Arrays.copyOf(containers, containers.length + 1);
                    containers[containers.length - 1] = node.column;
                }
                cursor = space(cursor + 1);
                isBefore = bytes[cursor] != closing(b == '[');
                if (isBefore) {
                    node = b == '[' ? node.firstElement() : name(node);
                } else {
                    cursor++;
                }
            } else if (node == document) {
                return cursor == end ? remember(from, begin, outside, seen, containers) : null;
            } else if (b == ',') {
                cursor = space(cursor + 1);
                isBefore = true;
                node = node.isElement ? node.nextElement() : name(node.parent);
            } else if (b == closing(node.isElement)) {
                cursor++;
                node = node.parent;
            } else {
                return null;
            }
            cursor = space(cursor);
        }
        return null;
    }

    private static byte closing(boolean isArray) {
        return (byte) (isArray ? ']' : '}');
    }

    /** Reads a name and its colon; null if there is none, or one with escapes. */
    private @Nullable JsonPathNode name(@Nullable JsonPathNode object) {
        int from = cursor + 1;
        isEscaped = false;
        int end = bytes[cursor] == '"' ? textEnd(bytes, from) : UNSURE;
        cursor = end == UNSURE ? cursor : space(end);
        if (object == null || end == UNSURE || isEscaped || bytes[cursor] != ':') {
            return null;
        }
        cursor++;
        String name = new String(bytes, from, end - 1 - from, StandardCharsets.UTF_8);
        JsonPathNode member = object.member(name);
        if (member == null) {
            remembered += OVERHEAD + name.length();
            member = object.addMember(name);
        }
        return member;
    }

    private JsonPathNode.Step remember(JsonPathNode from, int begin, JsonPathNode target, long seen, int[] containers) {
        JsonPathNode.Step step = new JsonPathNode.Step(bytes, begin, cursor - begin, target, seen, containers);
        from.add(step);
        remembered += OVERHEAD + step.length;
        return step;
    }

    private int space(int from) {
        int at = from;
        while (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t') {
            at++;
        }
        return at;
    }

    private void forget() {
        document = JsonPathNode.document(fields);
        outside = JsonPathNode.outside();
        start = JsonPathNode.Step.to(outside);
        remembered = 0;
    }
}
