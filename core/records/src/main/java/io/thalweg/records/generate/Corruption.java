package io.thalweg.records.generate;

import io.thalweg.records.schema.SchemaException;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the messages to damage, and of the kind of damage.
 *
 * <p>The share is exact in each block of 10,000 messages; the seed selects the messages within a block. {@link #kindOf}
 * identifies them, so that a test knows which messages must be refused.
 *
 * @param share of damaged messages, in steps of 0.0001
 * @param kinds of damage, equally frequent
 */
public record Corruption(double share, List<Kind> kinds) implements Serializable {
    public static final Corruption NONE = new Corruption(0, List.of(Kind.values()));

    private static final int BLOCK = 10_000;

    /** A kind of damage. */
    public enum Kind {
        /** The end is missing; at least one byte is left. */
        TRUNCATE,
        /** One byte has another value. The message may still be readable. */
        FLIP,
        /** The end is replaced by that of another message. The message may still be readable. */
        SPLICE,
        /** The message is JSON instead of a binary format, or random bytes instead of JSON. */
        WRONG_FORMAT,
        /** A length of 2<sup>31</sup> - 1, or 10,000 levels in JSON; truncated if the message has neither text nor bytes. */
        BOMB
    }

    public Corruption {
        kinds = List.copyOf(kinds);
        FieldOptions.checkShare("corrupt.share", share);
        if (kinds.isEmpty()) {
            throw new SchemaException("corrupt.kinds must not be empty; remove it for all kinds");
        }
    }

    /** Creates a corruption with all kinds of damage. */
    public static Corruption of(double share) {
        return new Corruption(share, List.of(Kind.values()));
    }

    /** Returns the damage of message {@code index}; null if it is not damaged. */
    public @Nullable Kind kindOf(long seed, long index) {
        long block = Math.floorDiv(index, BLOCK);
        long draw = SplitMix.hash(seed, block);
        long factor = (draw & 0xFFFF) * 10 + 1; // has no divisor in common with the block's size
        long place = (Math.floorMod(index, (long) BLOCK) * factor + (draw >>> 48)) % BLOCK;
        if (place >= Math.round(share * BLOCK)) {
            return null;
        }
        return kinds.get((int) ((SplitMix.hash(~seed, index) >>> 1) % kinds.size()));
    }
}
