package io.thalweg.runner;

import java.util.Locale;

/** Numbers for people: three digits and a unit. */
public final class Units {
    private static final String[] COUNT = {"", " k", " M", " G", " T"};
    private static final String[] BYTES = {" B", " kB", " MB", " GB", " TB"};

    private Units() {}

    /** {@code 30 M}; powers of 1,000. */
    public static String count(double number) {
        return scaled(number, COUNT);
    }

    /** {@code 4.76 GB}; powers of 1,000. */
    public static String bytes(double number) {
        return scaled(number, BYTES);
    }

    /** {@code 0.8 s}, {@code 23 h}, {@code 364 d}; below zero, too. */
    public static String age(long millis) {
        double seconds = Math.abs(millis / 1e3);
        String text = seconds < 1_000
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : seconds < 100 * 60
                        ? Math.round(seconds / 60) + " min"
                        : seconds < 48 * 3_600
                                ? Math.round(seconds / 3_600) + " h"
                                : Math.round(seconds / 86_400) + " d";
        return millis < 0 ? "-" + text : text;
    }

    private static String scaled(double number, String[] units) {
        int unit = 0;
        double value = number;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        int decimals = value >= 99.95 || value == Math.rint(value) ? 0 : value >= 9.995 ? 1 : 2;
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return (text.contains(".") ? text.replaceAll("\\.?0+$", "") : text) + units[unit];
    }
}
