package io.thalweg.records.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes values as JSON text without creating objects. */
final class JsonLiterals {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final byte[] BASE64 = ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

    private static final byte[] PAIRS = pairs();
    private static final byte[] HEX_PAIRS = hexPairs();
    private static final long[] TENS = tens();

    private JsonLiterals() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] pairs() {
        byte[] pairs = new byte[200];
        for (int i = 0; i < 100; i++) {
            pairs[2 * i] = (byte) ('0' + i / 10);
            pairs[2 * i + 1] = (byte) ('0' + i % 10);
        }
        return pairs;
    }

    private static byte[] hexPairs() {
        byte[] pairs = new byte[512];
        for (int i = 0; i < 256; i++) {
            pairs[2 * i] = HEX[i >> 4];
            pairs[2 * i + 1] = HEX[i & 15];
        }
        return pairs;
    }

    private static long[] tens() {
        long[] tens = new long[19];
        tens[0] = 1;
        for (int i = 1; i < tens.length; i++) {
            tens[i] = tens[i - 1] * 10;
        }
        return tens;
    }

    static void integer(GrowingBytes out, long value) {
        out.reserve(20);
        if (value >= 0) {
            digits(out, value);
        } else if (value == Long.MIN_VALUE) {
            out.bytes(ascii("-9223372036854775808"));
        } else {
            out.put('-');
            digits(out, -value);
        }
    }

    private static void digits(GrowingBytes out, long value) {
        int size = decimalDigits(value);
        padded(out, value, size);
    }

    private static int decimalDigits(long value) {
        int guess = ((64 - Long.numberOfLeadingZeros(value | 1)) * 1233) >>> 12; // bits times log10(2)
        return value >= TENS[guess] ? guess + 1 : Math.max(1, guess);
    }

    /** Writes the last {@code size} digits, with leading zeros. */
    static void padded(GrowingBytes out, long value, int size) {
        out.reserve(size);
        byte[] to = out.data;
        int first = out.at;
        int at = first + size;
        long rest = value;
        while (at - first >= 2) {
            long next = rest / 100;
            int pair = (int) (rest - next * 100) * 2;
            to[--at] = PAIRS[pair + 1];
            to[--at] = PAIRS[pair];
            rest = next;
        }
        if (at > first) {
            to[first] = (byte) ('0' + rest % 10);
        }
        out.at = first + size;
    }

    /** Writes text in quotes. */
    static void text(GrowingBytes out, byte[] data, int from, int length) {
        out.reserve(length + 2);
        out.put('"');
        int end = from + length;
        int plain = plainUntil(data, from, end);
        out.bytes(data, from, plain - from);
        if (plain < end) {
            escaped(out, data, plain, end);
        }
        out.put('"');
    }

    /** Returns the index of the first character that must be escaped. */
    private static int plainUntil(byte[] data, int from, int end) {
        int at = from;
        while (at + 8 <= end && !hasSpecial((long) LONGS.get(data, at))) {
            at += 8;
        }
        while (at < end && !isSpecial(data[at])) {
            at++;
        }
        return at;
    }

    private static boolean hasSpecial(long word) {
        long quote = word ^ ONES * '"';
        long slash = word ^ ONES * '\\';
        long control = word - ONES * 0x20;
        return ((((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) | (control & ~word)) & HIGH_BITS) != 0;
    }

    private static boolean isSpecial(byte b) {
        return b == '"' || b == '\\' || (b >= 0 && b < 0x20);
    }

    private static void escaped(GrowingBytes out, byte[] data, int from, int end) {
        for (int at = from; at < end; at++) {
            byte b = data[at];
            if (!isSpecial(b)) {
                out.put(b);
                continue;
            }
            out.put('\\');
            switch (b) {
                case '"', '\\' -> out.put(b);
                case '\n' -> out.put('n');
                case '\r' -> out.put('r');
                case '\t' -> out.put('t');
                default -> {
                    out.put('u');
                    out.put('0');
                    out.put('0');
                    out.put(HEX[b >> 4]);
                    out.put(HEX[b & 15]);
                }
            }
        }
    }

    /** Writes bytes as base64 with padding, in quotes. */
    static void base64(GrowingBytes out, byte[] data, int from, int length) {
        out.reserve((length + 2) / 3 * 4 + 2);
        out.put('"');
        int end = from + length;
        int at = from;
        for (; at + 3 <= end; at += 3) {
            int bits = (data[at] & 0xFF) << 16 | (data[at + 1] & 0xFF) << 8 | (data[at + 2] & 0xFF);
            quad(out, bits, 4);
        }
        if (at + 1 == end) {
            quad(out, (data[at] & 0xFF) << 16, 2);
        } else if (at + 2 == end) {
            quad(out, (data[at] & 0xFF) << 16 | (data[at + 1] & 0xFF) << 8, 3);
        }
        out.put('"');
    }

    private static void quad(GrowingBytes out, int bits, int known) {
        for (int i = 0; i < 4; i++) {
            out.put(i < known ? BASE64[(bits >> (18 - 6 * i)) & 63] : '=');
        }
    }

    /** Writes the 36 characters of a UUID into an array. */
    static void uuid(byte[] data, int from, byte[] to, int start) {
        int at = start;
        for (int i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                to[at++] = '-';
            }
            int pair = (data[from + i] & 0xFF) * 2;
            to[at++] = HEX_PAIRS[pair];
            to[at++] = HEX_PAIRS[pair + 1];
        }
    }
}
