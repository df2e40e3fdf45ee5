package io.thalweg.model.yaml;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes as definitions write it: {@code 512B 64KiB 256MiB 1GiB}. */
public final class ByteSize {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})(B|KiB|MiB|GiB)");

    private ByteSize() {}

    /** Parses a size; throws IllegalArgumentException that shows the format. */
    public static long parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a size must look like 512B, 64KiB, 256MiB or 1GiB, was '" + text + "'");
        }
        int shift = switch (matcher.group(2)) {
            case "B" -> 0;
            case "KiB" -> 10;
            case "MiB" -> 20;
            default -> 30;
        };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    }

    /** Writes a size with the largest unit of which it is a whole multiple. */
    public static String text(long bytes) {
        String[] units = {"GiB", "MiB", "KiB"};
        for (int i = 0; i < units.length; i++) {
            long unit = 1L << (30 - 10 * i);
            if (bytes % unit == 0 && bytes > 0) {
                return bytes / unit + units[i];
            }
        }
        return bytes + "B";
    }
}
