package io.thalweg.runner;

import io.thalweg.history.FeatureLog;
import io.thalweg.history.LogMismatchException;
import io.thalweg.history.SpineException;
import io.thalweg.history.TrainingSet;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import io.thalweg.tables.UnfitTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a training set. An interrupted run resumes with the same command.
 *
 * @param features the features to add, by view; views without an entry get all of theirs
 * @param out as of {@link TrainingOutput#of}
 * @param catalog of {@code out}, if that is a table
 */
public record TrainingRun(
        List<FeatureView> views,
        Map<String, List<String>> features,
        DeploymentConfig deploymentConfig,
        Path spine,
        String out,
        String catalog,
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

    /** Writes the output and reports what is in it. After Ctrl-C, the labels that are answered are kept for the next run. */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        if (!Files.exists(spine)) {
            throw UserError.failed(
                    "--spine %s: no such file".formatted(spine),
                    "name a Parquet or CSV file of labels, a folder of Parquet files, or the folder of an Iceberg table");
        }
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<TrainingSet> running = new AtomicReference<>();
        Interrupt interrupt = Interrupt.with(
                UserError.INTERRUPTED,
                () -> {
                    interrupted.set(true);
                    stop(running.get());
                },
                over);
        try (Closeables open = new Closeables();
                ProgressLine progress = console.progress(quiet)) {
            long begunNanos = System.nanoTime();
            List<TrainingSet.Part> parts = new ArrayList<>();
            for (FeatureView view : views) {
                FeatureLog log = open.add(FeatureLogs.open(view, deploymentConfig));
                parts.add(new TrainingSet.Part(log, features.getOrDefault(view.qualifiedName(), view.featureNames())));
            }
            TrainingOutput output = open.add(TrainingOutput.of(out, catalog, deploymentConfig, description(parts)));
            TrainingSet.Result begun = output.begun();
            if (begun != null) {
                progress.say("resuming after %,d labels".formatted(begun.labels()));
            }
            TrainingSet set = new TrainingSet(parts, settings);
            running.set(set);
            if (interrupted.get()) {
                stop(set);
            }
            TrainingSet.Result result = set.write(
                    spine,
                    output,
                    begun,
                    (labels, bytes) -> progress.show(
                            () -> "%,d labels, %s of the log read".formatted(labels, Units.bytes((double) bytes))));
            if (!result.complete()) {
                progress.say(kept(output, result));
                return;
            }
            output.finish();
            double seconds = (System.nanoTime() - begunNanos) / 1e9;
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
            over.countDown();
            interrupt.disarm();
        }
    }

    private static String kept(TrainingOutput output, TrainingSet.Result result) {
        try {
            return output.keep(result);
        } catch (IOException e) {
            return "interrupted; what was written cannot be kept: " + FileReason.of(e);
        }
    }

    private static void stop(@Nullable TrainingSet running) {
        if (running != null) {
            running.stop();
        }
    }

    /** Describes everything that determines the rows, apart from the logs, which only grow. */
    private String description(List<TrainingSet.Part> parts) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(spine.toRealPath())) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                text.append("%s %d %s%n"
                        .formatted(file.toAbsolutePath(), Files.size(file), Files.getLastModifiedTime(file)));
            }
        }
        text.append("%s%n%s %s%n%s%n%s%n"
                .formatted(
                        settings.time(),
                        new TreeMap<>(settings.keys().names()),
                        settings.keys().cellAt(),
                        settings.delayMs(),
                        settings.extras()));
        for (TrainingSet.Part part : parts) {
            FeatureView view = part.log().view();
            text.append("%s %s%n%s%n%s%n%s %s%n"
                    .formatted(
                            view.qualifiedName(),
                            part.features(),
                            ViewFingerprint.of(view),
                            view.online(),
                            part.log().address().catalog().text(),
                            part.log().address().name()));
        }
        return text.toString();
    }

    private static String counts(Map<String, Long> statuses) {
        return statuses.entrySet().stream()
                .map(status -> "%s %,d".formatted(status.getKey(), status.getValue()))
                .collect(Collectors.joining(", "));
    }
}
