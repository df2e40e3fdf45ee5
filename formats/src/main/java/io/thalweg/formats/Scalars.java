package io.thalweg.formats;

/** Typed scalars as they stand in bytes. */
final class Scalars {
    private static final int UUID_CHARS = 36;

    private Scalars() {}

    static boolean isText(byte[] data, int offset, int length, String ascii) {
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
    static boolean isUuid(byte[] data, int offset, int length) {
        if (length != UUID_CHARS) {
            return false;
        }
        for (int i = 0; i < UUID_CHARS; i++) {
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? data[offset + i] != '-' : hexDigit(data[offset + i]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The first 64 bits of a text for which {@link #isUuid} holds. */
    static long uuidHi(byte[] data, int offset) {
        return (hex(data, offset, 8) << 32) | (hex(data, offset + 9, 4) << 16) | hex(data, offset + 14, 4);
    }

    /** The last 64 bits of a text for which {@link #isUuid} holds. */
    static long uuidLo(byte[] data, int offset) {
        return (hex(data, offset + 19, 4) << 48) | hex(data, offset + 24, 12);
    }

    /** Whether the text is 1 to 16 hex digits, in any case. */
    static boolean isHex(byte[] data, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (hexDigit(data[offset + i]) < 0) {
                return false;
            }
        }
        return length >= 1 && length <= 16;
    }

    static long hex(byte[] data, int offset, int length) {
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
