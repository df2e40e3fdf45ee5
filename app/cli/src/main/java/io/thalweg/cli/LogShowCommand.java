package io.thalweg.cli;

import io.thalweg.history.FeatureLog;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.FeatureLogs;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.Units;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg log show}: what feature logs contain. */
@Command(
        name = "show",
        description = "Shows the window ends, rows and bytes of feature logs.",
        footer = {"", "Example:", "  thalweg log show demand"})
final class LogShowCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(arity = "1..*", paramLabel = "VIEW", description = "A file, or a name found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    LogShowCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        ViewFiles files = config.views(console);
        TextTable table = new TextTable(
                3,
                List.of("VIEW", "FIRST END", "LAST END", "ENDS", "MISSING", "READABLE AFTER", "FILES", "ROWS", "SIZE"));
        for (FeatureView view : files.loadLogged(views)) {
            try (FeatureLog log = FeatureLogs.open(view, files.deploymentConfig())) {
                table.add(line(view, log.ends(), log.size()));
            }
        }
        table.print(console.out(), "");
        return 0;
    }

    private static List<String> line(FeatureView view, NavigableMap<Long, FeatureLog.Ends> ends, FeatureLog.Size size) {
        String sizes = Units.bytes((double) size.bytes());
        String files = String.valueOf(size.files());
        String rows = String.format(Locale.ROOT, "%,d", size.rows());
        if (ends.isEmpty()) {
            return List.of(view.qualifiedName(), "-", "-", "0", "0", "-", files, rows, sizes);
        }
        return List.of(
                view.qualifiedName(),
                Instant.ofEpochMilli(ends.firstKey()).toString(),
                Instant.ofEpochMilli(ends.lastKey()).toString(),
                String.valueOf(ends.size()),
                missing(view, ends),
                delay(ends),
                files,
                rows,
                sizes);
    }

    /** Returns how many window ends are missing; loads of a table have no fixed times. */
    private static String missing(FeatureView view, NavigableMap<Long, FeatureLog.Ends> ends) {
        long spanned = (ends.lastKey() - ends.firstKey()) / view.clock().everyMs() + 1;
        return view.isTable() ? "-" : String.valueOf(spanned - ends.size());
    }

    /** Returns the median time from a window end to when it was readable. */
    private static String delay(Map<Long, FeatureLog.Ends> ends) {
        long[] delays = ends.entrySet().stream()
                .filter(end -> end.getValue().readableAtMs().isPresent())
                .mapToLong(end -> end.getValue().readableAtMs().getAsLong() - end.getKey())
                .sorted()
                .toArray();
        return delays.length == 0 ? "unknown" : String.format(Locale.ROOT, "%.1f s", delays[delays.length / 2] / 1e3);
    }
}
