package io.thalweg.devkit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A buffer for one event. It fits any event that {@link EventWriter} writes. */
final class JsonBuffer {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final byte[] bytes = new byte[2_048];
    private int length;

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    JsonBuffer clear() {
        length = 0;
        return this;
    }

    JsonBuffer raw(byte[] ascii) {
        System.arraycopy(ascii, 0, bytes, length, ascii.length);
        length += ascii.length;
        return this;
    }

    JsonBuffer number(long value) {
        if (value < 0) {
            bytes[length++] = '-';
        }
        return digits(Math.abs(value), 1);
    }

    /** Writes a number given in units of 10^-decimals. */
    JsonBuffer fixed(long value, int decimals, long scale) {
        if (value < 0) {
            bytes[length++] = '-';
        }
        long size = Math.abs(value);
        digits(size / scale, 1);
        bytes[length++] = '.';
        return digits(size % scale, decimals);
    }

    private JsonBuffer digits(long value, int least) {
        int count = least;
        for (long rest = value / pow10(least); rest > 0; rest /= 10) {
            count++;
        }
        long rest = value;
        for (int i = length + count - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += count;
        return this;
    }

    private static long pow10(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** Writes a random UUID (version 4, variant 2) of these bits as 36 characters. */
    JsonBuffer uuid(long high, long low) {
        long versioned = (high & ~0xF000L) | 0x4000L;
        long variant = (low & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        hex(versioned >>> 32, 8);
        bytes[length++] = '-';
        hex(versioned >>> 16, 4);
        bytes[length++] = '-';
        hex(versioned, 4);
        bytes[length++] = '-';
        hex(variant >>> 48, 4);
        bytes[length++] = '-';
        return hex(variant, 12);
    }

    JsonBuffer hex(long value, int digits) {
        for (int i = digits - 1; i >= 0; i--) {
            bytes[length++] = HEX[(int) (value >>> (4 * i)) & 15];
        }
        return this;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }
}
