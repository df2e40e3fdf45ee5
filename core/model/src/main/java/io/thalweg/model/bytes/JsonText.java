package io.thalweg.model.bytes;

/** Writes JSON values as bytes. */
public final class JsonText {
    /** Numbers up to here are exact in every JSON reader; greater ones are written as text. */
    public static final long EXACT_MAX = 1L << 53;

    private static final byte[] HEX = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private JsonText() {}

    /** Whether a text contains no half of a surrogate pair, which UTF-8 cannot represent. */
    public static boolean isUnicode(String text) {
        return text.codePoints()
                .noneMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    /** Writes a text in quotes. Lone surrogates, which UTF-8 cannot represent, are escaped. */
    public static void string(String text, Bytes out) {
        out.u8('"');
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            point(point, out);
        }
        out.u8('"');
    }

    /** Writes a group value: text, number (text above 2^53) or bool. */
    public static void value(Object value, Bytes out) {
        if (value instanceof Boolean) {
            out.ascii(value.toString());
        } else if (value instanceof Long number && Math.abs(number) <= EXACT_MAX && number != Long.MIN_VALUE) {
            out.ascii(value.toString());
        } else {
            string(value.toString(), out);
        }
    }

    /** Writes an H3 index: lower-case hex in quotes. */
    public static void cell(long cell, Bytes out) {
        out.u8('"');
        for (int shift = 60 - (Long.numberOfLeadingZeros(cell | 1) & ~3); shift >= 0; shift -= 4) {
            out.u8(HEX[(int) (cell >>> shift) & 0xF]);
        }
        out.u8('"');
    }

    private static void point(int point, Bytes out) {
        if (point == '"' || point == '\\') {
            out.u8('\\').u8(point);
        } else if (point < 0x20 || (point >= 0xD800 && point <= 0xDFFF)) {
            out.u8('\\').u8('u').u8(HEX[point >> 12]).u8(HEX[(point >> 8) & 0xF]);
            out.u8(HEX[(point >> 4) & 0xF]).u8(HEX[point & 0xF]);
        } else if (point < 0x80) {
            out.u8(point);
        } else if (point < 0x800) {
            out.u8(0xC0 | point >> 6).u8(0x80 | (point & 0x3F));
        } else if (point < 0x10000) {
            out.u8(0xE0 | point >> 12).u8(0x80 | ((point >> 6) & 0x3F)).u8(0x80 | (point & 0x3F));
        } else {
            out.u8(0xF0 | point >> 18).u8(0x80 | ((point >> 12) & 0x3F));
            out.u8(0x80 | ((point >> 6) & 0x3F)).u8(0x80 | (point & 0x3F));
        }
    }
}
