package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A {@link ServiceProcess}, seen from outside. */
final class Service implements AutoCloseable {
    private static final int CPU = 0;
    private static final long START_SECONDS = 180;

    private final Child process;
    private final int port;

    private Service(Child process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts a service behind {@code system}; its log is {@code SYSTEM.err} in the folder. */
    static Service start(String system, QalmRun.Setup setup, Path folder) throws IOException, InterruptedException {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        Child process = Child.start(
                system,
                folder,
                java.util.Map.of(),
                Pinned.java(
                        CPU,
                        ServiceProcess.class,
                        List.of(
                                system,
                                setup.experiment(),
                                Double.toString(setup.scale()),
                                Integer.toString(setup.seconds()))),
                line -> {
                    if (line.startsWith("port ")) {
                        port.complete(Integer.valueOf(line.substring("port ".length())));
                    }
                });
        try {
            return new Service(process, port.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            process.requireAlive();
            process.close();
            throw new IllegalStateException("the service did not start within " + START_SECONDS + " s", e);
        }
    }

    int port() {
        return port;
    }

    Child process() {
        return process;
    }

    ProcessorTime processorTime() {
        return ProcessorTime.of(process.pid());
    }

    double cpuSeconds() {
        return processorTime().used() / 1e9;
    }

    @Override
    public void close() {
        process.close();
    }
}
