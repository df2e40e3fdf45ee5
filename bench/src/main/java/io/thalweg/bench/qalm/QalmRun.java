package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One experiment: service and load, each in its own process, and on its own processor if there are two.
 *
 * @param folder for the processes' standard errors
 */
public record QalmRun(Setup setup, Path folder, Progress progress) {
    private static final int CPU = 1;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** How long to wait for the last line of a process that has ended. */
    private static final Duration LAST_LINE = Duration.ofSeconds(10);

    private static final double LAG_MS = 5;
    private static final double LAG_SHARE = 0.01;
    private static final double SERVER_CORES = 0.9;
    private static final double OTHERS_CORES = 0.5;

    /**
     * The measurement to make.
     *
     * @param scale 1 for the published rates, 0.1 for a tenth
     * @param seconds how long the part that counts lasts
     * @param warmUpSeconds at about half of the capacity
     */
    public record Setup(String experiment, double scale, int seconds, int warmUpSeconds, long seed) {
        public Experiment made() {
            return Experiment.of(experiment, scale, seconds);
        }
    }

    /** Returns the program of a process that is pinned to a processor. */
    static Child.Program program(Class<?> main, int cpu) {
        // Sentinel writes its own log: to the folder that it runs in, not to the user's home.
        return Child.Program.of(main, "-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-Dcsp.sentinel.log.dir=sentinel")
                .with(Child.pinned(cpu));
    }

    public Score measure(String system) throws IOException, InterruptedException {
        Experiment experiment = setup.made();
        try (Service service = Service.start(system, setup, folder)) {
            List<Service> services = List.of(service);
            Figures figures = load(
                    services,
                    setup,
                    new TurnMeter(services, experiment, experiment.counted().to()));
            String of = experiment.counted().name() + "_all_";
            progress.say(Stream.of("calls", "answered", "refused", "late", "p50_ms", "p99_ms", "max_ms")
                    .map(name -> "%s %s".formatted(name, figures.get(of + name)))
                    .collect(Collectors.joining(", ", system + ": ", "")));
            return figures.score(difference(figures, experiment));
        }
    }

    /** Sends the load to services, in turns. */
    Figures load(List<Service> services, Setup wanted, TurnMeter meter) throws IOException, InterruptedException {
        LoadProcess.Order order = new LoadProcess.Order(
                services.stream().map(Service::port).toList(),
                wanted,
                meter.turns().seconds());
        Consumer<String> turns = turn -> meter.ended(Messages.read(turn, LoadProcess.Turn.class));
        Consumer<String> lines = line -> Messages.read(line, turns, score -> {});
        try (Child load = Child.java("load", folder, program(LoadProcess.class, CPU), lines, order);
                Machine machine = new Machine(own(services, load), meter::begun)) {
            Duration lasts =
                    Duration.ofSeconds(wanted.warmUpSeconds() + wanted.made().seconds());
            if (load.awaitExit(PATIENCE.plus(lasts)) != 0) {
                load.requireAlive();
            }
            services.forEach(service -> service.process().requireAlive());
            return new Figures()
                    .putAll(Messages.read(load.await("score", LAST_LINE), Score.class)
                            .figures())
                    .put("server_cores", meter.cores())
                    .put("others_cores_max", machine.othersCoresMax());
        }
    }

    private static List<Long> own(List<Service> services, Child load) {
        Stream<Long> own = services.stream().map(service -> service.process().pid());
        return Stream.concat(own, Stream.of(load.pid(), ProcessHandle.current().pid()))
                .toList();
    }

    /** Returns why a run reflects the machine rather than the system, or has calls without an outcome; empty if it counts. */
    static String difference(Figures figures, Experiment experiment) {
        String all = experiment.counted().name() + "_all_";
        // Latencies start when calls are due, so they include late sending, which is a small part of long ones.
        double lagMs = Math.max(LAG_MS, LAG_SHARE * figures.number(all + "p99_ms"));
        return Stream.of(
                        above(figures, "send_lag_p99_ms", lagMs, "calls were sent late"),
                        above(figures, "server_cores", SERVER_CORES, "the service had no processor time to spare"),
                        above(figures, "others_cores_max", OTHERS_CORES, "other processes used the machine"),
                        above(figures, "calls_unanswered", 0, "calls had no outcome"),
                        above(figures, all + "failed", 0, "calls failed"))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(", "));
    }

    private static Optional<String> above(Figures figures, String name, double most, String problem) {
        double found = figures.number(name);
        return found > most
                ? Optional.of("%s (%s %s, at most %s)".formatted(problem, name, found, most))
                : Optional.empty();
    }
}
