package io.thalweg.qalm.wire;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** gRPC's {@code grpc-timeout}: at most eight digits and a unit. */
final class GrpcTimeout {
    private GrpcTimeout() {}

    /** Nanoseconds, null if there is no such header or it means nothing. */
    static @Nullable Long parse(@Nullable String text) {
        if (text == null || !text.matches("\\d{1,8}[HMSmun]")) {
            return null;
        }
        long count = Long.parseLong(text.substring(0, text.length() - 1));
        return unit(text.charAt(text.length() - 1)).toNanos(count);
    }

    private static TimeUnit unit(char letter) {
        return switch (letter) {
            case 'H' -> TimeUnit.HOURS;
            case 'M' -> TimeUnit.MINUTES;
            case 'S' -> TimeUnit.SECONDS;
            case 'm' -> TimeUnit.MILLISECONDS;
            case 'u' -> TimeUnit.MICROSECONDS;
            default -> TimeUnit.NANOSECONDS;
        };
    }
}
