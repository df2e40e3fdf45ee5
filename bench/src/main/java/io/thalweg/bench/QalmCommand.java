package io.thalweg.bench;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Micro;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.qalm.Experiment;
import io.thalweg.bench.qalm.Guard;
import io.thalweg.bench.qalm.Measured;
import io.thalweg.bench.qalm.Overhead;
import io.thalweg.bench.qalm.QalmRun;
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
            "  thalweg bench qalm --experiment E1 --rivals --json E1.json",
            "  thalweg bench qalm --experiment E3 --minutes 3",
            "  thalweg bench qalm --experiment E2 --scale 0.1 --seconds 10 --warm-up 5"
        })
final class QalmCommand implements Callable<Integer> {
    private static final int LANE_SECONDS_A_ROUND = 2;
    private static final int OVERHEAD_ROUNDS = 5;
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

    @Option(names = "--system", paramLabel = "NAME", description = "Only this one. May be repeated.")
    private List<String> systems = List.of();

    @Option(names = "--rivals", description = "All systems; none and thalweg otherwise.")
    private boolean rivals;

    @Option(names = "--seed", paramLabel = "N", description = "Of the load; default 1.")
    private long seed = 1;

    QalmCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--experiment", Experiment.NAMES, List.of(experiment));
        report.requireOneOf("--system", Guard.SYSTEMS, systems);
        report.requireAtLeastOne("--seconds", seconds == null ? 1 : seconds);
        report.requireAtLeastOne("--minutes", minutes == null ? 1 : minutes);
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
        int lasts = minutes != null ? 60 * minutes : seconds != null ? seconds : Experiment.usualSeconds(experiment);
        QalmRun.Setup setup = new QalmRun.Setup(experiment, scale, lasts, warmUp, seed);
        Experiment made = setup.made();
        print("%s %s%n%d s after %d s of warm-up%n", made.name(), made.question(), lasts, warmUp);
        if (!made.published().isEmpty()) {
            out.println("published: " + made.published());
        }
        List<String> chosen = systems.isEmpty() ? (rivals ? Guard.SYSTEMS : Guard.SYSTEMS.subList(0, 2)) : systems;
        List<Result> results =
                experiment.equals("E4") ? overhead(setup, chosen, folder) : contest(setup, chosen, folder);
        return report.write("qalm " + experiment, results);
    }

    private List<Result> contest(QalmRun.Setup setup, List<String> chosen, Path folder)
            throws IOException, InterruptedException {
        Experiment made = setup.made();
        Map<String, Measured> measured = new LinkedHashMap<>();
        QalmRun run = new QalmRun(setup, folder, report.progress());
        print(
                "%n%-10s %-10s %-18s %9s %8s %8s %8s %9s %9s %9s%n",
                "system", "time", "calls of", "calls", "ok/s", "shed %", "late %", "p50 ms", "p99 ms", "max ms");
        for (String system : chosen) {
            Measured one = run.measure(system);
            measured.put(system, one);
            print(made, one);
        }
        out.println();
        Verdict.of(made, measured).forEach(verdict -> out.println(verdict.line()));
        return measured.values().stream().map(one -> result(made, one)).toList();
    }

    /** All callers of the window that counts, and of the others what they have together. */
    private void print(Experiment made, Measured one) {
        for (Experiment.Window window : made.windows()) {
            double lasts = window.to() - window.from();
            boolean counts = window.equals(made.windows().get(0));
            one.window(window.name()).forEach((caller, span) -> {
                if (counts || caller.equals(Measured.ALL)) {
                    print(
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
                }
            });
        }
    }

    private static Result result(Experiment made, Measured one) {
        Figures figures = new Figures();
        for (Experiment.Window window : made.windows()) {
            one.window(window.name()).forEach((caller, span) -> {
                String of = window.name() + "_" + caller.replace('-', '_') + "_";
                figures.put(of + "calls", span.calls())
                        .put(of + "answered", span.ok())
                        .put(of + "refused", span.refused())
                        .put(of + "late", span.late())
                        .put(of + "failed", span.failed())
                        .put(of + "p50_ms", span.p50Ms())
                        .put(of + "p99_ms", span.p99Ms())
                        .put(of + "p999_ms", span.p999Ms())
                        .put(of + "max_ms", span.maxMs())
                        .put(of + "refused_p99_ms", span.refusedP99Ms())
                        .put(of + "lost_sent_late", span.sentLate());
            });
        }
        figures.put("send_lag_p99_ms", one.calls().lagP99Ms())
                .put("server_cores", one.serverCores())
                .put("others_cores_max", one.disturbance().cores());
        return new Result(one.system(), made.name(), figures.asMap());
    }

    private List<Result> overhead(QalmRun.Setup setup, List<String> measured, Path folder)
            throws IOException, InterruptedException {
        List<String> chosen = new ArrayList<>(measured);
        if (!chosen.contains(Overhead.BASE)) {
            chosen.add(0, Overhead.BASE);
        }
        int rounds = report.rounds(OVERHEAD_ROUNDS);
        Overhead.Costs costs = new Overhead(setup, chosen, rounds, folder, report.progress()).measure();
        print("%n%-10s %14s %20s %14s%n", "system", "CPU µs a call", "more % (min to max)", "JIT µs a call");
        List<Result> results = new ArrayList<>();
        for (String system : chosen) {
            results.add(cost(system, costs.rounds()));
        }
        out.println();
        say("no call is lost, as times are calm", costs.lost() == 0, "%,d calls", costs.lost());
        if (chosen.contains(OURS)) {
            report.progress().say("E4: admission and release alone");
            results.add(judged(costs, rounds));
        }
        return results;
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
        String more = String.format(Locale.ROOT, "%.1f (%.1f to %.1f)", median, least, most);
        print("%-10s %14.1f %20s %14.1f%n", system, micros[micros.length / 2], more, compilers);
        return new Result(
                system,
                "E4",
                new Figures()
                        .put("cpu_us_per_call_median", micros[micros.length / 2])
                        .put("cpu_us_per_call_min", micros[0])
                        .put("cpu_us_per_call_max", micros[micros.length - 1])
                        .put("compiler_us_per_call", compilers)
                        .put("more_cpu_percent_median", median)
                        .put("more_cpu_percent_min", least)
                        .put("more_cpu_percent_max", most)
                        .asMap());
    }

    private static double[] percents(String system, List<Overhead.Round> measured) {
        return measured.stream()
                .mapToDouble(round -> round.percent(system))
                .sorted()
                .toArray();
    }

    private Result judged(Overhead.Costs costs, int rounds) {
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

    private void print(String format, Object... values) {
        out.printf(Locale.ROOT, format, values);
    }
}
