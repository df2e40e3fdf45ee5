package io.thalweg.history;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times of labels.
 *
 * @param column its name
 * @param zone of times that have none; null = they are refused, because a wrong guess would train on the future
 * @param unit of times that are numbers; null = they are refused
 */
public record LabelTime(
        String column, @Nullable ZoneId zone, @Nullable Unit unit) {
    private static final DateTimeFormatter LOCAL = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern("['T'][' ']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .toFormatter(java.util.Locale.ROOT);

    /** The unit of a number. */
    public enum Unit {
        S,
        MS,
        US,
        NS;

        long toMs(long value) {
            return switch (this) {
                case S -> Math.multiplyExact(value, 1_000);
                case MS -> value;
                case US -> Math.floorDiv(value, 1_000L);
                case NS -> Math.floorDiv(value, 1_000_000L);
            };
        }
    }

    int indexIn(Struct schema) {
        int index = schema.indexOf(column);
        if (index < 0) {
            throw new SpineException("the labels have no column '%s' for their time; %s"
                    .formatted(column, Suggestion.hint(column, schema.names())));
        }
        return index;
    }

    /** Returns the times of a batch, epoch ms, rounded down. */
    long[] read(LeafColumn leaf, int rows, long firstRow) {
        LeafCursor cursor = new LeafCursor(leaf);
        long[] times = new long[rows];
        for (int row = 0; row < rows; row++) {
            if (!cursor.next()) {
                throw wrong(firstRow + row, "nothing", "remove the row, or give it a time");
            }
            times[row] = time(leaf.type(), cursor, firstRow + row);
        }
        return times;
    }

    private long time(FieldType type, LeafCursor value, long row) {
        if (type instanceof FieldType.Timestamp timestamp) {
            long ms = Math.floorDiv(value.number(), 1_000L);
            return timestamp.utc()
                    ? ms
                    : inZone(
                            LocalDateTime.ofEpochSecond(
                                    Math.floorDiv(ms, 1_000L),
                                    (int) Math.floorMod(ms, 1_000L) * 1_000_000,
                                    java.time.ZoneOffset.UTC),
                            row);
        }
        if (type instanceof FieldType.Int) {
            Unit known = unit;
            if (known == null) {
                throw wrong(row, value.number(), "state the unit of its numbers, such as --unit ms (s, ms, us, ns)");
            }
            return known.toMs(value.number());
        }
        if (type instanceof FieldType.Text) {
            return parsed(value.text(), row);
        }
        throw wrong(row, type, "use a timestamp, text such as 2026-11-30T08:00:00Z, or a whole number");
    }

    private long parsed(String text, long row) {
        try {
            return OffsetDateTime.parse(text.replace(' ', 'T')).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            try {
                return inZone(LocalDateTime.parse(text, LOCAL), row);
            } catch (DateTimeException local) {
                throw wrong(row, "'" + text + "'", "write it as 2026-11-30T08:00:00Z");
            }
        }
    }

    private long inZone(LocalDateTime local, long row) {
        ZoneId known = zone;
        if (known == null) {
            throw wrong(row, local, "its times have no zone; state it, such as --zone UTC or --zone America/New_York");
        }
        List<?> offsets = known.getRules().getValidOffsets(local);
        if (offsets.size() != 1) {
            throw wrong(
                    row,
                    local,
                    "in zone " + known + " this time occurs " + (offsets.isEmpty() ? "never" : "twice")
                            + "; write the times with their offsets");
        }
        return Instant.from(local.atZone(known)).toEpochMilli();
    }

    private SpineException wrong(long row, Object value, String remedy) {
        return new SpineException(
                "row %d of the labels: column '%s' must be a time, was %s; %s".formatted(row, column, value, remedy));
    }
}
