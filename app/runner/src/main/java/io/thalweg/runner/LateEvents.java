package io.thalweg.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Finds views whose events are mostly late, minute by minute: their watermark is ahead of what their producers send, and their rows
 * miss it.
 *
 * <p><b>Threads.</b> One thread looks; any may read {@link #trouble}.
 */
final class LateEvents {
    private static final Duration EVERY = Duration.ofMinutes(1);

    /** What a job has counted for a view since its start. */
    record Counts(long late, long events, long watermarkMs) {}

    private final List<String> views;
    private final LongSupplier nanoTime;
    private final Map<String, Counts> before = new LinkedHashMap<>();
    private long lookedNanos;
    private volatile String trouble = "";

    /** Creates a watch over views, by their qualified names. */
    LateEvents(List<String> views, LongSupplier nanoTime) {
        this.views = List.copyOf(views);
        this.nanoTime = nanoTime;
        this.lookedNanos = nanoTime.getAsLong();
        this.views.forEach(view -> before.put(view, new Counts(0, 0, Long.MIN_VALUE)));
    }

    /** Judges the last minute once it is over. It is reported if the minute before was in order. */
    void look(Function<String, Counts> counts, Consumer<String> report) {
        if (nanoTime.getAsLong() - lookedNanos < EVERY.toNanos()) {
            return;
        }
        lookedNanos = nanoTime.getAsLong();
        List<String> found = new ArrayList<>();
        for (String view : views) {
            Counts now = counts.apply(view);
            Counts then = before.getOrDefault(view, now);
            before.put(view, now);
            long late = now.late - then.late;
            long events = now.events - then.events;
            if (2 * late > events) {
                found.add("view %s: %d of %d events of the last minute are late, behind the watermark %s"
                        .formatted(view, late, events, Instant.ofEpochMilli(now.watermarkMs)));
            }
        }
        String now = String.join("; ", found);
        if (trouble.isEmpty() && !now.isEmpty()) {
            report.accept(now + "; do the clocks of the producers differ?");
        }
        trouble = now;
    }

    /** Describes the views that were late in the last minute; empty if there were none. */
    String trouble() {
        return trouble;
    }
}
