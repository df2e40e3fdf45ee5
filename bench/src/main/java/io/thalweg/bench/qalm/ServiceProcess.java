package io.thalweg.bench.qalm;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.thalweg.bench.harness.Orders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process under test: a gRPC server whose calls park one of {@link Experiment#workers} threads for as long as they say, so
 * that its capacity is known. Writes {@code port N}; ends with its input.
 */
public final class ServiceProcess {
    static final String PORT = "port ";

    private ServiceProcess() {}

    /** The service of an experiment, behind a system. */
    record Order(String system, QalmRun.Setup setup) {}

    /** The argument is an {@link Order}. */
    public static void main(String[] args) throws Exception {
        Order order = Orders.read(args[0], Order.class);
        Experiment experiment = order.setup().made();
        ExecutorService workers = Executors.newFixedThreadPool(experiment.workers());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(service(experiment));
        try (Guard guard = Guard.of(order.system(), experiment)) {
            guard.protect(builder, workers);
            Server server = builder.build().start();
            System.out.println(PORT + server.getPort());
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
        workers.shutdownNow();
        System.exit(0);
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
