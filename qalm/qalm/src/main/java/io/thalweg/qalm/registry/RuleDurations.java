package io.thalweg.qalm.registry;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses and writes the durations of rules: {@code 250us 500ms 10s 5m 1h}. */
final class RuleDurations {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})(us|ms|s|m|h)");

    private RuleDurations() {}

    static @Nullable Duration parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "us" -> Duration.of(count, ChronoUnit.MICROS);
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    static String write(Duration duration) {
        long micros = duration.toNanos() / 1_000;
        return micros % 1_000 != 0
                ? micros + "us"
                : micros % 1_000_000 != 0 ? micros / 1_000 + "ms" : micros / 1_000_000 + "s";
    }
}
