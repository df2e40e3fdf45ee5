package io.thalweg.model.yaml;

import java.io.Serializable;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A duration and its original text, which is used in feature names ({@code k5_8m}).
 *
 * @param text as written: {@code 500ms 10s 5m 1h 7d}
 * @param millis at least 0
 */
public record DurationText(String text, long millis) implements Serializable {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)");

    /** Parses {@code 500ms 10s 5m 1h 7d}; throws IllegalArgumentException that shows the format. */
    public static DurationText parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a duration must look like 500ms, 10s, 5m, 1h or 7d, was '" + text + "'");
        }
        try {
            long unit = switch (matcher.group(2)) {
                case "ms" -> 1;
                case "s" -> 1_000;
                case "m" -> 60_000;
                case "h" -> 3_600_000;
                default -> 86_400_000;
            };
            return new DurationText(text, Math.multiplyExact(Long.parseLong(matcher.group(1)), unit));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "a duration must fit into 64 bits of milliseconds, was '" + text + "'", e);
        }
    }

    /** Returns a duration for people: {@code 23h55m}, {@code 364d}. */
    public static String shown(long millis) {
        long[] units = {86_400_000, 3_600_000, 60_000, 1_000, 1};
        String[] names = {"d", "h", "m", "s", "ms"};
        StringBuilder text = new StringBuilder();
        long rest = millis;
        for (int i = 0; i < units.length; i++) {
            if (rest >= units[i]) {
                text.append(rest / units[i]).append(names[i]);
                rest %= units[i];
            }
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    public Duration duration() {
        return Duration.ofMillis(millis);
    }
}
