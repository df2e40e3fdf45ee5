package io.thalweg.bench;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Micro;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.harness.Results;
import io.thalweg.bench.qalm.Experiment;
import io.thalweg.bench.qalm.Measured;
import io.thalweg.bench.qalm.Overhead;
import io.thalweg.bench.qalm.OverheadChart;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
            "  thalweg bench qalm --experiment E4 --chart E4.svg",
            "  thalweg bench qalm --experiment E2 --scale 0.1 --seconds 10 --warm-up 5"
        })
final class QalmCommand implements Callable<Integer> {
    private static final int LANE_SECONDS_A_ROUND = 2;
    private static final String OURS = "thalweg";

    private final PrintWriter out;
    private final PrintWriter err;

    @Mixin
    private final Report report;

    @Option(names = "--experiment", paramLabel = "NAME", required = true, description = "E1 to E12.")
    private String experiment = "";

    @Option(names = "--minutes", paramLabel = "N", description = "How long the part that counts lasts.")
    private @Nullable Integer minutes;

    @Option(names = "--seconds", paramLabel = "N", description = "The same in seconds.")
    private @Nullable Integer seconds;

    @Option(names = "--warm-up", paramLabel = "N", description = "Seconds before, at another load; default 60.")
    private int warmUp = 60;

    @Option(
            names = "--scale",
            paramLabel = "X",
            description = "1: the published rates; 0.1: a tenth of workers and calls. Default 1.")
    private double scale = 1;

    @Option(names = "--rounds", paramLabel = "N", description = "How often E4 measures each system; default 5.")
    private int rounds = 5;

    @Option(names = "--system", paramLabel = "NAME", description = "Only this one. May be repeated.")
    private List<String> systems = List.of();

    @Option(names = "--rivals", description = "All systems; none and thalweg otherwise.")
    private boolean rivals;

    @Option(names = "--seed", paramLabel = "N", description = "Of the load; default 1.")
    private long seed = 1;

    @Option(names = "--chart", paramLabel = "FILE", description = "Draw the course, or of E4 the rounds, as SVG.")
    private @Nullable Path chart;

    @Option(
            names = "--logs",
            paramLabel = "FOLDER",
            description = "Where the processes write how they stand each second.")
    private @Nullable Path logs;

    QalmCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--experiment", Experiment.NAMES, List.of(experiment));
        report.requireOneOf("--system", Systems.NAMES, systems);
        report.requireAtLeastOne("--rounds", rounds);
        report.requireAtLeastOne("--seconds", seconds == null ? 1 : seconds);
        report.requireAtLeastOne("--minutes", minutes == null ? 1 : minutes);
        if (logs != null) {
            return run(Files.createDirectories(logs));
        }
        Path folder = Files.createTempDirectory("thalweg-qalm");
        boolean done = false;
        try {
            int code = run(folder);
            done = true;
            return code;
        } finally {
            if (done) {
                Folders.delete(folder);
            } else {
                err.println("what the processes wrote is kept in " + folder);
            }
        }
    }

    private int run(Path folder) throws IOException, InterruptedException {
        Progress progress = report.progress();
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

    private List<String> chosen() {
        return systems.isEmpty() ? (rivals ? Systems.NAMES : Systems.NAMES.subList(0, 2)) : systems;
    }

    private int contest(QalmRun.Setup setup, Experiment made, Path folder, Progress progress)
            throws IOException, InterruptedException {
        List<String> chosen = chosen();
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
        return end(
                setup, measured.values().stream().map(one -> result(made, one)).toList());
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
                "thalweg bench qalm --experiment %s%s --seconds %d --warm-up %d --scale %s --seed %d",
                experiment,
                experiment.equals("E4") ? " --rounds " + rounds : "",
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
                figures.put(of + "lost_sent_late", span.sentLate());
            });
        }
        figures.put("send_lag_p99_ms", one.lagP99Ms());
        figures.put("server_cores", one.serverCores());
        figures.put("others_cores_max", one.disturbance().cores());
        return new Result(one.system(), made.name(), figures);
    }

    private int overhead(QalmRun.Setup setup, Path folder, Progress progress) throws IOException, InterruptedException {
        List<String> chosen = new ArrayList<>(chosen());
        if (!chosen.contains(Overhead.BASE)) {
            chosen.add(0, Overhead.BASE);
        }
        Overhead.Costs costs = new Overhead(setup, chosen, rounds, folder, progress).measure();
        List<Overhead.Round> measured = costs.rounds();
        List<Result> results = new ArrayList<>();
        out.printf("%n%-10s %14s %20s %14s%n", "system", "CPU µs a call", "more % (min to max)", "JIT µs a call");
        for (String system : chosen) {
            results.add(cost(system, measured));
        }
        out.println();
        say("no call is lost, as times are calm", costs.lost() == 0, "%,d calls", costs.lost());
        if (chosen.contains(OURS)) {
            progress.say("E4: admission and release alone");
            results.add(judged(costs));
        }
        if (chart != null) {
            Files.writeString(chart, OverheadChart.svg("E4 " + setup.made().question(), chosen, measured));
        }
        return end(setup, results);
    }

    private int end(QalmRun.Setup setup, List<Result> results) throws IOException {
        return report.write(new Results("qalm " + experiment, command(setup.seconds()), results, Map.of(), ""));
    }

    private Result cost(String system, List<Overhead.Round> measured) {
        double[] micros = measured.stream()
                .mapToDouble(round -> round.of(system))
                .sorted()
                .toArray();
        double[] percents = percents(system, measured);
        double median = percents[percents.length / 2];
        double least = percents[0];
        double most = percents[percents.length - 1];
        double compilers = measured.stream()
                .mapToDouble(round -> round.compilers(system))
                .average()
                .orElse(0);
        out.printf(
                Locale.ROOT,
                "%-10s %14.1f %20s %14.1f%n",
                system,
                micros[micros.length / 2],
                String.format(Locale.ROOT, "%.1f (%.1f to %.1f)", median, least, most),
                compilers);
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("cpu_us_per_call_median", micros[micros.length / 2]);
        figures.put("cpu_us_per_call_min", micros[0]);
        figures.put("cpu_us_per_call_max", micros[micros.length - 1]);
        figures.put("compiler_us_per_call", compilers);
        figures.put("more_cpu_percent_median", median);
        figures.put("more_cpu_percent_min", least);
        figures.put("more_cpu_percent_max", most);
        return new Result(system, "E4", figures);
    }

    private static double[] percents(String system, List<Overhead.Round> measured) {
        return measured.stream()
                .mapToDouble(round -> round.percent(system))
                .sorted()
                .toArray();
    }

    private Result judged(Overhead.Costs costs) {
        double[] percents = percents(OURS, costs.rounds());
        double median = percents[percents.length / 2];
        Map<String, Number> lane = new Micro("LaneBenchmark", Map.of())
                .measureFor(LANE_SECONDS_A_ROUND * rounds)
                .get(0)
                .figures();
        double nanos = number(lane, "ns_per_call");
        double bytes = number(lane, "allocated_bytes_per_call");
        say("at most 3 % more processor time (stretch 1)", median <= 3, "%.1f %%", median);
        say("admission and release take at most 400 ns", nanos <= 400, "%.0f ns", nanos);
        // What the profiler itself allocates is spread over some ten million calls.
        say("and allocate nothing", bytes < 0.01, "%.4f bytes", bytes);
        return new Result(
                OURS,
                "lane",
                new Figures()
                        .put("admit_and_release_ns", nanos)
                        .put("admit_and_release_bytes", bytes)
                        .put("calls_lost", costs.lost())
                        .asMap());
    }

    private static double number(Map<String, Number> figures, String name) {
        return Objects.requireNonNull(figures.get(name), name).doubleValue();
    }

    private void say(String gate, boolean met, String format, Object... values) {
        out.println(new Verdict(gate, String.format(Locale.ROOT, format, values), met).line());
    }
}
