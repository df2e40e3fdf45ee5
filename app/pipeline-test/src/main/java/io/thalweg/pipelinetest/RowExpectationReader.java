package io.thalweg.pipelinetest;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the key {@code expect} of an ingest test against the columns of its table.
 *
 * <p><b>Threads.</b> One.
 */
final class RowExpectationReader {
    /** The names of the account. */
    static final List<String> COUNTS = List.of("events", "filtered", "bad", "kept", "rows", "written", "refused");

    private static final List<String> STAGES = List.of("envelope", "decode", "transform");
    private static final List<String> REASONS =
            Arrays.stream(RecordFault.values()).map(RecordFault::reason).toList();

    private final Struct columns;
    private final TestTimes times;

    RowExpectationReader(IngestPlan plan, TestTimes times) {
        this.columns = IngestOutcome.columns(plan);
        this.times = times;
    }

    IngestTest.Expected read(YamlValue value) {
        YamlMap map = value.map();
        List<Map<String, ColumnValue>> rows =
                map.optional("rows").map(this::rows).orElse(List.of());
        boolean noOtherRows = map.optional("no_other_rows").map(YamlValue::bool).orElse(map.has("rows"));
        Counts counts = map.optional("counts")
                .map(each -> ExpectationReader.counts(each, COUNTS, REASONS))
                .orElse(Counts.NONE);
        Map<DeadLetterKind, Long> letters = map.optional("dead_letters")
                .map(each -> letters(each, STAGES, REASONS))
                .orElse(null);
        if (value.isMap() && !map.has("rows") && !map.has("counts") && letters == null) {
            value.wrong("rows, counts, dead_letters or several of them");
        }
        map.close();
        return new IngestTest.Expected(rows, noOtherRows, counts, letters);
    }

    /**
     * Reads dead letters by kind.
     *
     * @param stages empty = letters have none
     */
    static Map<DeadLetterKind, Long> letters(YamlValue value, List<String> stages, List<String> reasons) {
        Map<DeadLetterKind, Long> letters = new TreeMap<>();
        for (YamlValue element : value.list()) {
            YamlMap letter = element.map();
            String stage = stages.isEmpty()
                    ? ""
                    : letter.required("stage", stages.get(0))
                            .map(each -> name(each, stages))
                            .orElse("");
            String reason = letter.required("reason", reasons.get(0))
                    .map(each -> name(each, reasons))
                    .orElse("");
            int count = letter.optional("count")
                    .map(each -> each.integer(1, Integer.MAX_VALUE))
                    .orElse(1);
            letter.close();
            if (letters.put(new DeadLetterKind(stage, reason), (long) count) != null) {
                element.problem("such letters are listed twice; add their counts");
            }
        }
        return letters;
    }

    private static String name(YamlValue value, List<String> names) {
        if (!value.isText() || !names.contains(value.text())) {
            value.wrong("one of " + String.join(", ", names));
        }
        return value.isText() ? value.text() : "";
    }

    private List<Map<String, ColumnValue>> rows(YamlValue value) {
        return value.list().stream().map(row -> fields(row.map(), columns)).toList();
    }

    private Map<String, ColumnValue> fields(YamlMap map, Struct type) {
        Map<String, ColumnValue> fields = new LinkedHashMap<>();
        map.all().forEach((name, value) -> {
            int index = type.indexOf(name);
            if (index < 0) {
                value.problem("is not a column of the table; " + Suggestion.hint(name, type.names()));
            } else {
                fields.put(name, value(value, type.fields().get(index).type()));
            }
        });
        return fields;
    }

    private ColumnValue value(YamlValue value, FieldType type) {
        if (value.isNull()) {
            return new ColumnValue.Exact(null);
        }
        if (type instanceof Struct struct) {
            return new ColumnValue.Fields(fields(value.map(), struct));
        }
        if (type instanceof ListOf list) {
            List<ColumnValue> elements = new ArrayList<>();
            value.list().forEach(each -> elements.add(value(each, list.element())));
            return new ColumnValue.Elements(elements);
        }
        if (type instanceof MapOf map) {
            Map<String, ColumnValue> entries = new LinkedHashMap<>();
            value.map().all().forEach((key, each) -> entries.put(key, value(each, map.value())));
            return new ColumnValue.Entries(entries);
        }
        return type instanceof Int || type instanceof Real || type instanceof Decimal
                ? new ColumnValue.Numeric(ExpectationReader.feature(value))
                : new ColumnValue.Exact(scalar(value, type));
    }

    private @Nullable Object scalar(YamlValue value, FieldType type) {
        if (type instanceof Bool) {
            return value.bool();
        }
        String text = value.isText() ? value.text() : "";
        try {
            if (type instanceof Timestamp timestamp) {
                return time(value, text, timestamp);
            }
            if (type instanceof Date) {
                return LocalDate.parse(text);
            }
            if (type instanceof Time) {
                return LocalTime.parse(text);
            }
            if (type instanceof Uuid) {
                return UUID.fromString(text);
            }
        } catch (DateTimeException | IllegalArgumentException e) {
            value.wrong(
                    type instanceof Date
                            ? "a date such as 2026-01-01"
                            : type instanceof Time
                                    ? "a time of day in quotes such as \"09:30:00\""
                                    : type instanceof Uuid
                                            ? "a UUID such as 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe"
                                            : "a time in quotes such as 12:01:00 or 2026-01-01T12:01:00Z");
            return null;
        }
        if (!value.isText()) {
            value.wrong("text; write a number in quotes");
        }
        return text;
    }

    private Object time(YamlValue value, String text, Timestamp type) {
        boolean hasDate = text.contains("T");
        if (hasDate) {
            return type.utc() ? Instant.parse(text) : LocalDateTime.parse(text);
        }
        Instant instant = Instant.ofEpochMilli(times.moment(value));
        return type.utc() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }
}
