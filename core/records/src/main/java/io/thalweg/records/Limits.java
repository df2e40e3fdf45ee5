package io.thalweg.records;

import java.io.Serializable;

/**
 * Bounds on the cost of one message. They are checked before memory is allocated.
 *
 * @param message bytes of a message as it arrives, at least 1
 * @param inflated bytes of a decompressed envelope, at least 1
 * @param ratio decompressed bytes per compressed byte, at least 1
 * @param depth levels of nesting in a message, at least 1
 */
public record Limits(int message, int inflated, int ratio, int depth) implements Serializable {
    public static final Limits DEFAULT = new Limits(1 << 20, 16 << 20, 100, 64);

    public Limits {
        if (message < 1 || inflated < 1 || ratio < 1 || depth < 1) {
            throw new IllegalArgumentException(
                    "limits must be at least 1, were message=%d inflated=%d ratio=%d depth=%d"
                            .formatted(message, inflated, ratio, depth));
        }
    }
}
