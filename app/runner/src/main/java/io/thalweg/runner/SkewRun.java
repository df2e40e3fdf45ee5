package io.thalweg.runner;

import io.thalweg.history.FeatureLog;
import io.thalweg.history.KeyHash;
import io.thalweg.history.LogMismatchException;
import io.thalweg.history.Skew;
import io.thalweg.history.SkewReport;
import io.thalweg.history.SkewReport.Cause;
import io.thalweg.history.SpineException;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.ServingLogConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.UnfitTableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the serving log of views with their feature logs.
 *
 * @param served folder of the serving log; null = the one of {@code thalweg.yaml}
 * @param limits beyond which the comparison fails
 * @param html a file for the report; null = none
 * @param json whether the report on standard output is JSON
 */
public record SkewRun(
        List<FeatureView> views,
        DeploymentConfig deploymentConfig,
        @Nullable Path served,
        Span span,
        Limits limits,
        @Nullable Path html,
        boolean json) {
    /** The newest page, in the folder of the serving log. */
    private static final String PAGE = "skew.html";

    /** As {@link Skew.Settings}. */
    public record Span(
            long fromMs, long toMs, long graceMs, @Nullable Path training, long memoryBytes) {}

    /**
     * Limits; null = none.
     *
     * @param different of answers that have other bits than the log
     * @param stale of answers that are too old
     * @param missing of answers where the log or the server has no row
     * @param psi of each feature
     */
    public record Limits(
            @Nullable Limit different,
            @Nullable Limit stale,
            @Nullable Limit missing,
            @Nullable Double psi) {}

    /**
     * A number of answers, or a share of them.
     *
     * @param text as the user wrote it
     */
    public record Limit(String text, double most, boolean isShare) {
        /** Parses {@code 3} or {@code 0.1%}. */
        public static Limit parse(String option, String text) {
            boolean isShare = text.endsWith("%");
            try {
                double most = Double.parseDouble(isShare ? text.substring(0, text.length() - 1) : text);
                if (most >= 0 && (isShare ? most <= 100 : most == Math.rint(most))) {
                    return new Limit(text, isShare ? most / 100 : most, isShare);
                }
            } catch (NumberFormatException e) {
                // reported below
            }
            throw UserError.usage(option + " must be a number of answers or a percentage, was " + text, "such as 0.1%");
        }

        boolean isExceeded(long answers, long of) {
            return answers > (isShare ? most * of : most);
        }
    }

    /** Prints a report of each view; returns the exit code. */
    public int run(Console console, boolean quiet) throws IOException, InterruptedException {
        Path folder = folder();
        List<SkewReport> reports = new ArrayList<>();
        Closeables open = new Closeables();
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, open::close);
        try (open;
                ProgressLine progress = console.progress(quiet)) {
            for (FeatureView view : views) {
                FeatureLog log = open.add(FeatureLogs.open(view, deploymentConfig));
                SkewReport report = new Skew(log, settings(folder))
                        .compare(answers -> progress.show(() -> "%,d answers".formatted(answers)));
                if (report.total() == 0) {
                    throw UserError.failed(
                            "the serving log %s has no answers of view %s at that time"
                                    .formatted(folder, view.qualifiedName()),
                            "a server keeps them with server.serving_log, and writes a file each minute");
                }
                reports.add(report);
            }
            String page = SkewPage.html(reports);
            Files.writeString(folder.resolve(PAGE), page);
            for (SkewReport report : reports) {
                Files.writeString(
                        json(folder, report.view()), SkewText.json(report).toString());
            }
            if (html != null) {
                FinishedFile file = open.add(FinishedFile.open("--html", html));
                file.out().write(page.getBytes(StandardCharsets.UTF_8));
                file.finish();
            }
        } catch (LogMismatchException | SpineException | UnfitTableException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        } finally {
            interrupt.disarm();
        }
        if (json) {
            console.out().println(SkewText.json(reports));
        } else {
            reports.forEach(report -> SkewText.print(report, console.out()));
        }
        List<String> exceeded =
                reports.stream().flatMap(report -> exceeded(report).stream()).toList();
        exceeded.forEach(console.err()::println);
        return exceeded.isEmpty() ? 0 : 1;
    }

    /** The file of the newest report of a view, in the folder of the serving log. */
    static Path json(Path folder, String view) {
        return folder.resolve(view).resolve("skew.json");
    }

    private Path folder() {
        ServingLogConfig config = deploymentConfig.server().servingLog();
        Path folder = served != null ? served : config == null ? null : config.dir();
        if (folder == null) {
            throw UserError.usage(
                    "no serving log is named",
                    "such as --served .thalweg/served, or server.serving_log in thalweg.yaml");
        }
        if (!Files.isDirectory(folder)) {
            throw UserError.failed(
                    "the serving log %s does not exist".formatted(folder),
                    "a server writes it with server.serving_log in thalweg.yaml");
        }
        return folder;
    }

    private Skew.Settings settings(Path folder) {
        ServingLogConfig config = deploymentConfig.server().servingLog();
        String secret = config == null ? null : config.hashSecret();
        return new Skew.Settings(
                folder,
                secret == null ? null : new KeyHash(secret),
                span.fromMs(),
                span.toMs(),
                span.graceMs(),
                span.training(),
                span.memoryBytes(),
                Runtime.getRuntime().availableProcessors());
    }

    private List<String> exceeded(SkewReport report) {
        List<String> exceeded = new ArrayList<>();
        add(exceeded, report, "--max-different", limits.different(), "differ", report.count(Cause.DIFFERENT));
        add(exceeded, report, "--max-stale", limits.stale(), "are stale", report.count(Cause.STALE));
        add(
                exceeded,
                report,
                "--max-missing",
                limits.missing(),
                "lack a row on one side",
                report.count(Cause.MISSING_ONLINE) + report.count(Cause.MISSING_LOG));
        Double psi = limits.psi();
        for (SkewReport.Feature feature : report.features()) {
            if (psi != null && feature.drift() != null && feature.drift().psi() > psi) {
                exceeded.add("--max-psi %s: feature %s of view %s has %.3f"
                        .formatted(
                                psi,
                                feature.name(),
                                report.view(),
                                feature.drift().psi()));
            }
        }
        return exceeded;
    }

    private static void add(
            List<String> exceeded, SkewReport report, String option, @Nullable Limit limit, String what, long answers) {
        if (limit != null && limit.isExceeded(answers, report.total())) {
            exceeded.add("%s %s: %,d of %,d answers of view %s %s"
                    .formatted(option, limit.text(), answers, report.total(), report.view(), what));
        }
    }
}
