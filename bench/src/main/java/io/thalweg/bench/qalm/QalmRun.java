package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One experiment: service and load, each in a process, on a processor of its own where there are two. */
public final class QalmRun {
    private static final int CPU = 1;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_MS = 200;
    private static final long PAUSE_EVERY_MS = 5_000;

    private final Setup setup;
    private final Path folder;
    private final Progress progress;

    /**
     * What is measured.
     *
     * @param scale 1 for the published rates, 0.1 for a tenth
     * @param seconds how long the part that counts lasts
     * @param warmUpSeconds at half of the capacity or so
     */
    public record Setup(String experiment, double scale, int seconds, int warmUpSeconds, long seed) {
        /** The experiment. */
        public Experiment made() {
            return Experiment.of(experiment, scale, seconds);
        }
    }

    /** {@code folder}: where the processes write their errors and how the guard stood each second. */
    public QalmRun(Setup setup, Path folder, Progress progress) {
        this.setup = setup;
        this.folder = folder;
        this.progress = progress;
    }

    /** Measures a system. */
    public Measured measure(String system) throws IOException, InterruptedException {
        progress.say("%s: %s".formatted(setup.experiment(), system));
        try (Service service = Service.start(system, setup, folder)) {
            return load(List.of(service), system, setup, 1, line -> {});
        }
    }

    /**
     * Puts the load on services, in {@link TurnSchedule}.
     *
     * @param services of whom the first is watched
     * @param lines hears what the load's process says, as it says it
     */
    Measured load(List<Service> services, String system, Setup wanted, int turnSeconds, Consumer<String> lines)
            throws IOException, InterruptedException {
        Service service = services.get(0);
        Measured.Reader reader = new Measured.Reader();
        CompletableFuture<Double> begun = new CompletableFuture<>();
        CompletableFuture<Double> over = new CompletableFuture<>();
        List<String> args = List.of(
                services.stream().map(each -> Integer.toString(each.port())).collect(Collectors.joining(",")),
                wanted.experiment(),
                Double.toString(wanted.scale()),
                Integer.toString(wanted.seconds()),
                Integer.toString(wanted.warmUpSeconds()),
                Long.toString(wanted.seed()),
                Integer.toString(turnSeconds));
        Experiment experiment = wanted.made();
        Measured.Disturbance disturbance;
        try (Child load = Child.start(
                        "load-" + system, folder, Map.of(), Pinned.java(CPU, LoadProcess.class, args), line -> {
                            lines.accept(line);
                            switch (line) {
                                case "phase run" -> begun.complete(service.cpuSeconds());
                                case "phase over" -> over.complete(service.cpuSeconds());
                                default -> reader.line(line);
                            }
                        });
                Machine machine = Machine.watch(
                        service.process().pid(),
                        load.pid(),
                        wanted.warmUpSeconds(),
                        folder.resolve("machine-" + system + ".csv"))) {
            if (experiment.pauses()) {
                pause(service.process(), load, begun, over, wanted.warmUpSeconds());
            }
            int lasts = wanted.warmUpSeconds() + experiment.seconds();
            int code = load.awaitExit(PATIENCE.plusSeconds(lasts));
            service.process().requireAlive();
            if (code != 0) {
                load.requireAlive();
            }
            disturbance = machine.worst();
        }
        Experiment.Window counted = experiment.windows().get(0);
        double cpu = over.getNow(service.cpuSeconds()) - begun.getNow(0.0);
        // Windows may begin after the load does.
        return reader.measured(system, cpu / counted.to(), disturbance);
    }

    private static void pause(
            Child process,
            Child load,
            CompletableFuture<Double> begun,
            CompletableFuture<Double> over,
            int warmUpSeconds)
            throws InterruptedException, IOException {
        try {
            begun.get(warmUpSeconds + 60L, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the load did not begin", e);
        }
        while (!over.isDone() && load.isAlive()) {
            signal(process, "STOP");
            Thread.sleep(PAUSE_MS);
            signal(process, "CONT");
            Thread.sleep(PAUSE_EVERY_MS - PAUSE_MS);
        }
    }

    private static void signal(Child process, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }
}
