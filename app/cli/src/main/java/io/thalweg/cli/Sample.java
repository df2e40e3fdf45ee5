package io.thalweg.cli;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.Map;

/** The outcomes of the events of a sample: counts that add up, and the first bad event of each kind. */
final class Sample {
    private static final int MAX_DETAIL = 200;

    private final String unit;
    private final Map<EventOutcome, Long> outcomes = new EnumMap<>(EventOutcome.class);
    private final Map<BadReason, Long> reasons = new EnumMap<>(BadReason.class);
    private final Map<BadReason, DeadLetter> examples = new EnumMap<>(BadReason.class);

    /**
     * Creates an empty sample.
     *
     * @param unit the unit of its events' offsets: line, byte or block
     */
    Sample(String unit) {
        this.unit = unit;
    }

    void add(EventVerdict verdict) {
        outcomes.merge(verdict.outcome(), 1L, Long::sum);
        DeadLetter letter = verdict.deadLetter();
        if (letter != null) {
            reasons.merge(letter.reason(), 1L, Long::sum);
            examples.putIfAbsent(letter.reason(), letter);
        }
    }

    private long count(EventOutcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }

    /** The number of events so far. */
    long events() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Whether there are events, and every one is bad. */
    boolean isAllBad() {
        return events() > 0 && count(EventOutcome.BAD) == events();
    }

    void print(PrintWriter out) {
        out.printf(
                "  events %d = accepted %d + skipped %d + bad %d + late %d%n",
                events(),
                count(EventOutcome.ACCEPTED),
                count(EventOutcome.SKIPPED),
                count(EventOutcome.BAD),
                count(EventOutcome.LATE));
        reasons.forEach((reason, count) -> {
            DeadLetter first = examples.get(reason);
            out.printf("  %s %d%s%n", reason.text(), count, first == null ? "" : ", first in " + place(first));
        });
        if (events() > 0 && count(EventOutcome.ACCEPTED) == 0) {
            out.println("  no event is kept: compare where: and the fields of the view with the events");
        }
    }

    private String place(DeadLetter letter) {
        String detail = letter.detail();
        String cut = detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) + "…" : detail;
        return unit + " " + letter.offset() + ": " + cut;
    }
}
