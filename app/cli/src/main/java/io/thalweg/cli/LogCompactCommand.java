package io.thalweg.cli;

import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.FeatureLogs;
import io.thalweg.runner.ViewFiles;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg log compact}: fewer files in feature logs. */
@Command(
        name = "compact",
        description =
                "Merges small files of feature logs and removes rows that offline.keep no longer covers, as a running job"
                        + " does. A job may write to them meanwhile.",
        footer = {"", "Example:", "  thalweg log compact demand"})
final class LogCompactCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(arity = "1..*", paramLabel = "VIEW", description = "A file, or a name found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    LogCompactCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        ViewFiles files = config.views(console);
        for (FeatureView view : files.loadLogged(views)) {
            FeatureLogs.compact(view, files.deploymentConfig(), console);
        }
        return 0;
    }
}
