package io.thalweg.tables;

import io.thalweg.formats.Decimals;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lists of numbers: 8 bytes each, big-endian. */
final class DoubleLists {
    private DoubleLists() {}

    /** Parses a list such as {@code [0.5, 1e-3]} or {@code []}; returns null if the text is not a list. */
    static byte @Nullable [] parsed(String text) {
        String list = text.strip();
        if (list.length() < 2 || !list.startsWith("[") || !list.endsWith("]")) {
            return null;
        }
        String inner = list.substring(1, list.length() - 1);
        if (inner.isBlank()) {
            return new byte[0];
        }
        String[] elements = inner.split(",", -1);
        ByteBuffer parsed = ByteBuffer.allocate(elements.length * Double.BYTES);
        for (String element : elements) {
            byte[] number = element.strip().getBytes(StandardCharsets.UTF_8);
            if (!Decimals.isNumber(number, 0, number.length)) {
                return null;
            }
            parsed.putDouble(Decimals.parseDouble(number, 0, number.length));
        }
        return parsed.array();
    }

    static boolean isFinite(byte[] list) {
        ByteBuffer doubles = ByteBuffer.wrap(list);
        while (doubles.hasRemaining()) {
            if (!Double.isFinite(doubles.getDouble())) {
                return false;
            }
        }
        return true;
    }
}
