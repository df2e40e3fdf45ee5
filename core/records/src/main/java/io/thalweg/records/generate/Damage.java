package io.thalweg.records.generate;

import io.thalweg.records.generate.Corruption.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A damaged copy of a message. */
final class Damage {
    private static final byte[] JSON =
            "{\"this\":\"is not the format\",\"of\":[\"the\",\"topic\"]}".getBytes(StandardCharsets.US_ASCII);

    private static final int BINARY_LENGTH = 64;

    private final SplitMix random = new SplitMix(0);
    private byte[] tail = new byte[1024];
    private int tailLength;
    private byte[] data = new byte[1024];
    private int length;

    byte[] data() {
        return data;
    }

    int length() {
        return length;
    }

    /** Keeps the end of a message for the next splice. */
    void keepTail(byte[] message, int from, int to) {
        tailLength = to - from;
        tail = withRoom(tail, tailLength);
        System.arraycopy(message, from, tail, 0, tailLength);
    }

    /** Copies a message and damages the copy at a place that {@code seed} selects. The writer makes the bombs. */
    void make(Kind kind, byte[] message, int from, int to, long seed) {
        random.reseed(seed);
        length = to - from;
        data = withRoom(data, Math.max(JSON.length, BINARY_LENGTH) + length + tailLength);
        System.arraycopy(message, from, data, 0, length);
        if (length < 2) {
            replace();
            return;
        }
        switch (kind) {
            case FLIP -> data[random.nextInt(length)] ^= (byte) (1 + random.nextInt(255));
            case SPLICE -> splice();
            case WRONG_FORMAT -> replace();
            default -> length = 1 + random.nextInt(length - 1);
        }
    }

    private void splice() {
        int kept = 1 + random.nextInt(length - 1);
        int start = random.nextInt(Math.max(1, tailLength));
        System.arraycopy(tail, start, data, kept, tailLength - start);
        length = kept + tailLength - start;
    }

    private void replace() {
        if (length == 0 || data[0] != '{') {
            System.arraycopy(JSON, 0, data, 0, JSON.length);
            length = JSON.length;
            return;
        }
        for (int i = 0; i < BINARY_LENGTH; i++) {
            data[i] = (byte) (random.nextLong() >>> 56);
        }
        data[0] |= (byte) 0x80; // no JSON starts with this byte
        length = BINARY_LENGTH;
    }

    private static byte[] withRoom(byte[] array, int size) {
        return array.length >= size ? array : Arrays.copyOf(array, 2 * size);
    }
}
