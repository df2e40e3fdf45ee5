package io.thalweg.bench.qalm;

import io.thalweg.bench.Svg;
import java.util.List;
import java.util.Locale;

/** What a call costs each system, as an SVG: a column of points for each, one point a round, and a line at their median. */
public final class OverheadChart {
    private static final int LEFT = 60;
    private static final int TOP = 50;
    private static final int COLUMN = 110;
    private static final int HEIGHT = 220;

    private OverheadChart() {}

    /** The chart. */
    public static String svg(String title, List<String> systems, List<Overhead.Round> rounds) {
        double most = 1.2
                * rounds.stream()
                        .flatMap(round -> round.micros().values().stream())
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(1);
        Svg svg = new Svg(LEFT + systems.size() * COLUMN + 20, TOP + HEIGHT + 40, "sans-serif", 11);
        svg.put("<text x=\"10\" y=\"20\" font-size=\"13\">%s</text>%n", Svg.escaped(title));
        svg.put("<text x=\"10\" y=\"38\" fill=\"#555\">processor time of a call, µs, a point for each round</text>%n");
        for (int i = 0; i <= 4; i++) {
            double y = TOP + HEIGHT * (1 - i / 4.0);
            svg.put(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#eee\"/>%n",
                    LEFT, LEFT + systems.size() * COLUMN, y, y);
            svg.put(
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#555\">%.0f</text>%n",
                    LEFT - 6, y + 4, most * i / 4);
        }
        for (int i = 0; i < systems.size(); i++) {
            column(svg, systems.get(i), rounds, most, LEFT + i * COLUMN + COLUMN / 2);
        }
        return svg.end();
    }

    private static void column(Svg svg, String system, List<Overhead.Round> rounds, double most, int x) {
        double[] micros =
                rounds.stream().mapToDouble(round -> round.of(system)).sorted().toArray();
        for (double each : micros) {
            svg.put("<circle cx=\"%d\" cy=\"%.1f\" r=\"3\" fill=\"#1f5fa8\"/>%n", x, TOP + HEIGHT * (1 - each / most));
        }
        double median = micros[micros.length / 2];
        double y = TOP + HEIGHT * (1 - median / most);
        svg.put("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#c62828\"/>%n", x - 20, x + 20, y, y);
        svg.put(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s %s</text>%n",
                x, TOP + HEIGHT + 18, Svg.escaped(system), String.format(Locale.ROOT, "%.1f", median));
    }
}
