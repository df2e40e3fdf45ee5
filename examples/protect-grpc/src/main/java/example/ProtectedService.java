package example;

import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.grpc.GrpcQalm;
import io.thalweg.qalm.live.LiveQalm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A gRPC service with four workers and calls of 50 ms, so a capacity of 80 calls per second. The checkout calls it 20 times per second, a
 * report with 32 threads, which pause for 5 ms after each call. Exits with 0 once reports have been refused, if every call of the checkout was served.
 */
public final class ProtectedService {
    private static final int WORKERS = 4;
    private static final MethodDescriptor<String, String> GET = MethodDescriptor.newBuilder(new Text(), new Text())
            .setFullMethodName("shop.Cart/Get")
            .setType(MethodType.UNARY)
            .build();

    private static final Map<String, CallerPolicy> CALLERS = Map.of(
            "checkout", new CallerPolicy(Criticality.CORE),
            "report", new CallerPolicy(Criticality.BACKGROUND));

    private ProtectedService() {}

    public static void main(String[] args) throws Exception {
        Policy policy = endpoint -> new EndpointPolicy(
                LaneConfig.DEFAULT, caller -> CALLERS.getOrDefault(caller, CallerPolicy.DEFAULT));
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        LiveQalm live =
                LiveQalm.start(new QalmConfig(WORKERS, Runtime.getRuntime().availableProcessors()), policy);
        Server server = protectedServer(live, workers).start();
        try {
            Load checkout = new Load("checkout", 2, 100, server.getPort());
            Load report = new Load("report", 32, 5, server.getPort());
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while ((report.refused.sum() == 0 || checkout.served.sum() < 50) && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(100_000_000);
            }
            checkout.stop();
            report.stop();
            System.out.println(checkout + "\n" + report);
            System.exit(report.refused.sum() > 0 && checkout.refused.sum() == 0 && checkout.served.sum() >= 50 ? 0 : 1);
        } finally {
            server.shutdownNow();
            live.close();
            workers.shutdown();
        }
    }

    private static Server protectedServer(LiveQalm live, ExecutorService workers) {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ServerBuilder<?> builder = io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder.forAddress(
                        loopback, InsecureServerCredentials.create())
                .addService(ServerServiceDefinition.builder("shop.Cart")
                        .addMethod(GET, ServerCalls.asyncUnaryCall((user, answer) -> {
                            LockSupport.parkNanos(50_000_000);
                            answer.onNext("cart of " + user);
                            answer.onCompleted();
                        }))
                        .build());
        GrpcQalm.protect(builder, live.qalm(), workers);
        return builder.build();
    }

    /** Threads that call as one caller, each with a pause after every call. */
    private static final class Load {
        final LongAdder served = new LongAdder();
        final LongAdder refused = new LongAdder();
        private final String caller;
        private final ManagedChannel channel;
        private final ExecutorService threads;
        private volatile boolean stopped;

        Load(String caller, int threads, long pauseMillis, int port) {
            this.caller = caller;
            this.channel = Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                    .intercept(GrpcQalm.client(caller))
                    .build();
            this.threads = Executors.newFixedThreadPool(threads);
            for (int i = 0; i < threads; i++) {
                this.threads.execute(() -> {
                    while (!stopped) {
                        call();
                        LockSupport.parkNanos(pauseMillis * 1_000_000);
                    }
                });
            }
        }

        private void call() {
            try {
                ClientCalls.blockingUnaryCall(channel, GET, CallOptions.DEFAULT, "alice");
                served.increment();
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() != Status.Code.RESOURCE_EXHAUSTED && !stopped) {
                    e.printStackTrace();
                }
                refused.increment();
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            threads.shutdown();
            threads.awaitTermination(10, TimeUnit.SECONDS);
            channel.shutdownNow();
        }

        @Override
        public String toString() {
            return "%-8s served %5d, refused %6d".formatted(caller, served.sum(), refused.sum());
        }
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
