package io.thalweg.testing;

import static java.util.stream.Collectors.joining;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The series of a document in Prometheus' text format. The order of labels is ignored, as in Prometheus.
 *
 * @param series values by name and labels in alphabetical order: {@code calls_total{a="1",b="2"}}
 */
public record Exposition(Map<String, Double> series) {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_]\\w*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]\\w*)=(\"(?:[^\"\\\\]|\\\\.)*\")");

    /** Parses a document; fails on a line that is neither a comment nor a sample. */
    public static Exposition of(String text) {
        Map<String, Double> series = new LinkedHashMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches()) {
                throw new AssertionError("not a sample of Prometheus' text format: " + line);
            }
            String number = sample.group(3).replace("Inf", "Infinity");
            series.put(key(sample.group(1), sample.group(2)), Double.valueOf(number));
        });
        return new Exposition(series);
    }

    public static Exposition of(byte[] text) {
        return of(new String(text, StandardCharsets.UTF_8));
    }

    private static String key(String name, @Nullable String labels) {
        if (labels == null || labels.isEmpty()) {
            return name;
        }
        return LABEL.matcher(labels)
                .results()
                .map(label -> label.group(1) + "=" + label.group(2))
                .sorted()
                .collect(joining(",", name + "{", "}"));
    }

    /** Returns the value of a series such as {@code name{label="value"}}, with labels in any order; NaN if it is absent. */
    public double value(String written) {
        int brace = written.indexOf('{');
        String key = brace < 0
                ? written
                : key(written.substring(0, brace), written.substring(brace + 1, written.length() - 1));
        return series.getOrDefault(key, Double.NaN);
    }

    /** Returns the sum of all series of a name that have this label. */
    public double sum(String name, String label, String value) {
        String wanted = label + "=\"" + value + "\"";
        return series.entrySet().stream()
                .filter(each ->
                        each.getKey().startsWith(name + "{") && each.getKey().contains(wanted))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
