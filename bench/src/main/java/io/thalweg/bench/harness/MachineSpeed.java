package io.thalweg.bench.harness;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The present speed of the machine: shared virtual machines of one kind differ by a factor of two and more from day to day, and
 * so do all absolute figures. It is measured with a loop that no benchmark contains, so it does not change with the measured
 * code.
 *
 * @param alone nanoseconds of a step in one thread
 * @param together the same with a thread on each processor at once
 */
public record MachineSpeed(double alone, double together) {
    private static final int BYTES = 1 << 20;
    private static final int ROUNDS = 7;

    /** Measures the speed, in about a second. */
    public static MachineSpeed measure() {
        Loop loop = new Loop();
        loop.median(); // compiles it
        double alone = loop.median();
        double together = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .parallel()
                .mapToDouble(processor -> new Loop().median())
                .average()
                .orElseThrow();
        return new MachineSpeed(round(alone), round(together));
    }

    private static double round(double ns) {
        return Math.rint(ns * 100) / 100;
    }

    /** Like a decoder, a step reads a byte, looks something up by it, and depends on the step before. */
    private static final class Loop {
        private final byte[] bytes = new byte[BYTES];
        private final int[] table = new int[256];
        private int state = 1;

        Loop() {
            for (int i = 0; i < table.length; i++) {
                table[i] = i * 0x9E3779B9;
            }
            for (int i = 0; i < BYTES; i++) {
                bytes[i] = (byte) (i * 31 ^ i >>> 8);
            }
        }

        /** Nanoseconds of a step. */
        double median() {
            double[] rounds = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                long start = System.nanoTime();
                for (int pass = 0; pass < 16; pass++) {
                    run();
                }
                rounds[round] = (System.nanoTime() - start) / (16.0 * BYTES);
            }
            Arrays.sort(rounds);
            return rounds[ROUNDS / 2];
        }

        private void run() {
            int hash = state;
            for (byte each : bytes) {
                hash = (hash ^ table[(hash ^ each) & 0xFF]) * 31 + each;
            }
            state = hash;
        }
    }
}
