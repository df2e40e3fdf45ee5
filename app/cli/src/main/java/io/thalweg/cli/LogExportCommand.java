package io.thalweg.cli;

import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.FeatureLogs;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg log export}: rows of a feature log as a flat table. */
@Command(
        name = "export",
        description =
                "Writes rows of a feature log as a flat table: entities, window_end, and a column for each feature.",
        footer = {
            "",
            "Examples:",
            "  thalweg log export demand --from 2026-11-30T00:00Z --out rows.parquet",
            "  thalweg log export demand --feast --out feature_repo/demand.parquet"
        })
final class LogExportCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(paramLabel = "VIEW", description = "A file, or a name found in views: of thalweg.yaml.")
    private String view = "";

    @Option(names = "--from", paramLabel = "TIME", description = "The first window end, such as 2026-11-30T00:00Z.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "The last window end.")
    private @Nullable String to;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "A .parquet or .csv file.")
    private Path out = Path.of("");

    @Option(
            names = "--feast",
            description = "A table that Feast reads as a source: cells and booleans as whole numbers, and readable_at.")
    private boolean feast;

    @Option(
            names = "--available",
            paramLabel = "logged|DELAY",
            description = "With --feast: readable_at is the time that the log recorded (default), or a delay after the"
                    + " window end, such as 12s, for rows that were computed later.")
    private @Nullable String available;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    LogExportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        if (available != null && !feast) {
            throw UserError.usage("--available goes with --feast", "add --feast, or leave it out");
        }
        ViewFiles files = config.views(console);
        FeatureView loaded = files.oneLogged(view);
        if (feast && loaded.isTable()) {
            throw UserError.usage(
                    "--feast is for views; " + view + " is a materialization",
                    "name the table's own files as the source of a feature view of Feast");
        }
        FeatureLogs.export(
                loaded,
                files.deploymentConfig(),
                OptionText.timeMs("--from", from, Long.MIN_VALUE),
                OptionText.timeMs("--to", to, Long.MAX_VALUE),
                feast
                        ? new FeatureLogs.ReadableFrom(
                                OptionText.availableAfterMs(available == null ? "logged" : available))
                        : null,
                out,
                console,
                quiet);
        return 0;
    }
}
