package io.thalweg.bench.soak;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The figures that were watched during a sustained load, and the verdict.
 *
 * @param title what was run, where, and at which commit
 */
public record Soak(String title, List<Series> series) {
    /** Copies the list. */
    public Soak {
        series = List.copyOf(series);
    }

    /** Returns which figures drifted, and by how much; empty if none did. */
    public List<String> drifts() {
        return series.stream().filter(Series::drifts).map(Soak::drift).toList();
    }

    private static String drift(Series series) {
        Series.Trend course = Objects.requireNonNull(series.course());
        Series.Bound bound = Objects.requireNonNull(series.bound());
        return "%s rose from %s to %s (%s an hour); %s would be allowed"
                .formatted(
                        series.name(),
                        shown(series, course.first()),
                        shown(series, course.last()),
                        shown(series, course.perHour()),
                        shown(series, bound.allowed(course.first())));
    }

    /** Returns the figures with a bound that have too few points. */
    public List<String> unjudged() {
        return series.stream()
                .filter(each -> each.bound() != null && each.course() == null)
                .map(Series::name)
                .toList();
    }

    /** Prints one line per figure, then the verdict. */
    public void print(PrintWriter out) {
        for (Series each : series) {
            Series.Trend course = each.course();
            out.println("  %-24s %s"
                    .formatted(
                            each.name(),
                            course == null
                                    ? each.points().size() + " points"
                                    : "%14s -> %s".formatted(shown(each, course.first()), shown(each, course.last()))));
        }
        unjudged().forEach(name -> out.println("too few points to judge: " + name));
        drifts().forEach(drift -> out.println("DRIFT: " + drift));
        if (drifts().isEmpty()) {
            out.println("nothing drifts");
        }
    }

    /** Formats a value in the unit of its name. */
    static String shown(Series series, double value) {
        String name = series.name();
        if (name.endsWith("_bytes")) {
            return String.format(Locale.ROOT, "%.1f MB", value / 1e6);
        }
        String format = name.endsWith("_ms") ? "%.0f ms" : name.endsWith("_seconds") ? "%.3f s" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    /** Draws all figures into an SVG. */
    public void writeChart(Path file) throws IOException {
        Files.writeString(file, new Chart(this).svg());
    }
}
