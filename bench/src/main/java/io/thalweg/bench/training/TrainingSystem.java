package io.thalweg.bench.training;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.training.CityLog.Load;
import io.thalweg.devkit.FeastEnvironment;
import io.thalweg.devkit.PythonEnvironment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** A program that adds features to labels. */
enum TrainingSystem {
    /** {@code thalweg training-set} as users start it, over the packed log. */
    THALWEG,
    /** The same with less memory. */
    THALWEG_SMALL,
    /** DuckDB's {@code ASOF JOIN} over the rows as columns. */
    DUCKDB_ASOF,
    /** DuckDB with an equality join on the window end, which only works because absent rows mean zero. */
    DUCKDB_EQUALITY,
    /** {@code get_historical_features} of Feast with its file store, over the rows as columns. */
    FEAST;

    private static final String DUCKDB = "2.0.1";
    /** The default. */
    private static final String GROUP = "1GiB";

    private static final String SMALL_GROUP = "128MiB";
    private static final String SMALL_HEAP = "-Xmx768m";
    private static final String SCRIPT = "rival.py";

    /** The name in options and results. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Starts it, in a folder that has the log. */
    Child start(Path folder, Load load, Path out) throws IOException {
        Map<String, String> environment = new HashMap<>(Map.of("THALWEG_NO_BUILD", "1"));
        environment.putAll(FeastEnvironment.VARIABLES);
        boolean small = this == THALWEG_SMALL;
        if (small) {
            environment.put("THALWEG_JAVA_OPTS", SMALL_HEAP);
        }
        List<String> command =
                this == THALWEG || small ? own(load, out, small ? SMALL_GROUP : GROUP) : rival(folder, load, out);
        return Child.start(text(), folder, environment, command);
    }

    private static List<String> own(Load load, Path out, String memory) {
        return CityLog.thalweg(
                "training-set",
                "--views",
                CityLog.definition().toString(),
                "--spine",
                load.labels().toString(),
                "--time",
                "ts",
                "--available",
                CityLog.DELAY.toMillis() + "ms",
                "--memory",
                memory,
                "--out",
                out.toString());
    }

    private List<String> rival(Path folder, Load load, Path out) throws IOException {
        Path script = folder.resolve(SCRIPT);
        try (InputStream in = Objects.requireNonNull(TrainingSystem.class.getResourceAsStream(SCRIPT))) {
            Files.write(script, in.readAllBytes());
        }
        Path bin = this == FEAST
                ? FeastEnvironment.installed().bin()
                : PythonEnvironment.installed("duckdb-" + DUCKDB, "duckdb==" + DUCKDB)
                        .bin();
        return List.of(
                bin.resolve("python").toString(),
                script.toString(),
                text(),
                load.rows().toString(),
                load.labels().toString(),
                Long.toString(CityLog.DELAY.toMillis()),
                out.toString());
    }
}
