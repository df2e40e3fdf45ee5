package io.thalweg.bench.qalm;

import io.thalweg.bench.Svg;
import io.thalweg.bench.qalm.Measured.Step;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * An experiment as an SVG: a row for each system, on the left the p99 of each caller's answers over time, from 1 ms to 100 s, on
 * the right its calls answered each second, and, dashed, not answered.
 */
public final class QalmChart {
    private static final List<String> COLOURS = List.of("#1f5fa8", "#c62828", "#2e7d32", "#7b1fa2", "#ef6c00");
    private static final int LEFT = 60;
    private static final int TOP = 64;
    private static final int WIDTH = 440;
    private static final int GAP = 60;
    private static final int HEIGHT = 110;
    private static final int ROW = HEIGHT + 40;
    private static final double LOG_MAX = 5;

    private final Experiment experiment;
    private final List<Measured> runs;
    private final double callsMax;
    private final Svg svg;

    private QalmChart(Experiment experiment, List<Measured> runs) {
        this.experiment = experiment;
        this.runs = runs;
        int step = Tally.stepSeconds(experiment);
        callsMax = runs.stream()
                        .flatMap(run -> run.courses().entrySet().stream())
                        .filter(course -> !course.getKey().equals(Measured.ALL))
                        .flatMap(course -> course.getValue().stream())
                        .mapToDouble(point -> (double)
                                        Math.max(point.span().ok(), point.span().lost())
                                / step)
                        .max()
                        .orElse(1)
                * 1.1;
        svg = new Svg(2 * WIDTH + LEFT + GAP + 20, TOP + runs.size() * ROW, "sans-serif", 11);
    }

    /** The chart. */
    public static String svg(Experiment experiment, List<Measured> runs) {
        return new QalmChart(experiment, runs).drawn();
    }

    private String drawn() {
        String title = experiment.name() + " " + experiment.question();
        svg.put("<text x=\"10\" y=\"20\" font-size=\"13\">%s</text>%n", Svg.escaped(title));
        legend();
        for (int i = 0; i < runs.size(); i++) {
            int y = TOP + i * ROW;
            svg.put(
                    "<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>%n",
                    y - 4, Svg.escaped(runs.get(i).system()));
            latency(runs.get(i), LEFT, y);
            rates(runs.get(i), LEFT + WIDTH + GAP, y);
        }
        return svg.end();
    }

    private void legend() {
        int x = LEFT;
        List<Experiment.Stream> streams = experiment.streams();
        for (int i = 0; i < streams.size(); i++) {
            String label = "%s (level %d)"
                    .formatted(streams.get(i).caller(), streams.get(i).level());
            svg.put(
                    "<text x=\"%d\" y=\"38\" fill=\"%s\">%s</text>%n",
                    x, COLOURS.get(i % COLOURS.size()), Svg.escaped(label));
            x += 20 + 7 * label.length();
        }
    }

    private void latency(Measured run, int x, int y) {
        frame(x, y, "p99 of answers");
        for (int power = 0; power <= LOG_MAX; power++) {
            double at = y + HEIGHT * (1 - power / LOG_MAX);
            svg.put("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#eee\"/>%n", x, x + WIDTH, at, at);
            String label =
                    power < 3 ? Math.round(Math.pow(10, power)) + " ms" : Math.round(Math.pow(10, power - 3.0)) + " s";
            svg.put("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#555\">%s</text>%n", x - 4, at + 4, label);
        }
        lines(run, x, y, "", point -> {
            double ms = point.span().p99Ms();
            return point.span().ok() == 0 ? Double.NaN : Math.log10(Math.max(1, ms)) / LOG_MAX;
        });
    }

    private void rates(Measured run, int x, int y) {
        int step = Tally.stepSeconds(experiment);
        frame(x, y, "calls a second: answered, and (dashed) not");
        svg.put("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%.0f</text>%n", x - 4, y + 8, callsMax);
        svg.put("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">0</text>%n", x - 4, y + HEIGHT);
        lines(run, x, y, "", point -> point.span().ok() / callsMax / step);
        lines(run, x, y, " stroke-dasharray=\"3 3\"", point -> point.span().lost() / callsMax / step);
    }

    private void frame(int x, int y, String label) {
        svg.put(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#ccc\"/>%n",
                x, y, WIDTH, HEIGHT);
        svg.put("<text x=\"%d\" y=\"%d\" fill=\"#555\">%s</text>%n", x, y + HEIGHT + 14, label);
        svg.put(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%d s</text>%n",
                x + WIDTH, y + HEIGHT + 14, experiment.seconds());
    }

    private void lines(Measured run, int x, int y, String dashes, ToDoubleFunction<Step> height) {
        Map<String, List<Step>> courses = run.courses();
        for (int i = 0; i < experiment.streams().size(); i++) {
            StringBuilder points = new StringBuilder();
            for (Step point : courses.getOrDefault(experiment.streams().get(i).caller(), List.of())) {
                double up = height.applyAsDouble(point);
                if (!Double.isNaN(up)) {
                    points.append(String.format(
                            Locale.ROOT,
                            "%.1f,%.1f ",
                            x + WIDTH * (double) point.second() / experiment.seconds(),
                            y + HEIGHT * (1 - Math.min(1, up))));
                }
            }
            svg.put(
                    "<polyline fill=\"none\" stroke=\"%s\"%s points=\"%s\"/>%n",
                    COLOURS.get(i % COLOURS.size()), dashes, points);
        }
    }
}
