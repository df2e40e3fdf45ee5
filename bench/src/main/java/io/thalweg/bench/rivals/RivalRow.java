package io.thalweg.bench.rivals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

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
