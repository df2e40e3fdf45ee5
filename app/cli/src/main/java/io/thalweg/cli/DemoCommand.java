package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.Demo;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg demo}: a simulated city through a real broker, Flink, the store and the server, all in this process. */
@Command(
        name = "demo",
        description = "A simulated city, its demand and supply computed and served; nothing else is needed.",
        footer = {"", "Example:", "  thalweg demo --speed 60 --minutes 5 --exit"})
public final class DemoCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--speed", paramLabel = "X", description = "Event time per wall time (default: ${DEFAULT-VALUE}).")
    private double speed = 10;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Stop the city so many minutes of event time after the job has caught up with it.")
    private @Nullable Integer minutes;

    @Option(names = "--exit", description = "Leave when the minutes are over.")
    private boolean exit;

    @Option(names = "--port", paramLabel = "N", description = "Serve here, or on the next free port (default: 8080).")
    private int port = 8080;

    @Option(names = "--seed", paramLabel = "N", description = "Another city (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            description = "Riders and drivers together, per second of event time (default: ${DEFAULT-VALUE}).")
    private double eventsPerSecond = 100;

    @Option(names = "--parallelism", paramLabel = "N", description = "Subtasks of each operator (default: 1).")
    private int parallelism = 1;

    @Option(
            names = "--offline",
            description = "Keep feature logs in .thalweg/demo, for training sets; each start replaces them.")
    private boolean offline;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    public DemoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        Demo.run(
                new Demo.Settings(speed, minutes, exit, port, seed, eventsPerSecond, parallelism, offline),
                console,
                quiet);
        return 0;
    }
}
