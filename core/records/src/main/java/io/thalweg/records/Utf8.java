package io.thalweg.records;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Validates and encodes UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    /** Returns the index of the first byte of the first malformed sequence, or -1 if there is none. */
    public static int firstMalformed(byte[] data, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            if (data[at] >= 0) {
                at = skipAscii(data, at, end);
                continue;
            }
            int sequence = sequenceLength(data, at, end);
            if (sequence == 0) {
                return at;
            }
            at += sequence;
        }
        return -1;
    }

    /** Returns how many of the last bytes belong to a sequence that is cut off: 0 to 3. */
    public static int cutOffTail(byte[] data, int offset, int length) {
        int end = offset + length;
        for (int back = 1; back <= Math.min(3, length); back++) {
            int b = data[end - back] & 0xFF;
            if (b >= 0xC0) {
                int wanted = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
                return wanted > back ? back : 0;
            }
            if (b < 0x80) {
                return 0;
            }
        }
        return 0;
    }

    /**
     * Encodes into {@code out}, which has room for three bytes per char.
     *
     * @return the end of the encoded bytes; -1 if the text contains half of a surrogate pair, which UTF-8 cannot represent
     */
    public static int encode(char[] chars, int from, int length, byte[] out, int at) {
        int end = from + length;
        for (int i = from; i < end; i++) {
            char c = chars[i];
            if (c < 0x80) {
                out[at++] = (byte) c;
            } else if (c < 0x800) {
                out[at++] = (byte) (0xC0 | (c >> 6));
                out[at++] = (byte) (0x80 | (c & 0x3F));
            } else if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(chars[i + 1])) {
                int point = Character.toCodePoint(c, chars[++i]);
                out[at++] = (byte) (0xF0 | (point >> 18));
                out[at++] = (byte) (0x80 | ((point >> 12) & 0x3F));
                out[at++] = (byte) (0x80 | ((point >> 6) & 0x3F));
                out[at++] = (byte) (0x80 | (point & 0x3F));
            } else if (Character.isSurrogate(c)) {
                return -1;
            } else {
                out[at++] = (byte) (0xE0 | (c >> 12));
                out[at++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                out[at++] = (byte) (0x80 | (c & 0x3F));
            }
        }
        return at;
    }

    private static int skipAscii(byte[] data, int from, int end) {
        int at = from;
        while (at + 8 <= end && ((long) LONGS.get(data, at) & HIGH_BITS) == 0) {
            at += 8;
        }
        while (at < end && data[at] >= 0) {
            at++;
        }
        return at;
    }

    /** Returns the length of the well-formed sequence that begins with a byte above 0x7F, or 0 if it is malformed. */
    public static int sequenceLength(byte[] data, int at, int end) {
        int first = data[at] & 0xFF;
        if (first < 0xC2 || first > 0xF4) {
            return 0;
        }
        if (first < 0xE0) {
            return continues(data, at + 1, end, 0x80, 0xBF) ? 2 : 0;
        }
        if (first < 0xF0) {
            int low = first == 0xE0 ? 0xA0 : 0x80;
            int high = first == 0xED ? 0x9F : 0xBF;
            return continues(data, at + 1, end, low, high) && continues(data, at + 2, end, 0x80, 0xBF) ? 3 : 0;
        }
        int low = first == 0xF0 ? 0x90 : 0x80;
        int high = first == 0xF4 ? 0x8F : 0xBF;
        return continues(data, at + 1, end, low, high)
                        && continues(data, at + 2, end, 0x80, 0xBF)
                        && continues(data, at + 3, end, 0x80, 0xBF)
                ? 4
                : 0;
    }

    private static boolean continues(byte[] data, int at, int end, int low, int high) {
        return at < end && (data[at] & 0xFF) >= low && (data[at] & 0xFF) <= high;
    }
}
