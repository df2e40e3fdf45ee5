package io.thalweg.pipelinetest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The kind by which dead letters are counted.
 *
 * @param stage the stage of an ingest; empty for views, which have only one stage
 */
record DeadLetterKind(String stage, String reason) implements Comparable<DeadLetterKind> {
    private static final Comparator<DeadLetterKind> ORDER =
            Comparator.comparing(DeadLetterKind::stage).thenComparing(DeadLetterKind::reason);

    @Override
    public int compareTo(DeadLetterKind other) {
        return ORDER.compare(this, other);
    }

    /** For people. */
    String text() {
        return "dead letters with " + (stage.isEmpty() ? "" : "stage " + stage + " and ") + "reason " + reason;
    }

    /** The kind with a count, as a test lists it. */
    String yaml(long count) {
        return "{%sreason: %s, count: %d}".formatted(stage.isEmpty() ? "" : "stage: " + stage + ", ", reason, count);
    }

    /** Returns all kinds with their counts, as a test lists them. */
    static String yaml(Map<DeadLetterKind, Long> letters) {
        return letters.entrySet().stream()
                .map(letter -> letter.getKey().yaml(letter.getValue()))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns how letters differ from the expected ones, in lines; empty if they do not. */
    static List<String> differences(Map<DeadLetterKind, Long> expected, Map<DeadLetterKind, Long> came) {
        TreeSet<DeadLetterKind> kinds = new TreeSet<>(expected.keySet());
        kinds.addAll(came.keySet());
        List<String> lines = new ArrayList<>();
        for (DeadLetterKind kind : kinds) {
            long wanted = expected.getOrDefault(kind, 0L);
            long was = came.getOrDefault(kind, 0L);
            if (wanted != was) {
                lines.add("%s: expected %d, was %d".formatted(kind.text(), wanted, was));
            }
        }
        return lines;
    }
}
