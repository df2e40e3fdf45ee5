package io.thalweg.cli;

import io.thalweg.history.Skew;
import io.thalweg.runner.Console;
import io.thalweg.runner.SkewRun;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg skew}: compares what was served with the feature log. */
@Command(
        name = "skew",
        description =
                "Compares a sample of the answers of servers with the feature logs of views, and names the cause of"
                        + " each difference.",
        footer = {
            "",
            "Example:",
            "  thalweg skew --served .thalweg/served --views demand --html skew.html --max-different 0",
            "",
            "Exit code 1 if a limit is exceeded."
        })
final class SkewCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Option(
            names = "--served",
            paramLabel = "FOLDER",
            description = "The serving log. Default: server.serving_log.dir of thalweg.yaml.")
    private @Nullable Path served;

    @Option(
            names = "--views",
            required = true,
            split = ",",
            paramLabel = "VIEW",
            description = "Files, or names found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    @Option(names = "--from", paramLabel = "TIME", description = "The first read, such as 2026-11-30T00:00Z.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "The end of the reads, exclusive.")
    private @Nullable String to;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            description = "How long after a row became readable an answer may lack it (default: ${DEFAULT-VALUE}).")
    private String grace = "2s";

    @Option(
            names = "--training",
            paramLabel = "FILE",
            description =
                    "A training set whose values are the baseline of distributions. Default: the answers of the week"
                            + " before --from.")
    private @Nullable Path training;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(names = "--html", paramLabel = "FILE", description = "Also write the report as a page.")
    private @Nullable Path html;

    @Option(
            names = "--max-different",
            paramLabel = "N|P%%",
            description = "Fail if more answers have other bits than the log.")
    private @Nullable String maxDifferent;

    @Option(names = "--max-stale", paramLabel = "N|P%%", description = "Fail if more answers are stale.")
    private @Nullable String maxStale;

    @Option(
            names = "--max-missing",
            paramLabel = "N|P%%",
            description = "Fail if more answers lack a row, online or in the log.")
    private @Nullable String maxMissing;

    @Option(
            names = "--max-psi",
            paramLabel = "NUMBER",
            description = "Fail if a feature's population stability index is above, such as 0.25.")
    private @Nullable Double maxPsi;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "For answers that are compared at once (default: ${DEFAULT-VALUE}).")
    private String memory = "512MiB";

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    SkewCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        ViewFiles files = config.views(console);
        SkewRun.Span span = new SkewRun.Span(
                OptionText.timeMs("--from", from, Skew.Settings.ALWAYS),
                OptionText.timeMs("--to", to, Skew.Settings.FOREVER),
                OptionText.durationMs("--grace", "a duration", grace, "2s"),
                training,
                OptionText.bytes("--memory", memory, "512MiB"));
        SkewRun.Limits limits = new SkewRun.Limits(
                limit("--max-different", maxDifferent),
                limit("--max-stale", maxStale),
                limit("--max-missing", maxMissing),
                maxPsi);
        return new SkewRun(files.loadLogged(views), files.deploymentConfig(), served, span, limits, html, json)
                .run(console, quiet);
    }

    private static SkewRun.@Nullable Limit limit(String option, @Nullable String text) {
        return text == null ? null : SkewRun.Limit.parse(option, text);
    }
}
