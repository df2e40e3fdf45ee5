package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.demand.RivalsRun;
import io.thalweg.bench.demand.Sweep;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.soak.Series;
import io.thalweg.bench.soak.Soak;
import io.thalweg.bench.suite.Clone;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
            "  thalweg bench demand --rivals                       the designs that one would otherwise build"
        })
final class DemandCommand implements Callable<Integer> {
    /** The factor by which the hot city of a skewed run exceeds its share of the events. */
    private static final double HOT = 100;

    private static final String OWN = "thalweg";

    @Mixin
    private final Report report = new Report();

    @Option(names = "--scale", paramLabel = "NAME", description = "small (default), twentieth, medium or full.")
    private String scale = "small";

    @Option(names = "--minutes", paramLabel = "N", description = "Minutes of event time measured; default by scale.")
    private @Nullable Integer minutes;

    @Option(
            names = "--hours",
            paramLabel = "H",
            description =
                    "Instead of --minutes: hours by the clock, fractions too. A soak: fails where a figure drifts.")
    private @Nullable Double hours;

    @Option(names = "--chart", paramLabel = "FILE", description = "With --hours: the figures over time, as SVG.")
    private @Nullable Path chart;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "Draw where the Thalweg process spends its time while measured: a flame graph, as HTML.")
    private @Nullable Path profile;

    @Option(names = "--seed", paramLabel = "N", description = "Of the events; default 1.")
    private long seed = 1;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "Of thalweg run, and of rivals; default 2 at full scale, else 1.")
    private @Nullable Integer parallelism;

    @Option(
            names = "--reads",
            paramLabel = "N",
            description =
                    "Reads of 100 keys a second by gRPC while it is measured, with some answers compared; default 0.")
    private double reads;

    @Option(
            names = "--rivals",
            description = "Instead: Thalweg and its rivals drain the same events, one after the other.")
    private boolean rivals;

    @Option(
            names = "--skew",
            description = "Run twice: even, then with one city at a hundred times its share of the events.")
    private boolean skew;

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
            names = "--rival",
            paramLabel = "NAME",
            description = "With --rivals: only flink_published, flink_sql or flink_tuned. May be repeated.")
    private List<String> chosen = List.of();

    @Option(
            names = "--patience",
            paramLabel = "MINUTES",
            description = "With --rivals: what a system may take for a load; default 30.")
    private long patience = 30;

    @Override
    public Integer call() throws Exception {
        if (hours != null && (minutes != null || rivals || skew || report.rounds() > 1)) {
            throw report.refusal("--hours does not go with --minutes, --rivals, --skew or --rounds");
        }
        if (reads < 0 || (reads > 0 && rivals)) {
            throw report.refusal("--reads must be at least 0, was " + reads + ", and does not go with --rivals");
        }
        if (profile != null && (rivals || skew)) {
            throw report.refusal("--profile does not go with --rivals or --skew");
        }
        if (!varied.isEmpty() && (rivals || skew || hours != null || profile != null)) {
            throw report.refusal("--vary does not go with --rivals, --skew, --hours or --profile");
        }
        if (hours == null && chart != null) {
            throw report.refusal("--chart needs --hours");
        }
        return rivals ? contest() : pipeline();
    }

    /** Systems that cannot finish the whole load run on a tenth of it; so does Thalweg. */
    private int contest() throws Exception {
        int span = minutes == null ? Load.rivals().minutes() : minutes;
        List<RivalsRun.Part> parts = Stream.of(
                        new RivalsRun.Part(
                                Load.rivalsTenth().withMinutes(span), chosen("flink_published", "flink_sql")),
                        new RivalsRun.Part(Load.rivals().withMinutes(span), chosen("flink_tuned")))
                .filter(part -> !part.rivals().isEmpty())
                .toList();
        int degree = parallelism == null ? 1 : parallelism;
        Contest contest = new RivalsRun(seed, degree, Duration.ofMinutes(patience), report.rounds())
                .run(parts, report.progress());
        return report.end("demand-rivals", contest, RivalsRun.ratios(contest.results()));
    }

    private List<String> chosen(String... names) {
        return Stream.of(names)
                .filter(name -> chosen.isEmpty() || chosen.contains(name))
                .toList();
    }

    private int pipeline() throws Exception {
        Load load = Load.of(scale);
        if (minutes != null) {
            load = load.withMinutes(minutes);
        } else if (hours != null) {
            load = load.withHours(hours);
        }
        int degree = parallelism == null ? load.parallelism() : parallelism;
        DemandRun even = new DemandRun(load, degree, seed, hours != null, profile, reads);
        List<Series> watched = new ArrayList<>();
        List<Contestant> runs = new ArrayList<>();
        sweep(even).forEach((name, run) -> runs.add(new Contestant(OWN, name, () -> score(run, watched))));
        if (skew) {
            DemandRun hot = even.withHotCity(load.cities() / 2, HOT);
            runs.add(new Contestant(OWN, scale + "_skew", () -> score(hot, watched)));
        }
        Contest contest = Contest.run(runs, report.rounds(), report.progress());
        int code = report.end(
                "demand",
                contest,
                skew
                        ? ratios(
                                contest.results().get(0).figures(),
                                contest.results().get(1).figures())
                        : Map.of());
        return hours == null ? code : Math.max(code, judge(watched));
    }

    private Map<String, DemandRun> sweep(DemandRun base) {
        try {
            Map<String, DemandRun> runs = Sweep.of(base, varied);
            Integer given = minutes;
            if (given != null) {
                runs.replaceAll((name, run) -> run.withMinutes(given));
            }
            return runs;
        } catch (IllegalArgumentException e) {
            throw report.refusal(String.valueOf(e.getMessage()));
        }
    }

    private Score score(DemandRun run, List<Series> watched) throws IOException, InterruptedException {
        DemandRun.Outcome outcome = run.run(report.progress());
        watched.addAll(outcome.watched());
        return Score.of(outcome.figures(), outcome.wrong());
    }

    private int judge(List<Series> watched) throws IOException {
        Soak soak = new Soak(
                "bench demand --scale %s --hours %s at %s"
                        .formatted(scale, hours, Clone.ofLauncher().commit()),
                watched);
        soak.print(report.out());
        if (chart != null) {
            soak.writeChart(chart);
        }
        return soak.drifts().isEmpty() ? 0 : 1;
    }

    /** Returns the ratios of the skewed run's figures to those of the even one. */
    private static Map<String, Double> ratios(Map<String, Number> even, Map<String, Number> skewed) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (String name : List.of("warm_up_events_per_second", "assembled_p50_ms", "assembled_max_ms")) {
            double base = Objects.requireNonNull(even.get(name)).doubleValue();
            double other = Objects.requireNonNull(skewed.get(name)).doubleValue();
            ratios.put("skew_vs_even_" + name, Math.rint(other / base * 100) / 100);
        }
        return ratios;
    }
}
