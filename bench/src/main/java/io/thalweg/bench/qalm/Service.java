package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link ServiceProcess}, seen from outside.
 *
 * @param port where it listens
 */
record Service(Child process, int port) implements AutoCloseable {
    private static final int CPU = 0;
    private static final Duration START = Duration.ofMinutes(3);

    /** Starts a service behind {@code system}; its log is {@code SYSTEM.err} in the folder. */
    static Service start(String system, QalmRun.Setup setup, Path folder) throws IOException, InterruptedException {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        Child process = Child.java(
                system,
                folder,
                Child.pinned(CPU),
                QalmRun.OPTIONS,
                ServiceProcess.class,
                Orders.arguments(new ServiceProcess.Order(system, setup)),
                line -> {
                    if (line.startsWith(ServiceProcess.PORT)) {
                        port.complete(Integer.valueOf(line.substring(ServiceProcess.PORT.length())));
                    }
                });
        return new Service(process, process.await(port, START));
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
