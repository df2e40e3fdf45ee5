package io.thalweg.cli;

import io.thalweg.model.yaml.ByteSize;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.runner.UserError;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Parses the values of options. <b>Errors.</b> {@link UserError} that names the option, the rule, the value and an example. */
final class OptionText {
    private OptionText() {}

    /** Returns a time in epoch ms; {@code otherwise} if the option is not given. */
    static long timeMs(String option, @Nullable String time, long otherwise) {
        try {
            return time == null
                    ? otherwise
                    : OffsetDateTime.parse(time).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            throw UserError.usage(option + " must be a time with its zone, was " + time, "such as 2026-11-30T08:00Z");
        }
    }

    /** Returns a duration in ms; {@code rule} states what the option accepts. */
    static long durationMs(String option, String rule, String duration, String example) {
        try {
            return DurationText.parse(duration).millis();
        } catch (IllegalArgumentException e) {
            throw UserError.usage(option + " must be " + rule + ", was " + duration, "such as " + example);
        }
    }

    /** Returns the delay of {@code --available}, ms; empty for {@code logged}. */
    static OptionalLong availableAfterMs(String available) {
        return available.equals("logged")
                ? OptionalLong.empty()
                : OptionalLong.of(durationMs("--available", "logged or a duration", available, "12s"));
    }

    /** Returns a size in bytes. */
    static long bytes(String option, String size, String example) {
        try {
            return ByteSize.parse(size);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(option + " must be a size, was " + size, "such as " + example);
        }
    }
}
