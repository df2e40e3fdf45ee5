package io.thalweg.records.json;

/**
 * Replaces the escapes of strings. An escaped surrogate without its other half becomes U+FFFD, and the
 * string is not Unicode.
 *
 * <p><b>Threads.</b> One. Allocates only to grow with the longest string.
 */
final class JsonEscapes {
    private static final int REPLACEMENT = 0xFFFD;
    private static final byte[] HEX = hexDigits();

    private byte[] buffer = new byte[256];
    private int length;
    private boolean isUnicode;

    /** Returns the length of the escape at a backslash, or 0 if it is malformed. */
    static int length(byte[] data, int at, int end) {
        if (end - at < 2) {
            return 0;
        }
        return switch (data[at + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> 2;
            case 'u' -> end - at >= 6 && unit(data, at + 2) >= 0 ? 6 : 0;
            default -> 0;
        };
    }

    /** The length of the last result of {@link #unescape}. */
    int length() {
        return length;
    }

    /** Whether the last result contains no half of a surrogate pair. */
    boolean isUnicode() {
        return isUnicode;
    }

    /**
     * Replaces the escapes in the contents of a string. They must be well-formed.
     *
     * @return a buffer that holds the result from index 0; valid until the next call
     */
    byte[] unescape(byte[] data, int from, int to) {
        if (buffer.length < to - from) {
            buffer = new byte[Math.max(to - from, buffer.length * 2)];
        }
        byte[] out = buffer;
        int size = 0;
        int i = from;
        isUnicode = true;
        while (i < to) {
            byte b = data[i++];
            if (b != '\\') {
                out[size++] = b;
                continue;
            }
            byte escape = data[i++];
            if (escape != 'u') {
                out[size++] = simple(escape);
                continue;
            }
            int point = unit(data, i);
            i += 4;
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                int low = point <= Character.MAX_HIGH_SURROGATE ? escapedLow(data, i, to) : 0;
                i += low == 0 ? 0 : 6;
                isUnicode &= low != 0;
                point = low == 0 ? REPLACEMENT : Character.toCodePoint((char) point, (char) low);
            }
            size = encode(point, out, size);
        }
        length = size;
        return out;
    }

    private static byte simple(byte escape) {
        return (byte)
                switch (escape) {
                    case 'b' -> '\b';
                    case 'f' -> '\f';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> escape;
                };
    }

    /** Returns the low surrogate that is escaped at a position, or 0. */
    private static int escapedLow(byte[] data, int at, int to) {
        if (to - at < 6 || data[at] != '\\' || data[at + 1] != 'u') {
            return 0;
        }
        int unit = unit(data, at + 2);
        return unit >= Character.MIN_LOW_SURROGATE && unit <= Character.MAX_LOW_SURROGATE ? unit : 0;
    }

    /** Returns the value of four hexadecimal digits, or a negative number. */
    private static int unit(byte[] data, int at) {
        int a = hex(data[at]);
        int b = hex(data[at + 1]);
        int c = hex(data[at + 2]);
        int d = hex(data[at + 3]);
        return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
    }

    /** Returns the value of a hexadecimal digit, or -1. */
    static int hex(byte digit) {
        return HEX[digit & 0xFF];
    }

    private static byte[] hexDigits() {
        byte[] values = new byte[256];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (i < 0x80 ? Character.digit(i, 16) : -1);
        }
        return values;
    }

    private static int encode(int point, byte[] out, int size) {
        int at = size;
        if (point < 0x80) {
            out[at++] = (byte) point;
        } else if (point < 0x800) {
            out[at++] = (byte) (0xC0 | point >> 6);
            out[at++] = (byte) (0x80 | (point & 0x3F));
        } else if (point < 0x10000) {
            out[at++] = (byte) (0xE0 | point >> 12);
            out[at++] = (byte) (0x80 | (point >> 6 & 0x3F));
            out[at++] = (byte) (0x80 | (point & 0x3F));
        } else {
            out[at++] = (byte) (0xF0 | point >> 18);
            out[at++] = (byte) (0x80 | (point >> 12 & 0x3F));
            out[at++] = (byte) (0x80 | (point >> 6 & 0x3F));
            out[at++] = (byte) (0x80 | (point & 0x3F));
        }
        return at;
    }
}
