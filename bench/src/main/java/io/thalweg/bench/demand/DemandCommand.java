package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.soak.Series;
import io.thalweg.bench.soak.Soak;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench demand}: can the pipeline sustain the published load, and at what cost? */
@Command(
        name = "demand",
        description = "The whole demand pipeline: a generator, a Kafka broker and thalweg run, a process each.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench demand --scale small                  under a minute",
            "  thalweg bench demand --scale full --json full.json  some 25 minutes, the published load",
            "  thalweg bench demand --scale full --hours 8 --chart soak.svg   the same held for long: a soak",
            "  thalweg bench demand --rivals                       beside the published design, tuned on stock Flink"
        })
public final class DemandCommand extends Benchmark {
    @Option(names = "--scale", paramLabel = "NAME", description = "small (default), twentieth, medium or full.")
    private String scale = "small";

    @Option(names = "--minutes", description = "Minutes of event time measured; default by scale.")
    private @Nullable Integer minutes;

    @Option(
            names = "--hours",
            paramLabel = "H",
            description = "Instead of --minutes: a soak, which fails if a figure drifts.")
    private @Nullable Double hours;

    @Option(names = "--chart", paramLabel = "FILE", description = "With --hours: the figures over time, as SVG.")
    private @Nullable Path chart;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "Draw where the Thalweg process spends its time, as HTML.")
    private @Nullable Path profile;

    @Option(names = "--seed", description = "Of the events; default 1.")
    private long seed = 1;

    @Option(names = "--parallelism", description = "Of thalweg run, and of its rival; default 2 at full scale, else 1.")
    private @Nullable Integer parallelism;

    @Option(names = "--reads", description = "Reads of 100 keys a second by gRPC while it is measured; default 0.")
    private double reads;

    @Option(names = "--rivals", description = "Instead: Thalweg and the tuned design on Flink drain the same events.")
    private boolean rivals;

    @Option(
            names = "--vary",
            paramLabel = "DIMENSION=VALUES",
            description = {
                "One run for each value, such as --vary speed=4,8; given for several dimensions, all combinations:",
                "speed (times the load of the scale), parallelism, delivery (at_least_once, exactly_once), views,",
                "rings, windows, partitioning (rider, random), store (rocksdb, redis, cassandra), checkpoints (seconds",
                "between two), gc (parallel, g1, z), java (the home of a JDK)."
            })
    private List<String> varied = List.of();

    @Option(
            names = "--patience",
            paramLabel = "MINUTES",
            description = "With --rivals: the limit of a system; default 30.")
    private long patience = 30;

    @Override
    public Integer call() throws Exception {
        if (hours != null && (minutes != null || rivals || rounds(1) > 1)) {
            throw refusal("--hours does not go with --minutes, --rivals or --rounds");
        }
        if (reads < 0 || (reads > 0 && rivals)) {
            throw refusal("--reads must be at least 0, was " + reads + ", and does not go with --rivals");
        }
        if (profile != null && rivals) {
            throw refusal("--profile does not go with --rivals");
        }
        if (!varied.isEmpty() && (rivals || hours != null || profile != null)) {
            throw refusal("--vary does not go with --rivals, --hours or --profile");
        }
        if (hours == null && chart != null) {
            throw refusal("--chart needs --hours");
        }
        return rivals ? contest() : pipeline();
    }

    private int contest() throws Exception {
        Load load = minutes == null ? Load.rivals() : Load.rivals().withMinutes(minutes);
        int degree = parallelism == null ? 1 : parallelism;
        Contest contest = new RivalsRun(seed, degree, Duration.ofMinutes(patience), rounds(1)).run(load, progress());
        return end("demand-rivals", contest, Contest.costRatios(contest.results(), RivalsRun.COMPILED_COST));
    }

    private int pipeline() throws Exception {
        Load load = Load.of(scale);
        if (minutes != null) {
            load = load.withMinutes(minutes);
        } else if (hours != null) {
            load = load.withHours(hours);
        }
        int degree = parallelism == null ? load.parallelism() : parallelism;
        DemandRun base = new DemandRun(load, degree, seed, hours != null, profile, reads);
        List<Series> watched = new ArrayList<>();
        List<Contestant> runs = new ArrayList<>();
        sweep(base).forEach((name, run) -> runs.add(new Contestant(OWN, name, () -> score(run, watched))));
        int code = end("demand", contest(runs), Map.of());
        return hours == null ? code : Math.max(code, judge(watched));
    }

    private Map<String, DemandRun> sweep(DemandRun base) {
        try {
            Map<String, DemandRun> runs = DemandRun.sweep(base, varied);
            Integer given = minutes;
            if (given != null) {
                runs.replaceAll((name, run) -> run.withMinutes(given));
            }
            return runs;
        } catch (IllegalArgumentException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
    }

    private Score score(DemandRun run, List<Series> watched) throws IOException, InterruptedException {
        DemandRun.Outcome outcome = run.run(progress());
        watched.addAll(outcome.watched());
        return outcome.score();
    }

    private int judge(List<Series> watched) throws IOException {
        Soak soak = new Soak(
                "bench demand --scale %s --hours %s at %s"
                        .formatted(scale, hours, Clone.ofLauncher().commit()),
                watched);
        soak.print(out());
        if (chart != null) {
            soak.writeChart(chart);
        }
        return soak.drifts().isEmpty() ? 0 : 1;
    }
}
