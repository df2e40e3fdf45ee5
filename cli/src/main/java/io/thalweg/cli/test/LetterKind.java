package io.thalweg.cli.test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What dead letters are counted by.
 *
 * @param stage of an ingest; empty for views, which have one
 */
record LetterKind(String stage, String reason) implements Comparable<LetterKind> {
    private static final Comparator<LetterKind> ORDER =
            Comparator.comparing(LetterKind::stage).thenComparing(LetterKind::reason);

    @Override
    public int compareTo(LetterKind other) {
        return ORDER.compare(this, other);
    }

    /** For people. */
    String text() {
        return "dead letters with " + (stage.isEmpty() ? "" : "stage " + stage + " and ") + "reason " + reason;
    }

    /** As in a test, with a number. */
    String yaml(long count) {
        return "{%sreason: %s, count: %d}".formatted(stage.isEmpty() ? "" : "stage: " + stage + ", ", reason, count);
    }

    /** All kinds, as a list of a test. */
    static String yaml(Map<LetterKind, Long> letters) {
        return letters.entrySet().stream()
                .map(letter -> letter.getKey().yaml(letter.getValue()))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** How letters differ from those that are expected, in lines; empty if they do not. */
    static List<String> differences(Map<LetterKind, Long> expected, Map<LetterKind, Long> came) {
        TreeSet<LetterKind> kinds = new TreeSet<>(expected.keySet());
        kinds.addAll(came.keySet());
        List<String> lines = new ArrayList<>();
        for (LetterKind kind : kinds) {
            long wanted = expected.getOrDefault(kind, 0L);
            long was = came.getOrDefault(kind, 0L);
            if (wanted != was) {
                lines.add("%s: expected %d, was %d".formatted(kind.text(), wanted, was));
            }
        }
        return lines;
    }
}
