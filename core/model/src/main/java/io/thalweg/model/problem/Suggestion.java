package io.thalweg.model.problem;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Suggests the name that was probably meant. */
public final class Suggestion {
    /** Longer words are not compared: it takes time, and no name is that long. */
    private static final int LONGEST = 200;

    /** Names in other systems for what is called something else here. */
    private static final Map<String, String> SYNONYMS = Map.of(
            "avg", "mean",
            "average", "mean",
            "distinct", "count_distinct",
            "unique", "count_distinct",
            "nunique", "count_distinct",
            "approx_count_distinct", "count_distinct",
            "minimum", "min",
            "maximum", "max",
            "total", "sum");

    private Suggestion() {}

    /**
     * Returns the name with the fewest edits to {@code word}, if these are at most two or a third of its length; a synonym first.
     */
    public static Optional<String> to(String word, Collection<String> names) {
        String synonym = SYNONYMS.get(word);
        if (synonym != null && names.contains(synonym)) {
            return Optional.of(synonym);
        }
        if (word.length() > LONGEST) {
            return Optional.empty();
        }
        int most = Math.max(2, word.length() / 3);
        return names.stream()
                .filter(name -> Math.abs(name.length() - word.length()) <= most)
                .filter(name -> edits(word, name) <= Math.min(most, name.length() - 1))
                .min(Comparator.<String>comparingInt(name -> edits(word, name)).thenComparing(name -> name));
    }

    /** Returns {@code did you mean 'rings'?}, or all names if none is similar. */
    public static String hint(String word, Collection<String> names) {
        return to(word, names)
                .map(name -> "did you mean '" + name + "'?")
                .orElseGet(
                        () -> names.isEmpty() ? "there are none" : "known: " + String.join(", ", new TreeSet<>(names)));
    }

    /** Returns the Levenshtein distance, computed with two rows. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = corner + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                corner = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
