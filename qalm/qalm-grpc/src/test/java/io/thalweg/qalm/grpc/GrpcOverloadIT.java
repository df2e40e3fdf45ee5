package io.thalweg.qalm.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A real server with a capacity of 200 calls a second under 300, once without and once with load management: eight workers, 40 ms,
 * calls sent when they are due regardless of the answers.
 *
 * <p>This is a measurement: it compares latencies, and needs a machine that has nothing else to do. That the background pays for
 * an overload, and core is served in time, is proven on a simulated clock by {@code OverloadScenariosTest}, and that the gRPC
 * binding carries the decisions by {@link GrpcQalmTest}.
 */
@Tag("soak")
class GrpcOverloadIT {
    private static final int WORKERS = 8;
    private static final long SERVICE_NANOS = 40_000_000;
    private static final int PER_SECOND = 300;
    private static final int SECONDS = 8;
    private static final int WARM_UP_SECONDS = 2;

    /** The latency in ms by caller; refused calls are separate. */
    private record Run(Queue<Double> core, Queue<Double> background, Queue<Status.Code> refused) {
        Run() {
            this(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        }

        static double p99(Queue<Double> latencies) {
            double[] sorted =
                    latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            return sorted[(int) (0.99 * sorted.length)];
        }
    }

    @Test
    void overload_halfTooMuch_coreIsServedInTimeAndBackgroundPays() throws Exception {
        Run none = run(Mode.OFF);
        Run managed = run(Mode.ON);
        System.out.printf(
                "300 calls a second against 200: p99 of core %.0f ms without, %.0f ms with; %d of %d background refused%n",
                Run.p99(none.core()),
                Run.p99(managed.core()),
                managed.refused().size(),
                managed.refused().size() + managed.background().size());

        assertThat(none.refused()).isEmpty();
        assertThat(managed.refused()).hasSizeGreaterThan(PER_SECOND / 2);
        assertThat(managed.core()).as("all of them").hasSize(PER_SECOND / 2 * (SECONDS - WARM_UP_SECONDS));
        assertThat(Run.p99(managed.core())).isLessThan(Run.p99(none.core()) / 2);
    }

    private static Run run(Mode mode) throws Exception {
        LaneConfig lane = LaneConfig.DEFAULT.withMode(mode);
        Policy policy = endpoint -> new EndpointPolicy(
                lane, caller -> new CallerPolicy(caller.equals("core") ? Criticality.CORE : Criticality.BACKGROUND));
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder("test.Service")
                        .addMethod(Bytes.READ, ServerCalls.asyncUnaryCall((text, answer) -> {
                            long end = System.nanoTime() + SERVICE_NANOS;
                            while (System.nanoTime() - end < 0) {
                                LockSupport.parkNanos(end - System.nanoTime());
                            }
                            answer.onNext(text);
                            answer.onCompleted();
                        }))
                        .build());
        try (LiveQalm live = LiveQalm.start(new QalmConfig(WORKERS, 2), policy)) {
            GrpcQalm.protect(builder, live.qalm(), workers);
            Server server = builder.build().start();
            Run run = send(server);
            server.shutdownNow().awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return run;
        } finally {
            workers.shutdownNow();
        }
    }

    private static Run send(Server server) throws InterruptedException {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .directExecutor()
                .build();
        Run run = new Run();
        int calls = PER_SECOND * SECONDS;
        CountDownLatch answers = new CountDownLatch(calls);
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            long due = start + i * 1_000_000_000L / PER_SECOND;
            while (System.nanoTime() - due < 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            boolean counted = i >= PER_SECOND * WARM_UP_SECONDS;
            call(channel, i % 2 == 0, due, counted ? run : new Run(), answers);
        }
        Await.zero("all answers", answers);
        channel.shutdownNow();
        return run;
    }

    private static void call(Channel channel, boolean core, long due, Run run, CountDownLatch answers) {
        Metadata headers = new Metadata();
        headers.put(LaneExecutors.ascii(CallHeaders.CALLER), core ? "core" : "background");
        Channel as = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        ClientCall<String, String> call = as.newCall(Bytes.READ, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        if (status.isOk()) {
                            (core ? run.core() : run.background()).add((System.nanoTime() - due) / 1e6);
                        } else {
                            run.refused().add(status.getCode());
                        }
                        answers.countDown();
                    }
                },
                new Metadata());
        call.request(2);
        call.sendMessage("x");
        call.halfClose();
    }
}
