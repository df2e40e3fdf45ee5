package io.thalweg.records.avro;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;

/** Ways in which a message is damaged. */
final class Mutations {
    private Mutations() {}

    /**
     * Damages a message once or a few times.
     *
     * @param other a message to take parts from
     */
    static byte[] mutate(byte[] message, byte[] other, Random random) {
        byte[] mutated = message;
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times; i++) {
            mutated = once(mutated, other, random);
        }
        return mutated;
    }

    private static byte[] once(byte[] message, byte[] other, Random random) {
        int at = random.nextInt(message.length + 1);
        int to = at + random.nextInt(message.length - at + 1);
        return switch (random.nextInt(7)) {
            case 0 -> Arrays.copyOf(message, at);
            case 1 -> flipped(message, random);
            case 2 -> joined(message, at, Arrays.copyOf(other, random.nextInt(other.length + 1)), to);
            case 3 ->
                joined(message, at, new AvroBytes().number(edge(random)).toBytes(), Math.min(at + 1, message.length));
            case 4 -> joined(message, at, new byte[0], to);
            case 5 -> joined(message, at, Arrays.copyOfRange(message, at, to), at);
            default -> joined(message, at, filled(random), Math.min(at + 4, message.length));
        };
    }

    /** Lengths and counts that are just wrong, negative, or huge. */
    private static long edge(Random random) {
        long magnitude = 1L << random.nextInt(64);
        return (random.nextBoolean() ? magnitude : -magnitude) + random.nextInt(3) - 1;
    }

    private static byte[] flipped(byte[] message, Random random) {
        byte[] flipped = message.clone();
        if (flipped.length > 0) {
            flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return flipped;
    }

    private static byte[] filled(Random random) {
        byte[] bytes = new byte[random.nextInt(30)];
        Arrays.fill(bytes, (byte) (random.nextBoolean() ? -1 : random.nextInt(256)));
        return bytes;
    }

    private static byte[] joined(byte[] message, int at, byte[] middle, int to) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(message, 0, at);
        out.writeBytes(middle);
        out.write(message, to, message.length - to);
        return out.toByteArray();
    }
}
