package io.thalweg.cli;

import io.thalweg.history.LabelKeys;
import io.thalweg.history.LabelTime;
import io.thalweg.history.TrainingSet;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.TrainingRun;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg training-set}: adds to labels what a server would have answered at their times. */
@Command(
        name = "training-set",
        description =
                "Adds to each label the features that a server would have answered at its time, from the feature logs of views and materializations.",
        footer = {
            "",
            "Example:",
            "  thalweg training-set --spine labels.parquet --time ts --views demand,supply --out train.parquet"
        })
final class TrainingSetCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Option(
            names = "--spine",
            required = true,
            paramLabel = "FILE",
            description =
                    "The labels, a row for each: a Parquet or CSV file, a folder of Parquet files, or the folder of an"
                            + " Iceberg table.")
    private Path spine = Path.of("");

    @Option(names = "--time", required = true, paramLabel = "COLUMN", description = "The column of their times.")
    private String time = "";

    @Option(
            names = "--views",
            required = true,
            split = ",",
            paramLabel = "VIEW",
            description = "Files, or names found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description = "A .parquet or .csv file, or an Iceberg table to append to: iceberg:NAMESPACE.TABLE.")
    private String out = "";

    @Option(
            names = "--catalog",
            paramLabel = "NAME",
            description = "The catalog of that table, of catalogs: in thalweg.yaml (default: default).")
    private @Nullable String catalog;

    @Option(
            names = "--features",
            split = ",",
            paramLabel = "VIEW:FEATURE",
            description =
                    "Only these, in this order, and only their views; VIEW:* stands for all of a view. Default: all.")
    private List<String> features = List.of();

    @Option(
            names = "--available",
            paramLabel = "logged|DELAY",
            description = "Rows count from when they were readable, as the log recorded it (default), or from a delay"
                    + " after their window end, such as 12s, for rows that were computed later.")
    private String available = "logged";

    @Option(
            names = "--column",
            paramLabel = "ENTITY=COLUMN",
            description = "An entity whose column has another name. May be repeated.")
    private Map<String, String> columns = new LinkedHashMap<>();

    @Option(
            names = "--cell-at",
            split = ",",
            paramLabel = "COLUMN",
            description = "Computes cells from the columns of latitude and longitude: LAT,LNG.")
    private List<String> cellAt = List.of();

    @Option(names = "--zone", paramLabel = "ZONE", description = "The zone of times without one, such as UTC.")
    private @Nullable String zone;

    @Option(names = "--unit", paramLabel = "s|ms|us|ns", description = "The unit of times that are whole numbers.")
    private @Nullable String unit;

    @Option(
            names = "--with",
            split = ",",
            paramLabel = "window_end|age_ms",
            description = "More columns for each view: the window end of the answer, and its age at the label's time.")
    private List<String> with = List.of();

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "For labels and their answers; beyond it, the log is read once for each group of labels that"
                    + " fits (default: ${DEFAULT-VALUE}).")
    private String memory = "1GiB";

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    TrainingSetCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        if (!cellAt.isEmpty() && cellAt.size() != 2) {
            throw UserError.usage(
                    "--cell-at must name two columns, was " + String.join(",", cellAt), "such as lat,lng");
        }
        if (catalog != null && !out.startsWith("iceberg:")) {
            throw UserError.usage(
                    "--catalog goes with an Iceberg table, and --out was " + out,
                    "such as --out iceberg:training.demand");
        }
        ViewFiles files = config.views(console);
        List<FeatureView> loaded = files.loadLogged(views);
        Map<String, List<String>> chosen = TrainingRun.byView(features, loaded);
        List<FeatureView> used = loaded.stream()
                .filter(view -> chosen.isEmpty() || chosen.containsKey(view.qualifiedName()))
                .toList();
        TrainingSet.Settings settings = new TrainingSet.Settings(
                new LabelTime(time, zone(), unit()),
                new LabelKeys.Columns(columns, cellAt.isEmpty() ? null : cellAt),
                OptionText.availableAfterMs(available),
                with.stream().map(TrainingSetCommand::extra).toList(),
                OptionText.bytes("--memory", memory, "1GiB"),
                Runtime.getRuntime().availableProcessors());
        new TrainingRun(
                        used,
                        chosen,
                        files.deploymentConfig(),
                        spine,
                        out,
                        catalog == null ? "default" : catalog,
                        settings)
                .run(console, quiet);
        return 0;
    }

    private @Nullable ZoneId zone() {
        try {
            return zone == null ? null : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw UserError.usage("--zone must be a time zone, was " + zone, "such as UTC or America/New_York");
        }
    }

    private LabelTime.@Nullable Unit unit() {
        if (unit == null) {
            return null;
        }
        for (LabelTime.Unit each : LabelTime.Unit.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(unit)) {
                return each;
            }
        }
        throw UserError.usage("--unit must be s, ms, us or ns, was " + unit, "such as --unit ms");
    }

    private static TrainingSet.Extra extra(String name) {
        return switch (name) {
            case "window_end" -> TrainingSet.Extra.WINDOW_END;
            case "age_ms" -> TrainingSet.Extra.AGE_MS;
            default -> throw UserError.usage("--with must be window_end or age_ms, was " + name, "");
        };
    }
}
