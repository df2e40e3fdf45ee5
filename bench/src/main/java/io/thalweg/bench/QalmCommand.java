package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.qalm.Experiment;
import io.thalweg.bench.qalm.Guard;
import io.thalweg.bench.qalm.Overhead;
import io.thalweg.bench.qalm.QalmRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench qalm}: an overloaded gRPC server without and with load management. */
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
    private static final int OVERHEAD_ROUNDS = 5;

    @Mixin
    private final Report report = new Report();

    @Option(names = "--experiment", paramLabel = "NAME", required = true, description = "E1 to E4.")
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

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--experiment", Experiment.NAMES, List.of(experiment));
        report.requireOneOf("--system", Guard.SYSTEMS, systems);
        report.requireAtLeastOne("--seconds", seconds == null ? 1 : seconds);
        report.requireAtLeastOne("--minutes", minutes == null ? 1 : minutes);
        report.requireAtLeastOne("--warm-up", warmUp);
        int lasts = minutes != null ? 60 * minutes : seconds != null ? seconds : Experiment.usualSeconds(experiment);
        Path folder = Files.createTempDirectory("thalweg-qalm");
        report.progress().say("what the processes write is in " + folder + ", which is deleted if none fails");
        QalmRun run = new QalmRun(new QalmRun.Setup(experiment, scale, lasts, warmUp, seed), folder, report.progress());
        List<String> chosen = systems.isEmpty() ? (rivals ? Guard.SYSTEMS : Guard.SYSTEMS.subList(0, 2)) : systems;
        Contest contest = experiment.equals("E4") ? overhead(run, chosen) : contest(run, chosen);
        Folders.delete(folder);
        return report.end("qalm " + experiment, contest, Map.of());
    }

    private Contest contest(QalmRun run, List<String> chosen) throws Exception {
        List<Contestant> contestants = chosen.stream()
                .map(system -> new Contestant(system, experiment, () -> run.measure(system)))
                .toList();
        return Contest.run(contestants, report.rounds(), report.progress());
    }

    private Contest overhead(QalmRun run, List<String> chosen) throws Exception {
        try (Overhead overhead = new Overhead(run, chosen)) {
            return Contest.run(overhead.contestants(), report.rounds(OVERHEAD_ROUNDS), report.progress());
        }
    }
}
