package io.thalweg.pipelinetest;

import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlValue;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the times of a test, epoch ms: {@code 12:00:05} on the test's date, {@code 2026-01-01T12:00:05Z}, and for events {@code
 * +1m30s} after the event before.
 *
 * <p><b>Threads.</b> One.
 */
final class TestTimes {
    /** The date of short times if the test does not name one. */
    static final LocalDate DATE = LocalDate.of(2026, 1, 1);

    private static final Pattern STEP = Pattern.compile("\\+((?:\\d{1,9}(?:ms|s|m|h|d))+)");
    private static final Pattern SHORT = Pattern.compile("\\+.+|\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?");
    private static final Pattern PART = Pattern.compile("\\d+(?:ms|s|m|h|d)");

    private final LocalDate date;
    private long eventMs;

    TestTimes(LocalDate date) {
        this.date = date;
        eventMs = midnight();
    }

    /** The beginning of the test's date, epoch ms. */
    long midnight() {
        return date.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
    }

    /** The time of the next event. */
    long event(YamlValue value) {
        Matcher step = STEP.matcher(value.isText() ? value.text() : "");
        eventMs = step.matches()
                ? eventMs + millis(step.group(1))
                : read(value, "12:00:05, +30s after the event before, or 2026-01-01T12:00:05Z");
        return eventMs;
    }

    private static long millis(String durations) {
        return PART.matcher(durations)
                .results()
                .mapToLong(part -> DurationText.parse(part.group()).millis())
                .sum();
    }

    /** Returns a time as a test writes it: without the date if that is the test's. */
    static String text(Instant instant, LocalDate date) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC).equals(date)
                ? DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofInstant(instant, ZoneOffset.UTC))
                : instant.toString();
    }

    /** Whether a text is a short time, or a step from the time before. */
    static boolean isShort(String text) {
        return SHORT.matcher(text).matches();
    }

    /** Reads a time that does not depend on an event. */
    long moment(YamlValue value) {
        return read(value, "12:01:00 or 2026-01-01T12:01:00Z");
    }

    private long read(YamlValue value, String forms) {
        OptionalLong ms = value.isText() ? parse(value.text()) : OptionalLong.empty();
        if (ms.isEmpty()) {
            value.wrong("a time in quotes such as " + forms);
        }
        return ms.orElse(eventMs);
    }

    private OptionalLong parse(String text) {
        try {
            Instant instant = text.contains("T")
                    ? Instant.parse(text)
                    : date.atTime(LocalTime.parse(text)).toInstant(ZoneOffset.UTC);
            return OptionalLong.of(instant.toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            return OptionalLong.empty();
        }
    }
}
