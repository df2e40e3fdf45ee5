package io.thalweg.qalm.wire;

import org.jspecify.annotations.Nullable;

/** W3C baggage: {@code key=value;property,key=value}. */
final class Baggage {
    private Baggage() {}

    static @Nullable String entry(@Nullable String baggage, String key) {
        if (baggage == null) {
            return null;
        }
        for (String member : baggage.split(",")) {
            String[] pair = member.split(";", 2)[0].split("=", 2);
            if (pair.length == 2 && pair[0].trim().equals(key)) {
                return pair[1].trim();
            }
        }
        return null;
    }
}
