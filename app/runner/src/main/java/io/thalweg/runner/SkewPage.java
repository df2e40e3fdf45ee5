package io.thalweg.runner;

import io.thalweg.history.Drift;
import io.thalweg.history.SkewReport;
import io.thalweg.history.SkewReport.Cause;
import io.thalweg.history.ValueSample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A report of skew as one HTML page, without scripts and other files. */
final class SkewPage {
    private static final int BINS = 24;
    private static final int BAR = 8;
    private static final int HEIGHT = 60;
    private static final String STYLE = """
            :root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
            body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; margin: 1rem 0; }
            .wide { overflow-x: auto; }
            th, td { padding: .25rem .75rem .25rem 0; text-align: left; border-bottom: 1px solid #8884; }
            td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
            tr.bad td { color: #c62828; }
            svg { display: block; }
            .served { fill: #1e88e5; } .baseline { fill: none; stroke: #888; stroke-width: 1.5; }
            """;

    private SkewPage() {}

    static String html(List<SkewReport> reports) {
        StringBuilder out = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
                <title>Thalweg: skew</title><style>
                """)
                .append(STYLE)
                .append("</style></head><body>\n<h1>Skew: answers against the feature log</h1>\n");
        reports.forEach(report -> view(report, out));
        return out.append("</body></html>\n").toString();
    }

    private static void view(SkewReport report, StringBuilder out) {
        out.append("<h2>%s</h2>\n<p>%s answers from %s to %s.</p>\n"
                .formatted(
                        text(report.view()),
                        count(report.total()),
                        Instant.ofEpochMilli(report.fromMs()),
                        Instant.ofEpochMilli(report.toMs())));
        out.append("<table><tr><th>Cause</th><th>Meaning</th><th class=n>Answers</th><th class=n>Share</th></tr>\n");
        for (Cause cause : Cause.values()) {
            long answers = report.count(cause);
            boolean bad = cause == Cause.DIFFERENT && answers > 0;
            out.append("<tr%s><td>%s</td><td>%s</td><td class=n>%s</td><td class=n>%s</td></tr>\n"
                    .formatted(
                            bad ? " class=bad" : "",
                            cause,
                            text(cause.meaning()),
                            count(answers),
                            SkewText.share(answers / (double) report.total())));
        }
        out.append("</table>\n");
        examples(report, out);
        features(report, out);
    }

    private static void examples(SkewReport report, StringBuilder out) {
        if (report.examples().isEmpty()) {
            return;
        }
        out.append("<h3>Examples</h3><ul>\n");
        for (SkewReport.Example example : report.examples()) {
            out.append("<li>%s, key %s at %s: %s</li>\n"
                    .formatted(
                            example.cause(),
                            text(example.key()),
                            Instant.ofEpochMilli(example.readAtMs()),
                            text(example.what())));
        }
        out.append("</ul>\n");
    }

    private static void features(SkewReport report, StringBuilder out) {
        boolean compared = report.features().stream().anyMatch(feature -> feature.drift() != null);
        out.append("<h3>Features</h3>\n<p>")
                .append(
                        compared
                                ? "Bars are served values other than zero, the line is the baseline; features with the greatest PSI first."
                                : "Bars are served values other than zero. There is no baseline: give --training, or --from with older answers in the serving log.")
                .append("</p>\n<div class=wide><table><tr><th>Feature</th><th>Values</th><th class=n>Different</th>")
                .append("<th class=n>Null</th><th class=n>Zero</th><th class=n>Median</th><th class=n>p99</th>")
                .append("<th class=n>PSI</th><th class=n>KS</th></tr>\n");
        List<SkewReport.Feature> ordered = new ArrayList<>(report.features());
        ordered.sort(Comparator.comparingDouble(
                feature -> feature.drift() == null ? 0 : -feature.drift().psi()));
        for (SkewReport.Feature feature : ordered) {
            double[] values = feature.served().sorted();
            Drift drift = feature.drift();
            long different = feature.causes().getOrDefault(Cause.DIFFERENT, 0L);
            out.append("<tr%s><td>%s</td><td>".formatted(different > 0 ? " class=bad" : "", text(feature.name())));
            histogram(values, feature.baseline(), out);
            out.append("</td>");
            for (String cell : List.of(
                    count(different),
                    SkewText.share(feature.served().nullShare()),
                    SkewText.share(feature.served().zeroShare()),
                    SkewText.number(SkewText.quantile(values, 0.5)),
                    SkewText.number(SkewText.quantile(values, 0.99)),
                    drift == null ? "-" : SkewText.number(drift.psi()),
                    drift == null ? "-" : SkewText.number(drift.ks()))) {
                out.append("<td class=n>").append(cell).append("</td>");
            }
            out.append("</tr>\n");
        }
        out.append("</table></div>\n");
    }

    /** Draws the values but zeros, between the first and the last percentile of both, and the rest in the outermost bars. */
    private static void histogram(double[] values, @Nullable ValueSample baseline, StringBuilder out) {
        double[] served = withoutZeros(values);
        double[] base = baseline == null ? new double[0] : withoutZeros(baseline.sorted());
        if (served.length == 0) {
            out.append("-");
            return;
        }
        double low = Math.min(at(served, 0.01), base.length == 0 ? Double.MAX_VALUE : at(base, 0.01));
        double high = Math.max(at(served, 0.99), base.length == 0 ? -Double.MAX_VALUE : at(base, 0.99));
        double[] bars = shares(served, low, high);
        double[] line = shares(base, low, high);
        double most = 0;
        for (int i = 0; i < BINS; i++) {
            most = Math.max(most, Math.max(bars[i], line[i]));
        }
        out.append("<svg width=%1$d height=%2$d role=img aria-label=\"%3$s to %4$s\">"
                .formatted(BINS * BAR, HEIGHT, SkewText.number(low), SkewText.number(high)));
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < BINS; i++) {
            int top = (int) Math.round(HEIGHT * (1 - bars[i] / most));
            if (top < HEIGHT) {
                out.append("<rect class=served x=%d y=%d width=%d height=%d />"
                        .formatted(i * BAR, top, BAR - 1, HEIGHT - top));
            }
            long level = Math.round(HEIGHT * (1 - line[i] / most));
            path.append(i == 0 ? "M" : "L").append(i * BAR).append(' ').append(level);
            path.append('L').append((i + 1) * BAR).append(' ').append(level);
        }
        if (base.length > 0) {
            out.append("<path class=baseline d=\"").append(path).append("\" />");
        }
        out.append("</svg>%s … %s".formatted(SkewText.number(low), SkewText.number(high)));
    }

    private static double[] withoutZeros(double[] values) {
        return Arrays.stream(values).filter(value -> value != 0).toArray();
    }

    private static double at(double[] ascending, double q) {
        Double value = SkewText.quantile(ascending, q);
        return value == null ? 0 : value;
    }

    private static double[] shares(double[] values, double low, double high) {
        double[] shares = new double[BINS];
        for (double value : values) {
            int bin = high > low ? (int) ((value - low) / (high - low) * BINS) : 0;
            shares[Math.max(0, Math.min(BINS - 1, bin))] += 1.0 / values.length;
        }
        return shares;
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
