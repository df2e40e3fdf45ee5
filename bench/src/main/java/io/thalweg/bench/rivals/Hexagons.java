package io.thalweg.bench.rivals;

import com.uber.h3core.H3Core;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Hexagons by plain H3, for rivals and for recounts, without any of Thalweg's own arithmetic. Safe to share. */
public final class Hexagons {
    static final int RESOLUTION = 9;
    static final int[] RINGS = {0, 1, 2, 3, 4, 5, 10, 15, 20};
    static final int[] WINDOWS = {1, 2, 4, 8, 16, 32};
    static final int FEATURES = RINGS.length * WINDOWS.length;
    static final int LARGEST_RING = 20;

    /** The library. */
    public static final H3Core H3 = h3();

    private Hexagons() {}

    private static H3Core h3() {
        try {
            return H3Core.newInstance();
        } catch (IOException e) {
            throw new UncheckedIOException("H3's native library cannot be loaded", e);
        }
    }

    static long cell(double lat, double lng) {
        return H3.latLngToCell(lat, lng, RESOLUTION);
    }

    /** Returns the index in {@link #RINGS} of the smallest ring that reaches a distance. */
    static int ring(int distance) {
        int found = Arrays.binarySearch(RINGS, distance);
        return found < 0 ? -found - 1 : found;
    }

    /** Converts a sum to a feature; over regular disks, because the rivals' cities are far from pentagons. */
    static double feature(long sum, int ring, int window) {
        int radius = RINGS[ring];
        return sum / (double) ((1 + 3L * radius * (radius + 1)) * WINDOWS[window]);
    }

    /** A row as the rivals write it: window end, cell, product as text, then all features as doubles. */
    public record RivalRow(long windowEndMs, long cell, String product, double[] features) {
        private static final int PRODUCT_BYTES = 36;

        /** Encodes a row of sums, rings outer and windows inner. */
        static byte[] bytes(long windowEndMs, long cell, String product, long[] sums) {
            ByteBuffer out = ByteBuffer.allocate(16 + PRODUCT_BYTES + 8 * sums.length);
            out.putLong(windowEndMs).putLong(cell).put(product.getBytes(StandardCharsets.US_ASCII));
            int windows = Hexagons.WINDOWS.length;
            for (int i = 0; i < sums.length; i++) {
                out.putDouble(Hexagons.feature(sums[i], i / windows, i % windows));
            }
            return out.array();
        }

        /** Parses a row of {@link #bytes}. */
        public static RivalRow parse(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            long windowEndMs = in.getLong();
            long cell = in.getLong();
            byte[] product = new byte[PRODUCT_BYTES];
            in.get(product);
            double[] features = new double[in.remaining() / 8];
            in.asDoubleBuffer().get(features);
            return new RivalRow(windowEndMs, cell, new String(product, StandardCharsets.US_ASCII), features);
        }
    }
}
