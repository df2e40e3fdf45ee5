package io.thalweg.bench.qalm;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Messages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process under test: a gRPC server whose calls each park one of {@link Experiment#workers} threads for the time that they
 * request, so that its capacity is known.
 *
 * @param port where it listens
 */
record Service(Child process, int port) implements AutoCloseable {
    private static final String PORT = "port";
    private static final int CPU = 0;
    private static final Duration START = Duration.ofMinutes(3);

    /** The service of an experiment, behind a system. */
    record Order(String system, QalmRun.Setup setup) {}

    /** Starts a service behind {@code system}; its log is {@code SYSTEM.err} in the folder. */
    static Service start(String system, QalmRun.Setup setup, Path folder) throws IOException, InterruptedException {
        Child.Program program = QalmRun.program(Service.class, CPU);
        Child process = Child.java(system, folder, program, line -> {}, new Order(system, setup));
        return new Service(process, Integer.parseInt(process.await(PORT, START)));
    }

    /** Serves until its standard input ends, and prints its port; the argument is an {@link Order}. */
    public static void main(String[] args) throws Exception {
        Order order = Messages.read(args[0], Order.class);
        Experiment experiment = order.setup().made();
        ExecutorService workers = Executors.newFixedThreadPool(experiment.workers());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(methods(experiment));
        try (Guard guard = Guard.of(order.system(), experiment)) {
            guard.protect(builder, workers);
            Server server = builder.build().start();
            Messages.say(PORT + " " + server.getPort());
            Messages.awaitEndOfInput();
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
        workers.shutdownNow();
        System.exit(0);
    }

    private static ServerServiceDefinition methods(Experiment experiment) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(Wire.SERVICE);
        for (String method : experiment.methods()) {
            service.addMethod(Wire.method(method), ServerCalls.asyncUnaryCall((micros, answer) -> {
                work(Wire.micros(micros));
                answer.onNext(micros);
                answer.onCompleted();
            }));
        }
        return service.build();
    }

    private static void work(long micros) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
