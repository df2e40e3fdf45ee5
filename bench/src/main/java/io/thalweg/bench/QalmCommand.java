package io.thalweg.bench;

import io.thalweg.bench.qalm.Experiment;
import io.thalweg.bench.qalm.Measured;
import io.thalweg.bench.qalm.Overhead;
import io.thalweg.bench.qalm.QalmChart;
import io.thalweg.bench.qalm.QalmRun;
import io.thalweg.bench.qalm.Systems;
import io.thalweg.bench.qalm.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench qalm}: a gRPC server under more load than it carries, without and behind load management. */
@Command(
        name = "qalm",
        description = "A gRPC server under more load than it carries: unprotected, behind qalm, behind others.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench qalm --experiment E1",
            "  thalweg bench qalm --experiment E1 --rivals --json E1.json --chart E1.svg",
            "  thalweg bench qalm --experiment E3 --minutes 3",
            "  thalweg bench qalm --experiment E2 --scale 0.1 --seconds 10 --warm-up 5"
        })
final class QalmCommand implements Callable<Integer> {
    private static final int OVERHEAD_ROUNDS = 5;
    private static final String OURS = "thalweg";

    private final PrintWriter out;
    private final PrintWriter err;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--experiment", paramLabel = "NAME", required = true, description = "E1 to E11.")
    private String experiment = "";

    @Option(names = "--minutes", paramLabel = "N", description = "How long the part that counts lasts.")
    private @Nullable Integer minutes;

    @Option(names = "--seconds", paramLabel = "N", description = "The same in seconds.")
    private @Nullable Integer seconds;

    @Option(names = "--warm-up", paramLabel = "N", description = "Seconds before, at half of the load; default 60.")
    private int warmUp = 60;

    @Option(
            names = "--scale",
            paramLabel = "X",
            description = "1: the published rates; 0.1: a tenth of workers and calls. Default 1.")
    private double scale = 1;

    @Option(names = "--system", paramLabel = "NAME", description = "Only this one. May be repeated.")
    private List<String> systems = List.of();

    @Option(names = "--rivals", description = "All systems; none and thalweg otherwise.")
    private boolean rivals;

    @Option(names = "--seed", paramLabel = "N", description = "Of the load; default 1.")
    private long seed = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--chart", paramLabel = "FILE", description = "Draw the course there, as SVG.")
    private @Nullable Path chart;

    @Option(
            names = "--logs",
            paramLabel = "FOLDER",
            description = "Where the processes write how they stand each second.")
    private @Nullable Path logs;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    QalmCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws Exception {
        require(Experiment.NAMES.contains(experiment), "--experiment", Experiment.NAMES, experiment);
        for (String system : systems) {
            require(Systems.NAMES.contains(system), "--system", Systems.NAMES, system);
        }
        Path folder = logs == null ? Files.createTempDirectory("thalweg-qalm") : Files.createDirectories(logs);
        Progress progress = new Progress(err, quiet);
        int lasts = minutes != null ? 60 * minutes : seconds != null ? seconds : Experiment.usualSeconds(experiment);
        QalmRun.Setup setup = new QalmRun.Setup(experiment, scale, lasts, warmUp, seed);
        Experiment made = setup.made();
        out.printf(
                Locale.ROOT,
                "%s %s%n%d s after %d s of warm-up, scale %s, seed %d%n",
                made.name(),
                made.question(),
                lasts,
                warmUp,
                scale,
                seed);
        if (!made.published().isEmpty()) {
            out.println("published: " + made.published());
        }
        return experiment.equals("E4") ? overhead(setup, folder, progress) : contest(setup, made, folder, progress);
    }

