package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench demand}: does the pipeline carry the published load, and at what cost? */
@Command(
        name = "demand",
        description = "The whole demand pipeline: a generator, a Kafka broker and thalweg run, a process each.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench demand --scale small                  under a minute",
            "  thalweg bench demand --scale full --json full.json  some 20 minutes, the published load"
        })
final class DemandCommand implements Callable<Integer> {
    private final PrintWriter out;
    private final PrintWriter err;

    @Option(names = "--scale", paramLabel = "NAME", description = "small (default), medium or full.")
    private String scale = "small";

    @Option(names = "--minutes", paramLabel = "N", description = "Minutes of event time measured; default by scale.")
    private @Nullable Integer minutes;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--seed", paramLabel = "N", description = "Of the events; default 1.")
    private long seed = 1;

    @Option(
            names = "--delivery",
            paramLabel = "NAME",
            description = "Of the rows: at_least_once (default) or exactly_once.")
    private String delivery = "at_least_once";

    @Option(names = "--parallelism", paramLabel = "N", description = "Of thalweg run; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            description = "Of the events in Kafka: lz4 (default), zstd, snappy or none.")
    private String compression = "lz4";

    @Option(
            names = "--java-opts",
            paramLabel = "TEXT",
            description = "Of thalweg run, beyond the launcher's; default by scale.")
    private @Nullable String javaOpts;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    DemandCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws Exception {
        Load load = Load.of(scale);
        if (minutes != null) {
            load = load.withMinutes(minutes);
        }
        List<String> options = new ArrayList<>(List.of(
                (javaOpts == null ? load.javaOptions() : javaOpts).trim().split("\\s+")));
        DemandRun run = new DemandRun(
                load, seed, launcher(), delivery, parallelism, compression, List.copyOf(options), load.cities(), 1);
        DemandRun.Outcome outcome = run.run(new Progress(err, quiet));
        Results results = new Results(
                "demand",
                "thalweg bench demand --scale %s --minutes %d --seed %d --delivery %s --parallelism %d --compression %s --java-opts '%s'"
                        .formatted(
                                scale,
                                load.minutes(),
                                seed,
                                delivery,
                                parallelism,
                                compression,
                                String.join(" ", options)),
                List.of(new Results.Result("thalweg", scale, outcome.figures())),
                Map.of(),
                outcome.wrong());
        results.print(out);
        if (json != null) {
            results.write(json);
        }
        return outcome.wrong().isEmpty() ? 0 : 1;
    }

    static Path launcher() {
        String launcher = System.getProperty("thalweg.launcher");
        if (launcher == null) {
            throw new IllegalStateException("thalweg bench runs from a clone: ./thalweg bench");
        }
        return Path.of(launcher);
    }
}
