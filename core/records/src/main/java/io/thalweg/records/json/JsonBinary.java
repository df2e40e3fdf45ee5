package io.thalweg.records.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes bytes from text: base64 as RFC 4648 defines it, with padding and without line breaks, and UUIDs.
 *
 * <p><b>Threads.</b> One. Allocates only to grow with the longest value.
 */
final class JsonBinary {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final byte[] VALUES = values();
    private static final int UUID_LENGTH = 36;
    static final int UUID_BYTES = 16;

    /** The bytes decoded last, from index 0. */
    byte[] bytes = new byte[256];

    private static byte[] values() {
        byte[] values = new byte[256];
        Arrays.fill(values, (byte) -1);
        byte[] alphabet = ALPHABET.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < alphabet.length; i++) {
            values[alphabet[i]] = (byte) i;
        }
        return values;
    }

    /** Decodes base64; returns the number of bytes, or -1 if it is malformed. */
    int base64(byte[] text, int from, int length) {
        if (length % 4 != 0) {
            return -1;
        }
        if (length == 0) {
            return 0;
        }
        int size = length / 4 * 3;
        if (bytes.length < size) {
            bytes = new byte[Math.max(size, bytes.length * 2)];
        }
        int last = from + length - 4;
        int out = 0;
        for (int i = from; i < last; i += 4) {
            int group = value(text[i]) << 18 | value(text[i + 1]) << 12 | value(text[i + 2]) << 6 | value(text[i + 3]);
            if (group < 0) {
                return -1;
            }
            bytes[out++] = (byte) (group >> 16);
            bytes[out++] = (byte) (group >> 8);
            bytes[out++] = (byte) group;
        }
        return lastGroup(text, last, out);
    }

    private int lastGroup(byte[] text, int at, int out) {
        int padding = text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
        int third = padding == 2 ? 0 : value(text[at + 2]);
        int fourth = padding > 0 ? 0 : value(text[at + 3]);
        int group = value(text[at]) << 18 | value(text[at + 1]) << 12 | third << 6 | fourth;
        int unused = padding == 0 ? 0 : padding == 1 ? 0xFF : 0xFFFF;
        if (group < 0 || (group & unused) != 0) {
            return -1;
        }
        int size = out;
        for (int shift = 16; shift >= 8 * padding; shift -= 8) {
            bytes[size++] = (byte) (group >> shift);
        }
        return size;
    }

    private static int value(byte letter) {
        return VALUES[letter & 0xFF];
    }

    /** Decodes a UUID such as {@code 6f1c2f5e-8a3b-4c47-9d0e-1b2a3c4d5e6f}; returns false if the text is not one. */
    boolean uuid(byte[] text, int from, int length) {
        if (length != UUID_LENGTH) {
            return false;
        }
        int at = from;
        int invalid = 0;
        for (int i = 0; i < UUID_BYTES; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                invalid |= text[at++] == '-' ? 0 : -1;
            }
            int value = JsonEscapes.hex(text[at]) << 4 | JsonEscapes.hex(text[at + 1]);
            invalid |= value;
            bytes[i] = (byte) value;
            at += 2;
        }
        return invalid >= 0;
    }
}
