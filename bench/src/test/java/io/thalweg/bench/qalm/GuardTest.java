package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.thalweg.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each system in front of a real server with a few workers. Calm loads are first, because Sentinel counts per process, not per
 * server.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class GuardTest {
    static final List<String> SYSTEMS = Guard.SYSTEMS;

    private static final Experiment EXPERIMENT = Experiment.of("E1", 0.025, 10); // four workers, 120 calls a second
    private static final int BURST = 200;

    private final CountDownLatch held = new CountDownLatch(1);

    private interface Use {
        void of(Channel channel) throws Exception;
    }

    private void serve(String system, Use use) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(EXPERIMENT.workers());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder(Wire.SERVICE)
                        .addMethod(Wire.method("call"), ServerCalls.asyncUnaryCall((request, answer) -> {
                            if (Wire.micros(request) > 0) {
                                awaitRelease();
                            }
                            answer.onNext(request);
                            answer.onCompleted();
                        }))
                        .build());
        try (Guard guard = Guard.of(system, EXPERIMENT)) {
            guard.protect(builder, workers);
            Server server = builder.build().start();
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                    .usePlaintext()
                    .build();
            Metadata headers = new Metadata();
            headers.put(Wire.CALLER, "background");
            use.of(ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)));
            channel.shutdownNow();
            server.shutdownNow().awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            workers.shutdownNow();
        }
    }

    private void awaitRelease() {
        try {
            held.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static CompletableFuture<Status.Code> call(Channel channel, long micros) {
        return call(channel, micros, Await.PATIENCE.toMillis());
    }

    private static CompletableFuture<Status.Code> call(Channel channel, long micros, long timeoutMs) {
        CompletableFuture<Status.Code> end = new CompletableFuture<>();
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS);
        ClientCalls.asyncUnaryCall(
                channel.newCall(Wire.method("call"), options), Wire.micros(micros), new StreamObserver<>() {
                    @Override
                    public void onNext(byte[] answer) {}

                    @Override
                    public void onError(Throwable failure) {
                        end.complete(Status.fromThrowable(failure).getCode());
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(Status.Code.OK);
                    }
                });
        return end;
    }

    @Order(1)
    @ParameterizedTest
    @FieldSource("SYSTEMS")
    void protect_calmTimes_givesEveryPermitBack(String system) throws Exception {
        serve(system, channel -> {
            for (int i = 0; i < 50; i++) {
                assertThat(Await.get(call(channel, 0))).isEqualTo(Status.Code.OK);
            }
        });
    }

    /** A rival that kept the permits of cancelled calls would refuse all later ones. */
    @Order(2)
    @ParameterizedTest
    @ValueSource(strings = {"thalweg", "on_off", "gradient2", "vegas", "bulkhead"})
    void protect_callersGaveUp_servesThoseWhoComeAfterwards(String system) throws Exception {
        serve(system, channel -> {
            List<CompletableFuture<Status.Code>> given = new ArrayList<>();
            for (int i = 0; i < 4 * EXPERIMENT.workers(); i++) {
                given.add(call(channel, 1, 20));
            }
            for (CompletableFuture<Status.Code> one : given) {
                assertThat(Await.get(one)).isNotEqualTo(Status.Code.OK);
            }
            held.countDown();
            AtomicInteger served = new AtomicInteger();
            Await.until(
                    () -> "calls are served again; %s were".formatted(served),
                    () -> Await.get(call(channel, 0)) == Status.Code.OK
                            && served.incrementAndGet() == 2 * EXPERIMENT.workers());
        });
    }

    /**
     * Sentinel counts calls rather than those in progress: a burst exceeds its 120 a second. {@code on_off} is left out, because
     * it checks its queue only when a call arrives or ends.
     */
    @Order(3)
    @ParameterizedTest
    @ValueSource(strings = {"thalweg", "gradient2", "vegas", "bulkhead", "sentinel"})
    void protect_workersAreStuck_refusesSome(String system) throws Exception {
        serve(system, channel -> {
            List<CompletableFuture<Status.Code>> calls = new ArrayList<>();
            Await.until("a call is refused", () -> {
                for (int i = 0; i < BURST && calls.size() < 5 * BURST; i++) {
                    calls.add(call(channel, 1));
                }
                return calls.stream().anyMatch(CompletableFuture::isDone);
            });
            CompletableFuture<?> refused = CompletableFuture.anyOf(calls.toArray(CompletableFuture[]::new));
            assertThat(refused.get()).isIn(Status.Code.UNAVAILABLE, Status.Code.RESOURCE_EXHAUSTED);
            held.countDown();
            for (CompletableFuture<Status.Code> call : calls) {
                assertThat(Await.get(call))
                        .isIn(Status.Code.OK, Status.Code.UNAVAILABLE, Status.Code.RESOURCE_EXHAUSTED);
            }
        });
    }
}
