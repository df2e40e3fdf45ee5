package io.thalweg.bench.qalm;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process under test: a gRPC server whose calls park one of {@link Experiment#workers} threads for as long as they say, so
 * that its capacity is known. Writes {@code port N}, then once a second to its errors how the guard stands; ends with its input.
 */
public final class ServiceProcess {
    private ServiceProcess() {}

    /** Arguments: system, experiment, scale, seconds. */
    public static void main(String[] args) throws Exception {
        Experiment experiment = Experiment.of(args[1], Double.parseDouble(args[2]), Integer.parseInt(args[3]));
        ExecutorService workers = Executors.newFixedThreadPool(experiment.workers());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(service(experiment));
        try (Guard guard = Guard.of(args[0], experiment)) {
            guard.protect(builder, workers);
            Server server = builder.build().start();
            System.out.println("port " + server.getPort());
            Thread watch = new Thread(() -> watch(guard), "watch");
            watch.setDaemon(true);
            if (!experiment.name().equals("E4")) { // There, what it takes to say so would count.
                watch.start();
            }
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
        workers.shutdownNow();
        System.exit(0);
    }

    private static void watch(Guard guard) {
        while (true) {
            LockSupport.parkNanos(1_000_000_000L);
            String state = guard.state();
            if (!state.isEmpty()) {
                System.err.println(System.currentTimeMillis() + " " + state);
            }
        }
    }

    private static ServerServiceDefinition service(Experiment experiment) {
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
}
