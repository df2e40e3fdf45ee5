package io.thalweg.server.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.server.telemetry.Metrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The last half hour of one view, from which the console has rates and lines over time at its first look.
 *
 * <p><b>Rates.</b> Events arrive steadily, so their rate is that of the last minute. Rows are written at window ends, so a minute may
 * contain none or two of them. Their rate is measured from one burst to another, at least a minute apart: it does not depend on the
 * moment at which it is read. If the next burst is overdue, the time since the last one counts, too.
 *
 * <p><b>Threads.</b> Safe.
 */
final class ViewTrend {
    /** The time between samples. */
    static final long EVERY_MS = 5_000;

    private static final String EVENTS = "thalweg_events_total";
    private static final Set<String> ROWS = Set.of("thalweg_rows_total", "thalweg_loaded_rows_total");
    private static final Set<String> REFUSED = Set.of("bad", "late");
    private static final int SAMPLES = 360;
    private static final int SHOWN = 120;
    private static final double MINUTE_S = 60;

    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * The state of a view at one time; NaN = not counted.
     *
     * @param second on any clock that does not jump
     * @param events all events so far
     * @param rows all rows so far
     * @param refused all bad and late events so far
     * @param lag records that wait
     * @param behindSeconds how far the readable rows are behind the present
     */
    record Sample(double second, double events, double rows, double refused, double lag, double behindSeconds) {}

    /** Returns a sample of the series of a view and of the age of its watermark in ms. */
    static Sample sample(double second, List<Metrics.Series> series, OptionalLong ageMs) {
        return new Sample(
                second,
                sum(series, each -> each.name().equals(EVENTS)),
                sum(series, each -> ROWS.contains(each.name())),
                sum(
                        series,
                        each -> each.name().equals(EVENTS)
                                && REFUSED.contains(each.labels().getOrDefault("outcome", ""))),
                sum(series, each -> each.name().equals("thalweg_lag_records")),
                ageMs.isPresent() ? ageMs.getAsLong() / 1e3 : Double.NaN);
    }

    /** Returns the sum of some series, NaN if there is none. */
    private static double sum(List<Metrics.Series> all, Predicate<Metrics.Series> which) {
        return all.stream()
                .filter(which)
                .mapToDouble(Metrics.Series::value)
                .reduce((one, other) -> one + other)
                .orElse(Double.NaN);
    }

    /** Adds a sample. If a count is lower than before, another job has begun, and what was before is forgotten. */
    synchronized void add(Sample sample) {
        Sample last = samples.peekLast();
        if (last != null && (sample.events < last.events || sample.rows < last.rows)) {
            samples.clear();
        }
        samples.addLast(sample);
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
    }

    /** Events a second over the last minute; empty before there are two samples. */
    synchronized OptionalDouble eventsPerSecond() {
        Sample last = samples.peekLast();
        Sample first = null;
        for (Sample each : samples) {
            if (first == null || last.second - each.second >= MINUTE_S) {
                first = each;
            }
        }
        return rate(first, last, Sample::events, last == null ? 0 : last.second);
    }

    /** Rows a second from burst to burst; empty before there are two bursts. */
    synchronized OptionalDouble rowsPerSecond() {
        List<Sample> bursts = new ArrayList<>();
        Sample before = null;
        for (Sample each : samples) {
            if (before != null && each.rows > before.rows) {
                bursts.add(each);
            }
            before = each;
        }
        if (before == null || bursts.size() < 2) {
            return OptionalDouble.empty();
        }
        Sample last = bursts.get(bursts.size() - 1);
        double pause = last.second - bursts.get(bursts.size() - 2).second;
        Sample first = bursts.get(0);
        for (Sample each : bursts) {
            first = last.second - each.second >= MINUTE_S ? each : first;
        }
        boolean isOverdue = before.second - last.second > 2 * pause;
        return rate(first, last, Sample::rows, isOverdue ? before.second : last.second);
    }

    private static OptionalDouble rate(
            @Nullable Sample first, @Nullable Sample last, ToDoubleFunction<Sample> count, double until) {
        if (first == null || last == null || first.second == last.second) {
            return OptionalDouble.empty();
        }
        double rate = (count.applyAsDouble(last) - count.applyAsDouble(first)) / (until - first.second);
        return Double.isFinite(rate) ? OptionalDouble.of(rate) : OptionalDouble.empty();
    }

    /** Writes {@code rates}, and {@code recent}: a value for each sample of the last ten minutes, null where there is none. */
    synchronized void write(ObjectNode node) {
        ObjectNode rates = node.putObject("rates");
        eventsPerSecond().ifPresent(rate -> rates.put("events", rate));
        rowsPerSecond().ifPresent(rate -> rates.put("rows", rate));
        ObjectNode recent = node.putObject("recent");
        recent.put("every_ms", EVERY_MS);
        ArrayNode events = recent.putArray("events");
        ArrayNode rows = recent.putArray("rows");
        ArrayNode refused = recent.putArray("bad_and_late");
        ArrayNode lag = recent.putArray("lag");
        ArrayNode behind = recent.putArray("behind_seconds");
        int skipped = samples.size() - SHOWN - 1;
        Sample before = null;
        for (Sample each : samples) {
            if (skipped-- < 0 && before != null) {
                add(events, each.events - before.events);
                add(rows, each.rows - before.rows);
                add(refused, each.refused - before.refused);
                add(lag, each.lag);
                add(behind, each.behindSeconds);
            }
            before = each;
        }
    }

    private static void add(ArrayNode values, double value) {
        if (Double.isFinite(value)) {
            values.add(value);
        } else {
            values.addNull();
        }
    }
}
