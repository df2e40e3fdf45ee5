package io.thalweg.records.avro;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Builds messages by hand, including invalid ones. */
final class AvroBytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Adds a variable-length number: an int, a long, a length, a count or an index. */
    AvroBytes number(long value) {
        long bits = (value << 1) ^ (value >> 63);
        while ((bits & ~0x7FL) != 0) {
            out.write((int) (bits & 0x7F) | 0x80);
            bits >>>= 7;
        }
        out.write((int) bits);
        return this;
    }

    AvroBytes raw(int... bytes) {
        for (int value : bytes) {
            out.write(value);
        }
        return this;
    }

    AvroBytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** Adds a length and the bytes. */
    AvroBytes bytes(int... bytes) {
        return number(bytes.length).raw(bytes);
    }

    AvroBytes text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return number(bytes.length).raw(bytes);
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
