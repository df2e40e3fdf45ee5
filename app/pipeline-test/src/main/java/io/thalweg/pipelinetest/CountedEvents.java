package io.thalweg.pipelinetest;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.tables.ParquetEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The outcome of each event of a test, from a second reading of the events without the job.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param verdicts in the order of the events
 */
record CountedEvents(FeatureView view, List<EventVerdict> verdicts) {
    private static final int SHOWN = 10;

    /** Judges the events of a file. */
    static CountedEvents read(FeatureView view, String file, ConfiguredLookups lookups) throws IOException {
        List<EventVerdict> verdicts = new ArrayList<>();
        try (LookupTables tables = lookups.open("test", List.of(view))) {
            BatchReader.of(List.of(view), tables, ParquetEvents::open).read(Path.of(file), verdicts::add);
        }
        return new CountedEvents(view, verdicts);
    }

    /** Returns the events that counted into a row, and those that did not count into any. */
    List<String> of(RowKey row) {
        return List.of(
                "counted: "
                        + listed(indexes(EventOutcome.ACCEPTED)
                                .filter(at -> counts(at, row))
                                .map(at -> event(at) + distance(at, row))
                                .toList()),
                "in no row: "
                        + listed(indexes(EventOutcome.SKIPPED, EventOutcome.BAD, EventOutcome.LATE)
                                .map(at -> event(at) + " " + reason(verdicts.get(at)))
                                .toList()));
    }

    private Stream<Integer> indexes(EventOutcome... outcomes) {
        Set<EventOutcome> wanted = Set.of(outcomes);
        return IntStream.range(0, verdicts.size())
                .filter(at -> wanted.contains(verdicts.get(at).outcome()))
                .boxed();
    }

    private boolean counts(int at, RowKey row) {
        EventVerdict event = verdicts.get(at);
        long time = timeMs(event);
        long begin = row.windowEndMs()
                - view.windows().largestPanes() * view.windows().every().millis();
        if (time < begin || time >= row.windowEndMs() || !event.group().equals(group(row))) {
            return false;
        }
        return view.isKeyed() || nearest(event, row) >= 0;
    }

    private List<Object> group(RowKey row) {
        return view.group().stream()
                .map(field -> Objects.requireNonNull(row.entities().get(field.name())))
                .toList();
    }

    /** Returns the smallest ring around the row's cell that contains the event; -1 if none does. */
    private int nearest(EventVerdict event, RowKey row) {
        long cell = (Long) Objects.requireNonNull(row.entities().get(view.cell().name()));
        for (int ring : view.rings()) {
            for (long near : HexTiling.disk(cell, ring)) {
                if (near == event.cell()) {
                    return ring;
                }
            }
        }
        return -1;
    }

    private String distance(int at, RowKey row) {
        return view.isKeyed() ? "" : " within k" + nearest(verdicts.get(at), row);
    }

    private String event(int at) {
        Long time = verdicts.get(at).eventTimeMs();
        return "event " + (at + 1) + (time == null ? "" : " (" + Instant.ofEpochMilli(time) + ")");
    }

    private static String reason(EventVerdict event) {
        DeadLetter letter = event.deadLetter();
        return event.outcome().text()
                + (letter == null ? "" : ": " + letter.reason().text() + ", " + letter.detail());
    }

    private static String listed(List<String> texts) {
        String shown = texts.stream().limit(SHOWN).collect(Collectors.joining(", "));
        int more = texts.size() - SHOWN;
        return texts.isEmpty() ? "no event" : shown + (more > 0 ? " and %d more".formatted(more) : "");
    }

    /** The first window end of each accepted event, epoch ms. */
    Set<Long> firstEndsMs() {
        Set<Long> ends = new TreeSet<>();
        indexes(EventOutcome.ACCEPTED).forEach(at -> ends.add(firstEndMs(verdicts.get(at))));
        return ends;
    }

    /** For each accepted event, the row of its own cell and group, or key, at its first window end. */
    Set<RowKey> firstRows() {
        Set<RowKey> rows = new HashSet<>();
        indexes(EventOutcome.ACCEPTED).map(verdicts::get).forEach(event -> {
            Map<String, Object> entities = new LinkedHashMap<>();
            int group = 0;
            for (Entity entity : view.entities()) {
                entities.put(
                        entity.name(),
                        entity instanceof Entity.Cell
                                ? (Object) event.cell()
                                : event.group().get(group++));
            }
            rows.add(new RowKey(entities, firstEndMs(event)));
        });
        return rows;
    }

    private long firstEndMs(EventVerdict event) {
        long every = view.windows().every().millis();
        return (Math.floorDiv(timeMs(event), every) + 1) * every;
    }

    /** Counts the events before the first one with a later time. */
    long before(long ms) {
        return verdicts.stream()
                .takeWhile(event -> event.eventTimeMs() == null || event.eventTimeMs() <= ms)
                .count();
    }

    private static long timeMs(EventVerdict event) {
        return Objects.requireNonNull(event.eventTimeMs(), "an accepted event has a time");
    }
}
