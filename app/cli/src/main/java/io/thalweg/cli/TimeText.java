package io.thalweg.cli;

import io.thalweg.runner.UserError;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Times in options. */
final class TimeText {
    private TimeText() {}

    /** Returns a time in epoch ms; {@code otherwise} if the option is not given. */
    static long ms(String option, @Nullable String time, long otherwise) {
        try {
            return time == null
                    ? otherwise
                    : OffsetDateTime.parse(time).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            throw UserError.usage(option + " must be a time with its zone, was " + time, "such as 2026-11-30T08:00Z");
        }
    }
}
