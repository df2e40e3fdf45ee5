package io.thalweg.formats;

import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.source.Source;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads when an event happened: epoch ms UTC, by exact floor from the unit that the source names, within [2000-01-01,
 * 2100-01-01), and not more than {@code max_future} after the record's own timestamp if it has one. Under a simulated clock a
 * producer may stamp records with simulated or with wall time, so the later of the timestamp and the simulated time at that
 * timestamp is used. Events of a live source must not lie more than {@code max_future} after the time at which they are read either, so
 * that one wrong clock cannot make the events of all others late.
 *
 * <p><b>Threads.</b> One: the instance holds the result of the last {@link #read}.
 */
public final class EventTimeReader {
    /** The first plausible event time: 2000-01-01T00:00:00Z. */
    public static final long MIN_MS = 946_684_800_000L;

    /** The first event time that is not plausible: 2100-01-01T00:00:00Z. */
    public static final long END_MS = 4_102_444_800_000L;

    /** The column if the time is the record's own timestamp. */
    private static final int RECORD_TIMESTAMP = -1;

    /**
     * How times are written.
     *
     * @param text the types that text may represent
     * @param dates whether text may be a date
     * @param localNumbers whether numbers are local times of the zone, as the epoch ms that they would be in UTC
     */
    private record Form(
            Source.TimeUnit unit,
            TextForm text,
            boolean dates,
            @Nullable ZoneId zone,
            boolean localNumbers) {}

    private final Source.TimeUnit unit;
    private final int column;
    private final TextForm text;
    private final boolean dates;
    private final @Nullable ZoneId zone;
    private final boolean localNumbers;
    private final String field;
    private final long maxFutureMs;
    private final ClockSpec clock;

    /** When the events are read; {@code Long.MAX_VALUE} for a source that is not live. */
    private long nowMs = Long.MAX_VALUE;

    private long timeMs;
    private String detail = "";

    private EventTimeReader(String field, int column, Form form, long maxFutureMs, ClockSpec clock) {
        this.field = field;
        this.column = column;
        this.unit = form.unit;
        this.text = form.text;
        this.dates = form.dates;
        this.zone = form.zone;
        this.localNumbers = form.localNumbers;
        this.maxFutureMs = maxFutureMs;
        this.clock = clock;
    }

    /** Creates a reader of the event time of {@code source}, by the wall clock. */
    public static EventTimeReader of(Source source, Projection projection) {
        return of(source, projection, ClockSpec.system());
    }

    /**
     * Creates a reader of the event time of {@code source}.
     *
     * @param clock converts the wall time of a record's timestamp to the time of the events
     */
    public static EventTimeReader of(Source source, Projection projection, ClockSpec clock) {
        Source.EventTime time = source.eventTime();
        var path = time.field();
        int column = path == null ? RECORD_TIMESTAMP : projection.column(path);
        TextForm text = path == null ? TextForm.TEXT : projection.textForm(column);
        boolean localNumbers = time.zone() != null && time.unit() != Source.TimeUnit.ISO8601;
        return new EventTimeReader(
                path == null ? "$timestamp" : path.text(),
                column,
                new Form(time.unit(), text, false, time.zone(), localNumbers),
                source.maxFuture().millis(),
                clock);
    }

    /**
     * Creates a reader of a table's column, where {@code iso8601} may also be a date: its midnight in the zone, or in UTC without
     * one.
     *
     * @param form the form of times according to the column's type
     * @param text the types that text in the column may represent
     */
    public static EventTimeReader ofColumn(
            Source.EventTime time, TimeForm form, String field, int column, TextForm text) {
        ZoneId zone = time.zone();
        Source.TimeUnit unit = form == TimeForm.UNTYPED ? time.unit() : Source.TimeUnit.MS;
        boolean localNumbers = zone != null && form == TimeForm.LOCAL;
        return new EventTimeReader(
                field, column, new Form(unit, text, true, zone, localNumbers), 0, ClockSpec.system());
    }

    /** Sets when the next events are read, epoch ms on the clock of the events. */
    public void readAt(long nowMs) {
        this.nowMs = nowMs;
    }

    /**
     * Reads the time of event {@code e}.
     *
     * @return null if {@link #timeMs()} is its time; otherwise what is wrong with it: {@code MISSING_FIELD}, {@code
     *     INVALID_TEXT}, {@code TIME_INVALID} or {@code TIME_OUT_OF_RANGE}, and {@link #detail()} describes it
     */
    public @Nullable BadReason read(EventColumns events, int e) {
        BadReason reason = column == RECORD_TIMESTAMP ? readRecordTimestamp(events, e) : readField(events, e);
        if (reason != null) {
            return reason;
        }
        if (!isPlausible()) {
            detail = "event time '%s' must lie within [2000-01-01, 2100-01-01) in unit %s, was %s"
                    .formatted(field, unitText(), shown(events, e));
            return BadReason.TIME_OUT_OF_RANGE;
        }
        long recordMs = events.recordTimestampMs(e);
        if (recordMs != EventColumns.NO_TIMESTAMP
                && timeMs - maxFutureMs > recordMs
                && timeMs - maxFutureMs > clock.nowMs(recordMs)) {
            return future("the record's timestamp", recordMs);
        }
        return timeMs - maxFutureMs > nowMs ? future("the time at which it is read,", nowMs) : null;
    }

    private BadReason future(String what, long limitMs) {
        detail = "event time '%s' must not lie more than max_future (%d ms) after %s %s, was %s"
                .formatted(field, maxFutureMs, what, Instant.ofEpochMilli(limitMs), Instant.ofEpochMilli(timeMs));
        return BadReason.TIME_OUT_OF_RANGE;
    }

    /** The time that was read last, in epoch ms. */
    public long timeMs() {
        return timeMs;
    }

    /** Describes why the time that was read last is not usable. */
    public String detail() {
        return detail;
    }

    private boolean isPlausible() {
        return timeMs >= MIN_MS && timeMs < END_MS;
    }

    private @Nullable BadReason readRecordTimestamp(EventColumns events, int e) {
        timeMs = events.recordTimestampMs(e);
        if (timeMs != EventColumns.NO_TIMESTAMP) {
            return null;
        }
        detail = "this input has no record timestamps: name source.event_time.field";
        return BadReason.MISSING_FIELD;
    }

    private @Nullable BadReason readField(EventColumns events, int e) {
        FieldKind kind = events.kind(e, column);
        if (kind.isAbsent()) {
            detail = "event time '%s' must be there, was %s".formatted(field, events.shown(e, column));
            return BadReason.MISSING_FIELD;
        }
        if (kind == FieldKind.INVALID_TEXT) {
            detail = "event time '%s' must be valid Unicode text, was %s".formatted(field, events.shown(e, column));
            return BadReason.INVALID_TEXT;
        }
        if (unit == Source.TimeUnit.ISO8601 ? readIso(events, e, kind) : readNumber(events, e, kind)) {
            return null;
        }
        boolean iso = unit == Source.TimeUnit.ISO8601;
        String form = iso ? isoForm() : numberForm(events, e);
        String why = iso && kind == FieldKind.STRING ? ": " + isoProblem(events, e) : "";
        detail = "event time '%s' must %s, was %s%s".formatted(field, form, events.shown(e, column), why);
        return BadReason.TIME_INVALID;
    }

    private String isoProblem(EventColumns events, int e) {
        return IsoTime.problem(events.bytes(), events.offset(e, column), events.length(e, column), zone);
    }

    private String numberForm(EventColumns events, int e) {
        boolean isNumber = events.kind(e, column) == FieldKind.STRING
                && Decimals.isNumber(events.bytes(), events.offset(e, column), events.length(e, column));
        return "be a number of unit " + unitText() + text.remedy(isNumber);
    }

    private String isoForm() {
        String form = zone == null
                ? "be ISO 8601 text with an offset, as 2026-01-31T18:00:00.5Z"
                : "be ISO 8601 text, as 2026-01-31T18:00:00.5 or 2026-01-31 18:00:00Z";
        String date = dates ? ", or a date" : "";
        String remedy = zone == null ? " (event_time.zone names the zone of text without an offset)" : "";
        return form + date + remedy;
    }

    private boolean readNumber(EventColumns events, int e, FieldKind kind) {
        if (kind == FieldKind.INTEGER) {
            timeMs = toMs(events.integer(e, column));
            if (localNumbers && isPlausible()) {
                timeMs = IsoTime.localMs(timeMs, Objects.requireNonNull(zone));
            }
            return true;
        }
        byte[] bytes = events.bytes();
        int offset = events.offset(e, column);
        int length = events.length(e, column);
        if (kind == FieldKind.DOUBLE && length == 0) {
            byte[] token = Double.toString(events.number(e, column)).getBytes(StandardCharsets.US_ASCII);
            timeMs = Decimals.floor(token, 0, token.length, shift());
            return true;
        }
        if (kind == FieldKind.DOUBLE
                || (kind == FieldKind.STRING && text.mayBeNumber() && Decimals.isNumber(bytes, offset, length))) {
            timeMs = Decimals.floor(bytes, offset, length, shift());
            return true;
        }
        return false;
    }

    private boolean readIso(EventColumns events, int e, FieldKind kind) {
        if (kind != FieldKind.STRING) {
            return false;
        }
        timeMs = IsoTime.parseMs(events.bytes(), events.offset(e, column), events.length(e, column), zone);
        return timeMs != IsoTime.INVALID || (dates && readDate(events.string(e, column)));
    }

    private boolean readDate(String text) {
        try {
            long utcMs = LocalDate.parse(text)
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant()
                    .toEpochMilli();
            timeMs = zone == null ? utcMs : IsoTime.localMs(utcMs, zone);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Converts with an exact floor; a time that does not fit is far out of range in any case. */
    private long toMs(long value) {
        return switch (unit) {
            case S -> Math.abs(value) > END_MS ? Decimals.TOO_BIG : value * 1_000;
            case US -> Math.floorDiv(value, 1_000L);
            case NS -> Math.floorDiv(value, 1_000_000L);
            default -> value;
        };
    }

    /** Returns the power of ten that converts the unit to ms. */
    private int shift() {
        return switch (unit) {
            case S -> 3;
            case US -> -3;
            case NS -> -6;
            default -> 0;
        };
    }

    private String unitText() {
        return unit.name().toLowerCase(Locale.ROOT);
    }

    private String shown(EventColumns events, int e) {
        return column == RECORD_TIMESTAMP ? Long.toString(timeMs) : events.shown(e, column);
    }
}
