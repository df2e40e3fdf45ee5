package io.thalweg.bench.harness;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A figure of a system over the rounds of a run.
 *
 * @param system empty for a ratio
 * @param name which ends with the unit
 * @param rounds the number of values
 */
public record Figure(String system, String variant, String name, double median, double least, double most, int rounds) {

    public boolean isRatio() {
        return system.isEmpty();
    }

    /** Formats a figure as {@code 0.365 (0.339 to 0.478)}. */
    private String text() {
        return shown(median) + (rounds == 1 ? "" : " (%s to %s)".formatted(shown(least), shown(most)));
    }

    /** Groups figures of several systems by the variant of the load, in their order. */
    public static Map<String, List<Figure>> byVariant(List<Figure> figures) {
        return figures.stream()
                .collect(Collectors.groupingBy(Figure::variant, LinkedHashMap::new, Collectors.toList()));
    }

    /** Formats figures as {@code thalweg 0.365 (0.339 to 0.478), flink 1.15}. */
    public static String texts(List<Figure> figures) {
        return figures.stream()
                .map(each -> (each.system() + " " + each.text()).strip())
                .collect(Collectors.joining(", "));
    }

    public static String shown(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e6) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        double size = Math.abs(value);
        if (size >= 1e6) {
            return String.format(Locale.ROOT, "%,.1f M", value / 1e6);
        }
        return String.format(
                Locale.ROOT, size >= 1e3 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }
}
