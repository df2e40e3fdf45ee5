package io.thalweg.bench.soak;

import io.thalweg.bench.soak.Series.Point;
import io.thalweg.bench.soak.Series.Trend;
import java.util.List;
import java.util.Locale;

/** A soak as an SVG: a panel per figure, starting at zero, with dashes for the medians that are compared; red if it drifts. */
final class Chart {
    private static final int COLUMNS = 2;
    private static final int PANEL_WIDTH = 480;
    private static final int PANEL_HEIGHT = 150;
    private static final int TOP = 40;
    /** The margins of the plot in its panel. */
    private static final int LEFT = 10;

    private static final int PLOT_TOP = 24;
    private static final int PLOT_WIDTH = PANEL_WIDTH - 2 * LEFT;
    private static final int PLOT_HEIGHT = PANEL_HEIGHT - PLOT_TOP - 26;

    private final Soak soak;
    private final double seconds;
    private final StringBuilder svg = new StringBuilder();

    Chart(Soak soak) {
        this.soak = soak;
        int rows = (soak.series().size() + COLUMNS - 1) / COLUMNS;
        put(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">%n",
                COLUMNS * PANEL_WIDTH, TOP + rows * PANEL_HEIGHT);
        put("<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n");
        seconds = soak.series().stream()
                .flatMap(series -> series.points().stream())
                .mapToDouble(Point::atSeconds)
                .max()
                .orElse(1);
    }

    String svg() {
        List<Series> all = soak.series();
        put("<text x=\"%d\" y=\"24\" font-size=\"13\">%s</text>%n", LEFT, escaped(soak.title()));
        for (int i = 0; i < all.size(); i++) {
            put("<g transform=\"translate(%d %d)\">%n", i % COLUMNS * PANEL_WIDTH, TOP + i / COLUMNS * PANEL_HEIGHT);
            panel(all.get(i));
            put("</g>%n");
        }
        put("</svg>%n");
        return svg.toString();
    }

    private void put(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void panel(Series series) {
        double most = series.points().stream().mapToDouble(Point::value).max().orElse(0);
        double top = most > 0 ? most * 1.1 : 1;
        String colour = series.drifts() ? "#c62828" : "#1f5fa8";
        put("<text x=\"%d\" y=\"16\" font-weight=\"bold\" fill=\"%s\">%s</text>%n", LEFT, colour, series.name());
        put(
                "<text x=\"%d\" y=\"16\" text-anchor=\"end\" fill=\"#555\">%s</text>%n",
                LEFT + PLOT_WIDTH, escaped(caption(series, most)));
        put(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#ddd\"/>%n",
                LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT);
        put("<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
        series.points().forEach(point -> put("%.1f,%.1f ", x(point.atSeconds()), y(point.value(), top)));
        put("\"/>%n");
        Trend course = series.course();
        if (course != null) {
            level(course.first(), top, 0);
            level(course.last(), top, 0.8);
        }
        put("<text x=\"%d\" y=\"%d\" fill=\"#555\">0</text>%n", LEFT, PANEL_HEIGHT - 12);
        put(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%.1f min</text>%n",
                LEFT + PLOT_WIDTH, PANEL_HEIGHT - 12, seconds / 60);
    }

    private static String caption(Series series, double most) {
        Trend course = series.course();
        String peak = "max " + Soak.shown(series, most);
        return course == null
                ? peak
                : "%s → %s, %s".formatted(Soak.shown(series, course.first()), Soak.shown(series, course.last()), peak);
    }

    /** Draws the median of a fifth across the width of that fifth. */
    private void level(double value, double top, double from) {
        put(
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$.1f\" y2=\"%3$.1f\" stroke=\"#222\" stroke-dasharray=\"4 3\"/>%n",
                x(from * seconds), x((from + 0.2) * seconds), y(value, top));
    }

    private double x(double atSeconds) {
        return LEFT + PLOT_WIDTH * Math.max(0, atSeconds) / seconds;
    }

    private static double y(double value, double top) {
        return PLOT_TOP + PLOT_HEIGHT * (1 - Math.max(0, value) / top);
    }
}
