package io.thalweg.qalm.wire;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Parses gRPC's {@code grpc-timeout}: at most eight digits and a unit. */
final class GrpcTimeout {
    private static final int DIGITS_MAX = 8;

    private GrpcTimeout() {}

    /** Returns nanoseconds; null if absent or malformed. Avoids a regular expression, because nearly every call has this header. */
    static @Nullable Long parse(@Nullable String text) {
        if (text == null || text.length() < 2 || text.length() > DIGITS_MAX + 1) {
            return null;
        }
        int digits = text.length() - 1;
        long count = 0;
        for (int i = 0; i < digits; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return null;
            }
            count = 10 * count + digit;
        }
        TimeUnit unit = unit(text.charAt(digits));
        return unit == null ? null : unit.toNanos(count);
    }

    private static @Nullable TimeUnit unit(char letter) {
        return switch (letter) {
            case 'H' -> TimeUnit.HOURS;
            case 'M' -> TimeUnit.MINUTES;
            case 'S' -> TimeUnit.SECONDS;
            case 'm' -> TimeUnit.MILLISECONDS;
            case 'u' -> TimeUnit.MICROSECONDS;
            case 'n' -> TimeUnit.NANOSECONDS;
            default -> null;
        };
    }
}
