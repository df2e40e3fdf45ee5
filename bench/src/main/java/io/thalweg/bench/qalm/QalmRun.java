package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One experiment: service and load, each in a process, on a processor of its own where there are two.
 *
 * @param folder where the processes write their errors
 */
public record QalmRun(Setup setup, Path folder, Progress progress) {
    static final List<String> OPTIONS = List.of(
            "-Xms1g",
            "-Xmx1g",
            "-XX:+UseG1GC",
            // Sentinel writes its own log: into the folder that it runs in, not into the user's home.
            "-Dcsp.sentinel.log.dir=sentinel");

    private static final int CPU = 1;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_MS = 200;
    private static final long PAUSE_EVERY_MS = 5_000;

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
        CompletableFuture<Measured.Calls> calls = new CompletableFuture<>();
        CompletableFuture<Double> begun = new CompletableFuture<>();
        CompletableFuture<Double> over = new CompletableFuture<>();
        List<String> args = Orders.arguments(
                new LoadProcess.Order(services.stream().map(Service::port).toList(), wanted, turnSeconds));
        Experiment experiment = wanted.made();
        Measured.Disturbance disturbance;
        try (Child load = Child.java(
                        "load-" + system, folder, Child.pinned(CPU), OPTIONS, LoadProcess.class, args, line -> {
                            lines.accept(line);
                            if (line.equals("phase run")) {
                                begun.complete(service.cpuSeconds());
                            } else if (line.equals("phase over")) {
                                over.complete(service.cpuSeconds());
                            } else if (line.startsWith(LoadProcess.CALLS)) {
                                calls.complete(
                                        Orders.read(line.substring(LoadProcess.CALLS.length()), Measured.Calls.class));
                            }
                        });
                Machine machine = Machine.watch(service.process().pid(), load.pid(), wanted.warmUpSeconds())) {
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
        return new Measured(
                system,
                await(calls, PATIENCE.toSeconds(), "the load's process said nothing of what it measured"),
                cpu / counted.to(),
                disturbance);
    }

    private static void pause(
            Child process,
            Child load,
            CompletableFuture<Double> begun,
            CompletableFuture<Double> over,
            int warmUpSeconds)
            throws InterruptedException, IOException {
        var unused = await(begun, warmUpSeconds + 60L, "the load did not begin");
        while (!over.isDone() && load.isAlive()) {
            signal(process, "STOP");
            Thread.sleep(PAUSE_MS);
            signal(process, "CONT");
            Thread.sleep(PAUSE_EVERY_MS - PAUSE_MS);
        }
    }

    private static <T> T await(CompletableFuture<T> future, long seconds, String otherwise)
            throws InterruptedException {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(otherwise, e);
        }
    }

    private static void signal(Child process, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }
}
