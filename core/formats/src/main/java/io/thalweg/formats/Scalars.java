package io.thalweg.formats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Parses typed scalars from text in bytes. */
public final class Scalars {
    private static final int UUID_CHARS = 36;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Scalars() {}

    public static boolean isText(byte[] data, int offset, int length, String ascii) {
        if (length != ascii.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (data[offset + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the text is 8-4-4-4-12 hex digits, in any case. */
    public static boolean isUuid(byte[] data, int offset, int length) {
        if (length != UUID_CHARS
                || data[offset + 8] != '-'
                || data[offset + 13] != '-'
                || data[offset + 18] != '-'
                || data[offset + 23] != '-') {
            return false;
        }
        long hex = hexDigits(word(data, offset))
                & hexDigits(fours(data, offset + 9, offset + 14))
                & hexDigits(fours(data, offset + 19, offset + 24))
                & hexDigits(word(data, offset + 28));
        return hex == HIGH_BITS;
    }

    /** Returns the first 64 bits of a text for which {@link #isUuid} holds. */
    public static long uuidHi(byte[] data, int offset) {
        return eightHex(word(data, offset)) << 32 | eightHex(fours(data, offset + 9, offset + 14));
    }

    /** Returns the last 64 bits of a text for which {@link #isUuid} holds. */
    public static long uuidLo(byte[] data, int offset) {
        return eightHex(fours(data, offset + 19, offset + 24)) << 32 | eightHex(word(data, offset + 28));
    }

    // Eight characters at once, the first in the lowest byte.

    private static long word(byte[] data, int offset) {
        return (long) LONGS.get(data, offset);
    }

    private static long fours(byte[] data, int first, int second) {
        return (word(data, first) & 0xFFFFFFFFL) | word(data, second) << 32;
    }

    /** Returns the high bit of each character that is a hex digit. */
    private static long hexDigits(long word) {
        // Without a high bit no sum below carries over. A decimal digit becomes at most 9; a letter becomes 1 to 6.
        long ascii = word & ~HIGH_BITS;
        long beyondNine = (ascii ^ ('0' * ONES)) + (0x80 - 10) * ONES;
        return (~beyondNine | letters(ascii)) & ~word & HIGH_BITS;
    }

    /** Returns the high bit of each of {@code A-F a-f} among ASCII. */
    private static long letters(long ascii) {
        long alphabetic = (ascii | 0x20 * ONES) ^ 0x60 * ONES;
        return (alphabetic + (0x80 - 1) * ONES) & ~(alphabetic + (0x80 - 7) * ONES) & HIGH_BITS;
    }

    private static long eightHex(long word) {
        long nibbles = (word & 0x0F * ONES) + 9 * (letters(word) >>> 7);
        long bytes = (nibbles << 4 | nibbles >>> 8) & 0x00FF00FF00FF00FFL;
        long fours = (bytes << 8 | bytes >>> 16) & 0x0000FFFF0000FFFFL;
        return (fours << 16 | fours >>> 32) & 0xFFFFFFFFL;
    }

    /** Whether the text is 1 to 16 hex digits, in any case. */
    public static boolean isHex(byte[] data, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (hexDigit(data[offset + i]) < 0) {
                return false;
            }
        }
        return length >= 1 && length <= 16;
    }

    public static long hex(byte[] data, int offset, int length) {
        long value = 0;
        for (int i = 0; i < length; i++) {
            value = (value << 4) | hexDigit(data[offset + i]);
        }
        return value;
    }

    private static int hexDigit(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int lower = b | 0x20;
        return b > 0 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