    private void require(boolean holds, String option, List<String> possible, String was) {
        if (!holds) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    option + " must be one of " + String.join(", ", possible) + ", was " + was);
        }
    }

    private int contest(QalmRun.Setup setup, Experiment made, Path folder, Progress progress)
            throws IOException, InterruptedException {
        List<String> chosen = systems.isEmpty() ? (rivals ? Systems.NAMES : Systems.NAMES.subList(0, 2)) : systems;
        Map<String, Measured> measured = new LinkedHashMap<>();
        QalmRun run = new QalmRun(setup, folder, progress);
        out.printf(
                "%n%-10s %-10s %-18s %9s %8s %8s %8s %9s %9s %9s%n",
                "system", "time", "calls of", "calls", "ok/s", "shed %", "late %", "p50 ms", "p99 ms", "max ms");
        for (String system : chosen) {
            Measured one = run.measure(system);
            measured.put(system, one);
            print(made, one);
        }
        out.println();
        List<Verdict> verdicts = Verdict.of(made, measured);
        verdicts.forEach(verdict -> out.println(verdict.line()));
        if (chart != null) {
            Files.writeString(chart, QalmChart.svg(made, List.copyOf(measured.values())));
        }
        if (json != null) {
            List<Result> results = new ArrayList<>();
            measured.values().forEach(one -> results.add(result(made, one)));
            new Results("qalm " + experiment, command(setup.seconds()), results, Map.of(), "").write(json);
        }
        return 0;
    }

    private void print(Experiment made, Measured one) {
        for (Experiment.Window window : made.windows()) {
            double lasts = window.to() - window.from();
            Objects.requireNonNull(one.windows().get(window.name())).forEach((caller, span) -> {
                if (!caller.equals(Measured.ALL)
                        && !window.equals(made.windows().get(0))) {
                    return;
                }
                out.printf(
                        Locale.ROOT,
                        "%-10s %-10s %-18s %,9d %,8.0f %8.2f %8.2f %,9.1f %,9.1f %,9.1f%n",
                        one.system(),
                        window.name(),
                        caller,
                        span.calls(),
                        span.ok() / lasts,
                        span.refusedPercent(),
                        100.0 * (span.late() + span.failed()) / Math.max(1, span.calls()),
                        span.p50Ms(),
                        span.p99Ms(),
                        span.maxMs());
            });
        }
    }

    private String command(int lasts) {
        return String.format(
                Locale.ROOT,
                "thalweg bench qalm --experiment %s --seconds %d --warm-up %d --scale %s --seed %d",
                experiment,
                lasts,
                warmUp,
                scale,
                seed);
    }

    private static Result result(Experiment made, Measured one) {
        Map<String, Number> figures = new LinkedHashMap<>();
        for (Experiment.Window window : made.windows()) {
            Objects.requireNonNull(one.windows().get(window.name())).forEach((caller, span) -> {
                String of = window.name() + "_" + caller.replace('-', '_') + "_";
                figures.put(of + "calls", span.calls());
                figures.put(of + "answered", span.ok());
                figures.put(of + "refused", span.refused());
                figures.put(of + "late", span.late());
                figures.put(of + "failed", span.failed());
                figures.put(of + "p50_ms", span.p50Ms());
                figures.put(of + "p99_ms", span.p99Ms());
                figures.put(of + "p999_ms", span.p999Ms());
                figures.put(of + "max_ms", span.maxMs());
                figures.put(of + "refused_p99_ms", span.refusedP99Ms());
            });
        }
        figures.put("send_lag_p99_ms", one.lagP99Ms());
        figures.put("server_cores", one.serverCores());
        return new Result(one.system(), made.name(), figures);
    }

    private int overhead(QalmRun.Setup setup, Path folder, Progress progress) throws IOException, InterruptedException {
        List<Overhead.Round> rounds = new Overhead(setup, OVERHEAD_ROUNDS, folder, progress).measure();
        double[] percents =
                rounds.stream().mapToDouble(Overhead.Round::percent).sorted().toArray();
        double median = percents[percents.length / 2];
        double none = rounds.stream()
                .mapToDouble(Overhead.Round::noneMicros)
                .average()
                .orElse(0);
        double ours = rounds.stream()
                .mapToDouble(Overhead.Round::oursMicros)
                .average()
                .orElse(0);
        out.printf(
                Locale.ROOT,
                "%nprocessor time of a call: none %.1f µs, thalweg %.1f µs; thalweg takes %.1f %% more (%.1f to %.1f in %d rounds)%n",
                none,
                ours,
                median,
                percents[0],
                percents[percents.length - 1],
                percents.length);
        out.println(
                new Verdict("at most 3 % more (stretch 1)", String.format(Locale.ROOT, "%.1f %%", median), median <= 3)
                        .line());
        if (json != null) {
            Map<String, Number> figures = Map.of(
                    "none_cpu_us_per_call",
                    none,
                    "thalweg_cpu_us_per_call",
                    ours,
                    "more_cpu_percent_median",
                    median,
                    "more_cpu_percent_min",
                    percents[0],
                    "more_cpu_percent_max",
                    percents[percents.length - 1]);
            new Results("qalm E4", command(setup.seconds()), List.of(new Result(OURS, "E4", figures)), Map.of(), "")
                    .write(json);
        }
        return 0;
    }
}
