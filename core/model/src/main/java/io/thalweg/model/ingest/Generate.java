package io.thalweg.model.ingest;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How {@code thalweg generate} generates messages of an ingest.
 *
 * @param size bytes of a message; null = not fixed
 * @param nulls share of missing values of each optional field
 * @param collections elements of lists and entries of maps
 * @param fields by path
 * @param corruptShare share of damaged messages
 * @param corruptKinds kinds of damage, equally frequent
 */
public record Generate(
        @Nullable Range size,
        double nulls,
        Range collections,
        Map<String, Values> fields,
        double corruptShare,
        List<Damage> corruptKinds)
        implements Serializable {
    /** The settings of a definition that specifies none. */
    public static final Generate DEFAULT =
            new Generate(null, 0.05, new Range(0, 5), Map.of(), 0, List.of(Damage.values()));

    public Generate {
        fields = Map.copyOf(fields);
        corruptKinds = List.copyOf(corruptKinds);
    }

    /** Whole numbers from {@code min} to {@code max}. */
    public record Range(int min, int max) implements Serializable {}

    /**
     * How the values of a field are drawn.
     *
     * @param distinct number of distinct values; 0 = any
     * @param zipf exponent of their frequencies; 0 = equal
     * @param values to choose from; empty = any
     * @param from the smallest, as text; null = any
     * @param to the largest, as text; null = any
     * @param length bytes of texts; null = any
     * @param now whether the value is the time of generation
     * @param nulls share of missing values; null = that of the message
     */
    public record Values(
            long distinct,
            double zipf,
            List<String> values,
            @Nullable String from,
            @Nullable String to,
            @Nullable Range length,
            boolean now,
            @Nullable Double nulls)
            implements Serializable {
        /** Any value of the field's type. */
        public static final Values ANY = new Values(0, 0, List.of(), null, null, null, false, null);

        /** The time of generation. */
        public static final Values NOW = new Values(0, 0, List.of(), null, null, null, true, null);

        public Values {
            values = List.copyOf(values);
        }
    }

    /** Kinds of damage. */
    public enum Damage {
        /** The end is missing. */
        TRUNCATE,
        /** One byte has another value. */
        FLIP,
        /** The end is that of another message. */
        SPLICE,
        /** The message is of another format. */
        WRONG_FORMAT,
        /** A length of 2<sup>31</sup> - 1. */
        BOMB;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
