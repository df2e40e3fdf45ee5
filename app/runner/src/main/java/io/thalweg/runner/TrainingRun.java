package io.thalweg.runner;

import io.thalweg.history.FeatureLog;
import io.thalweg.history.LogMismatchException;
import io.thalweg.history.SpineException;
import io.thalweg.history.TrainingSet;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.UnfitTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes a training set. Ctrl-C leaves no half-written file.
 *
 * @param features the features to add, by view; views without an entry get all of theirs
 */
public record TrainingRun(
        List<FeatureView> views,
        Map<String, List<String>> features,
        DeploymentConfig deploymentConfig,
        Path spine,
        Path out,
        TrainingSet.Settings settings) {
    /**
     * Groups features by view.
     *
     * @param names {@code VIEW:FEATURE}, or {@code VIEW:*}
     */
    public static Map<String, List<String>> byView(List<String> names, List<FeatureView> views) {
        Map<String, List<String>> byView = new LinkedHashMap<>();
        for (String name : names) {
            int colon = name.indexOf(':');
            String view = colon < 0 ? "" : name.substring(0, colon);
            FeatureView known = views.stream()
                    .filter(each -> each.qualifiedName().equals(view))
                    .findAny()
                    .orElseThrow(() -> UserError.usage(
                            "--features must be VIEW:FEATURE of a view in --views, was " + name,
                            Suggestion.hint(
                                    view,
                                    views.stream()
                                            .map(FeatureView::qualifiedName)
                                            .toList())));
            List<String> into = byView.computeIfAbsent(view, any -> new ArrayList<>());
            if (name.substring(colon + 1).equals("*")) {
                into.addAll(known.featureNames());
            } else {
                into.add(name.substring(colon + 1));
            }
        }
        return byView;
    }

    /** Writes the file and reports what is in it. */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        RowTable.Form form = FeatureLogs.form(out);
        if (!Files.exists(spine)) {
            throw UserError.failed(
                    "--spine %s: no such file".formatted(spine),
                    "name a Parquet or CSV file of labels, a folder of Parquet files, or the folder of an Iceberg table");
        }
        Closeables open = new Closeables();
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, open::close);
        try (open;
                ProgressLine progress = console.progress(quiet)) {
            long begun = System.nanoTime();
            List<TrainingSet.Part> parts = new ArrayList<>();
            for (FeatureView view : views) {
                FeatureLog log = open.add(FeatureLogs.open(view, deploymentConfig));
                parts.add(new TrainingSet.Part(log, features.getOrDefault(view.qualifiedName(), view.featureNames())));
            }
            FinishedFile file = open.add(FinishedFile.open("--out", out));
            TrainingSet.Result result = new TrainingSet(parts, settings)
                    .write(
                            spine,
                            form,
                            file.out(),
                            (labels, bytes) -> progress.show(() ->
                                    "%,d labels, %s of the log read".formatted(labels, Units.bytes((double) bytes))));
            file.finish();
            double seconds = (System.nanoTime() - begun) / 1e9;
            console.err()
                    .println(String.format(
                            Locale.ROOT,
                            "labels=%d log_bytes=%d seconds=%.1f",
                            result.labels(),
                            result.logBytes(),
                            seconds));
            result.statuses().forEach((view, counts) -> console.err().println(view + ": " + counts(counts)));
        } catch (SpineException | UnfitTableException | LogMismatchException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        } finally {
            interrupt.disarm();
        }
    }

    private static String counts(Map<String, Long> statuses) {
        return statuses.entrySet().stream()
                .map(status -> "%s %,d".formatted(status.getKey(), status.getValue()))
                .collect(Collectors.joining(", "));
    }
}
