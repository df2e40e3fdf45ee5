package io.thalweg.runner;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.history.Drift;
import io.thalweg.history.SkewReport;
import io.thalweg.history.SkewReport.Cause;
import io.thalweg.history.ValueSample;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Prints reports of skew as text and as JSON. */
final class SkewText {
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;

    private SkewText() {}

    static void print(SkewReport report, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "view %s: %,d answers from %s to %s%n",
                report.view(),
                report.total(),
                Instant.ofEpochMilli(report.fromMs()),
                Instant.ofEpochMilli(report.toMs()));
        TextTable causes = new TextTable(2, List.of("cause", "meaning", "answers", "share"));
        for (Cause cause : Cause.values()) {
            if (report.count(cause) > 0) {
                causes.add(List.of(
                        cause.name(),
                        cause.meaning(),
                        String.format(Locale.ROOT, "%,d", report.count(cause)),
                        share(report.count(cause) / (double) report.total())));
            }
        }
        causes.print(out, "  ");
        TextTable features = new TextTable(
                1, List.of("feature", "answers", "different", "null", "zero", "median", "p99", "psi", "ks"));
        for (SkewReport.Feature feature : report.features()) {
            double[] values = feature.served().sorted();
            Drift drift = feature.drift();
            long answers = feature.causes().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            features.add(List.of(
                    feature.name(),
                    String.format(Locale.ROOT, "%,d", answers),
                    String.format(Locale.ROOT, "%,d", feature.causes().getOrDefault(Cause.DIFFERENT, 0L)),
                    share(feature.served().nullShare()),
                    share(feature.served().zeroShare()),
                    number(quantile(values, MEDIAN)),
                    number(quantile(values, P99)),
                    drift == null ? "-" : number(drift.psi()),
                    drift == null ? "-" : number(drift.ks())));
        }
        features.print(out, "  ");
        for (SkewReport.Example example : report.examples()) {
            out.println("  %s %s at %s: %s"
                    .formatted(
                            example.cause(), example.key(), Instant.ofEpochMilli(example.readAtMs()), example.what()));
        }
    }

    static String share(double share) {
        return share > 0 && share < 0.0001 ? "<0.01%" : String.format(Locale.ROOT, "%.2f%%", 100 * share);
    }

    static String number(@Nullable Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, "%.4g", value);
    }

    /** Returns a quantile of ascending values; null if there are none. */
    static @Nullable Double quantile(double[] ascending, double q) {
        return ascending.length == 0 ? null : ascending[(int) Math.min(ascending.length - 1, q * ascending.length)];
    }

    static String json(List<SkewReport> reports) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        ArrayNode views = root.putArray("views");
        reports.forEach(report -> views.add(json(report)));
        return root.toPrettyString();
    }

    static ObjectNode json(SkewReport report) {
        ObjectNode view = new ObjectMapper().createObjectNode();
        view.put("view", report.view());
        view.put("answers", report.total());
        view.put("from", Instant.ofEpochMilli(report.fromMs()).toString());
        view.put("to", Instant.ofEpochMilli(report.toMs()).toString());
        put(view.putObject("causes"), report::count);
        ArrayNode features = view.putArray("features");
        for (SkewReport.Feature feature : report.features()) {
            ObjectNode of = features.addObject();
            of.put("feature", feature.name());
            put(of.putObject("causes"), cause -> feature.causes().getOrDefault(cause, 0L));
            put(of.putObject("served"), feature.served());
            ValueSample baseline = feature.baseline();
            if (baseline != null) {
                put(of.putObject("baseline"), baseline);
            }
            Drift drift = feature.drift();
            if (drift != null) {
                of.put("psi", drift.psi());
                of.put("ks", drift.ks());
            }
        }
        ArrayNode examples = view.putArray("examples");
        for (SkewReport.Example example : report.examples()) {
            examples.addObject()
                    .put("cause", name(example.cause()))
                    .put("key", example.key())
                    .put("read_at", Instant.ofEpochMilli(example.readAtMs()).toString())
                    .put("what", example.what());
        }
        return view;
    }

    private static void put(ObjectNode into, ToLongFunction<Cause> count) {
        for (Cause cause : Cause.values()) {
            into.put(name(cause), count.applyAsLong(cause));
        }
    }

    private static String name(Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT);
    }

    private static void put(ObjectNode into, ValueSample sample) {
        double[] values = sample.sorted();
        into.put("values", sample.values())
                .put("null_share", sample.nullShare())
                .put("zero_share", sample.zeroShare())
                .put("min", quantile(values, 0))
                .put("median", quantile(values, MEDIAN))
                .put("p99", quantile(values, P99))
                .put("max", quantile(values, 1));
    }
}
