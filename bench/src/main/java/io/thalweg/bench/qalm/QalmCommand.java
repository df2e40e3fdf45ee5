package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
public final class QalmCommand extends Benchmark {
    private static final int OVERHEAD_ROUNDS = 5;

    @Option(names = "--experiment", paramLabel = "NAME", required = true, description = "E1 to E4.")
    private String experiment = "";

    @Option(names = "--minutes", description = "How long the part that counts lasts.")
    private @Nullable Integer minutes;

    @Option(names = "--seconds", description = "The same in seconds.")
    private @Nullable Integer seconds;

    @Option(names = "--warm-up", description = "Seconds before, at another load; default 60.")
    private int warmUp = 60;

    @Option(names = "--scale", paramLabel = "X", description = "1, the default: the published rates; 0.1: a tenth.")
    private double scale = 1;

    @Option(names = "--system", paramLabel = "NAME", description = "Only this one. May be repeated.")
    private List<String> systems = List.of();

    @Option(names = "--rivals", description = "All systems; none and thalweg otherwise.")
    private boolean rivals;

    @Option(names = "--seed", description = "Of the load; default 1.")
    private long seed = 1;

    @Override
    public Integer call() throws Exception {
        requireOneOf("--experiment", Experiment.NAMES, List.of(experiment));
        requireOneOf("--system", Guard.SYSTEMS, systems);
        requireAtLeastOne("--seconds", seconds == null ? 1 : seconds);
        requireAtLeastOne("--minutes", minutes == null ? 1 : minutes);
        requireAtLeastOne("--warm-up", warmUp);
        int lasts = minutes != null ? 60 * minutes : seconds != null ? seconds : Experiment.usualSeconds(experiment);
        Path folder = Files.createTempDirectory("thalweg-qalm");
        progress().say("what the processes write is in " + folder + ", which is deleted if none fails");
        QalmRun run = new QalmRun(new QalmRun.Setup(experiment, scale, lasts, warmUp, seed), folder, progress());
        List<String> chosen = systems.isEmpty() ? (rivals ? Guard.SYSTEMS : Guard.SYSTEMS.subList(0, 2)) : systems;
        Contest contest = experiment.equals("E4") ? overhead(run, chosen) : contest(run, chosen);
        Folders.delete(folder);
        return end("qalm " + experiment, contest, Map.of());
    }

    private Contest contest(QalmRun run, List<String> chosen) throws Exception {
        List<Contestant> contestants = chosen.stream()
                .map(system -> new Contestant(system, experiment, () -> run.measure(system)))
                .toList();
        return contest(contestants);
    }

    private Contest overhead(QalmRun run, List<String> chosen) throws Exception {
        try (Overhead overhead = new Overhead(run, chosen)) {
            return Contest.run(overhead.contestants(), rounds(OVERHEAD_ROUNDS), progress());
        }
    }
}
