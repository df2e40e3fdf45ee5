package io.thalweg.qalm.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.LaneSnapshot;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.testing.Fixture;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real gRPC server and real clients, over the loopback interface. */
class GrpcQalmTest {
    private static final String READ = Bytes.READ.getFullMethodName();
    private static final int SLOTS = 2;

    /** Logs every exception of a service; held in a field, because a logger without references loses its level. */
    private static final Logger NOISE = Logger.getLogger("io.grpc.internal.SerializingExecutor");

    private final Fixture fixture = new Fixture(SLOTS);
    private final ExecutorService workers = Executors.newFixedThreadPool(SLOTS);
    private final List<Server> servers = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final AtomicInteger executed = new AtomicInteger();
    private final CountDownLatch blocked = new CountDownLatch(1);

    @AfterEach
    void stop() throws InterruptedException {
        blocked.countDown();
        channels.forEach(ManagedChannel::shutdownNow);
        for (Server server : servers) {
            server.shutdownNow().awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        workers.shutdownNow();
    }

    private Server start(Function<String, String> read) throws Exception {
        ServerServiceDefinition service = ServerServiceDefinition.builder("test.Service")
                .addMethod(Bytes.READ, ServerCalls.asyncUnaryCall((text, answer) -> {
                    executed.incrementAndGet();
                    answer.onNext(read.apply(text));
                    answer.onCompleted();
                }))
                .addMethod(Bytes.WATCH, ServerCalls.asyncBidiStreamingCall(GrpcQalmTest::echo))
                .build();
        ServerServiceDefinition health = ServerServiceDefinition.builder("grpc.health.v1.Health")
                .addMethod(Bytes.HEALTH, ServerCalls.asyncUnaryCall((text, answer) -> {
                    answer.onNext("SERVING");
                    answer.onCompleted();
                }))
                .build();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(service)
                .addService(health);
        GrpcQalm.protect(builder, fixture.qalm, workers);
        Server server = builder.build().start();
        servers.add(server);
        return server;
    }

    private static StreamObserver<String> echo(StreamObserver<String> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(String text) {
                answers.onNext(text);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    private ManagedChannel connect(Server server) {
        return connect(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()));
    }

    private ManagedChannel connect(NettyChannelBuilder builder) {
        ManagedChannel channel = builder.usePlaintext().build();
        channels.add(channel);
        return channel;
    }

    private static Channel as(String caller, Channel channel) {
        Metadata headers = new Metadata();
        headers.put(LaneExecutors.ascii(CallHeaders.CALLER), caller);
        return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static String read(Channel channel, String text) {
        return ClientCalls.blockingUnaryCall(
                channel,
                Bytes.READ,
                CallOptions.DEFAULT.withDeadlineAfter(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                text);
    }

    private static StatusRuntimeException failure(Channel channel, CallOptions options) {
        StatusRuntimeException failure = catchThrowableOfType(
                StatusRuntimeException.class, () -> ClientCalls.blockingUnaryCall(channel, Bytes.READ, options, "x"));
        return Objects.requireNonNull(failure, "the call did not fail");
    }

    private static @Nullable String trailer(StatusRuntimeException failure, String name) {
        Metadata trailers = failure.getTrailers();
        return trailers == null ? null : trailers.get(LaneExecutors.ascii(name));
    }

    private String waitUntilReleased(String text) {
        Await.zero("the release", blocked);
        return text;
    }

    @Test
    void call_calmTimes_isServedAndGivesItsSlotBack() throws Exception {
        Channel core = as("core", connect(start(text -> "hello " + text)));
        assertThat(read(core, "world")).isEqualTo("hello world");
        fixture.awaitIdle(READ);
        LaneSnapshot lane = fixture.qalm.lane(READ).snapshot();
        assertThat(lane.level(Criticality.CORE).outcomes()).containsEntry(Outcome.SUCCESS, 1L);
        assertThat(lane.callers())
                .singleElement()
                .satisfies(caller -> assertThat(caller.caller()).isEqualTo("core"));
    }

    @Test
    void call_overload_isRefusedWithTrailersOnlyAndNoRetry() throws Exception {
        ManagedChannel channel = connect(start(text -> text));
        read(as("core", channel), "makes the lane");
        fixture.overload();

        StatusRuntimeException refused = failure(as("background", channel), CallOptions.DEFAULT);
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getStatus().getDescription()).isEqualTo("overloaded: call of level 3 refused (gate)");
        assertThat(trailer(refused, CallHeaders.PUSHBACK)).isEqualTo("-1");
        assertThat(trailer(refused, CallHeaders.THRESHOLD)).isEqualTo("256");
        assertThat(trailer(refused, CallHeaders.DECISION)).isEqualTo("lane=" + READ + ";level=3;reason=gate");
        assertThat(read(as("core", channel), "still")).isEqualTo("still");
        assertThat(ClientCalls.blockingUnaryCall(as("background", channel), Bytes.HEALTH, CallOptions.DEFAULT, ""))
                .as("health checks always pass")
                .isEqualTo("SERVING");
        assertThat(executed).hasValue(2);
    }

    @Test
    void call_clientRetriesOnThisCode_heedsThePushBack() throws Exception {
        Server server = start(text -> text);
        Map<String, ?> retries = Map.of(
                "methodConfig",
                List.of(Map.of(
                        "name", List.of(Map.of()),
                        "retryPolicy",
                                Map.of(
                                        "maxAttempts",
                                        4.0,
                                        "initialBackoff",
                                        "0.01s",
                                        "maxBackoff",
                                        "0.02s",
                                        "backoffMultiplier",
                                        1.0,
                                        "retryableStatusCodes",
                                        List.of("RESOURCE_EXHAUSTED")))));
        ManagedChannel channel = connect(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .defaultServiceConfig(retries)
                .enableRetry());
        read(as("core", channel), "makes the lane");
        fixture.overload();
        for (int i = 0; i < 50; i++) {
            failure(as("background", channel), CallOptions.DEFAULT);
        }
        assertThat(fixture.qalm
                        .lane(READ)
                        .snapshot()
                        .level(Criticality.BACKGROUND)
                        .refused(Refusal.GATE))
                .as("offered: 1.0 times the calls")
                .isEqualTo(50);
    }

    @Test
    void call_noSlotFree_waitsAndIsServedOrExpiresUnseen() throws Exception {
        ManagedChannel channel = connect(start(this::waitUntilReleased));
        ExecutorService clients = Executors.newCachedThreadPool();
        List<Future<String>> running = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            running.add(clients.submit(() -> read(as("core", channel), "running")));
        }
        fixture.await(READ, lane -> lane.inflight() == SLOTS);
        Future<String> waits = clients.submit(() -> read(as("core", channel), "waited"));
        fixture.await(READ, lane -> lane.waiting() == 1);

        StatusRuntimeException late =
                failure(as("core", channel), CallOptions.DEFAULT.withDeadlineAfter(50, TimeUnit.MILLISECONDS));
        assertThat(late.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        fixture.await(READ, lane -> lane.waiting() == 1);
        assertThat(executed).hasValue(SLOTS);

        blocked.countDown();
        assertThat(Await.get(waits)).isEqualTo("waited");
        for (Future<String> each : running) {
            assertThat(Await.get(each)).isEqualTo("running");
        }
        fixture.awaitIdle(READ);
        assertThat(executed).as("the late one was never worked on").hasValue(SLOTS + 1);
        clients.shutdown();
    }

    @Test
    void call_cancelledWhileItWaits_leavesTheQueue() throws Exception {
        ManagedChannel channel = connect(start(this::waitUntilReleased));
        Channel core = as("core", channel);
        List<ClientCall<String, String>> calls = new ArrayList<>();
        for (int i = 0; i < SLOTS + 3; i++) {
            ClientCall<String, String> call = core.newCall(Bytes.READ, CallOptions.DEFAULT);
            ClientCalls.asyncUnaryCall(call, "x", counting(new CountDownLatch(0)));
            calls.add(call);
        }
        // An admitted call that has not reached the service yet would release its slot at once.
        fixture.await(READ, lane -> lane.waiting() == 3 && executed.get() == SLOTS);
        calls.forEach(call -> call.cancel("enough", null));
        fixture.await(READ, lane -> lane.waiting() == 0);
        assertThat(fixture.qalm.lane(READ).snapshot().inflight())
                .as("a cancelled call holds its slot as long as its worker")
                .isEqualTo(SLOTS);
        blocked.countDown();
        fixture.awaitIdle(READ);
        assertThat(executed).hasValue(SLOTS);
    }

    @Test
    void calls_allKindsOfEnds_leaveNothingBehind() throws Exception {
        NOISE.setLevel(Level.OFF);
        ManagedChannel channel = connect(start(text -> switch (text) {
            case "throw" -> throw new IllegalStateException("bug");
            case "refuse" -> throw Status.NOT_FOUND.asRuntimeException();
            default -> text;
        }));
        ExecutorService clients = Executors.newFixedThreadPool(8);
        List<Future<?>> done = new ArrayList<>();
        String[] kinds = {"ok", "throw", "refuse", "cancel", "late"};
        String[] callers = {"core", "feature", "background"};
        for (int i = 0; i < 600; i++) {
            String kind = kinds[i % kinds.length];
            Channel caller = as(callers[i % callers.length], channel);
            done.add(clients.submit(() -> end(kind, caller)));
        }
        for (Future<?> each : done) {
            Await.get(each);
        }
        clients.shutdown();
        fixture.awaitIdle(READ);
        assertThat(fixture.qalm.lane(READ).snapshot().failures()).isZero();
        assertThat(read(as("core", channel), "alive")).isEqualTo("alive");
    }

    private static void end(String kind, Channel channel) {
        CallOptions options = kind.equals("late")
                ? CallOptions.DEFAULT.withDeadlineAfter(200, TimeUnit.MICROSECONDS)
                : CallOptions.DEFAULT.withDeadlineAfter(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (kind.equals("cancel")) {
            ClientCall<String, String> call = channel.newCall(Bytes.READ, options);
            ClientCalls.asyncUnaryCall(call, "ok", counting(new CountDownLatch(0)));
            call.cancel("enough", null);
            return;
        }
        try {
            ClientCalls.blockingUnaryCall(channel, Bytes.READ, options, kind);
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isNotEqualTo(Status.Code.INTERNAL);
        }
    }

    @Test
    void stream_open_holdsNoSlot() throws Exception {
        ManagedChannel channel = connect(start(text -> text));
        List<StreamObserver<String>> streams = new ArrayList<>();
        CountDownLatch open = new CountDownLatch(10);
        for (int i = 0; i < 10; i++) {
            StreamObserver<String> stream = ClientCalls.asyncBidiStreamingCall(
                    as("core", channel).newCall(Bytes.WATCH, CallOptions.DEFAULT), counting(open));
            stream.onNext("hello");
            streams.add(stream);
        }
        Await.zero("an answer on every stream", open);
        fixture.awaitIdle(Bytes.WATCH.getFullMethodName());
        assertThat(read(as("core", channel), "served")).isEqualTo("served");
        streams.forEach(StreamObserver::onCompleted);
    }

    private static StreamObserver<String> counting(CountDownLatch answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(String text) {
                answers.countDown();
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        };
    }

    @Test
    void client_insideOfACall_passesOnHowCriticalItIs() throws Exception {
        Channel behind = ClientInterceptors.intercept(connect(start(text -> text)), GrpcQalm.client("front"));
        ServerServiceDefinition front = ServerServiceDefinition.builder("test.Service")
                .addMethod(Bytes.OTHER, ServerCalls.asyncUnaryCall((text, answer) -> {
                    answer.onNext(read(behind, text));
                    answer.onCompleted();
                }))
                .build();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(front);
        Fixture ofFront = new Fixture(SLOTS);
        ExecutorService frontWorkers = Executors.newFixedThreadPool(SLOTS);
        GrpcQalm.protect(builder, ofFront.qalm, frontWorkers);
        Server server = builder.build().start();
        servers.add(server);

        Channel background = as("background", connect(server));
        assertThat(ClientCalls.blockingUnaryCall(background, Bytes.OTHER, CallOptions.DEFAULT, "x"))
                .isEqualTo("x");
        fixture.awaitIdle(READ);
        assertThat(fixture.qalm.lane(READ).snapshot().callers()).singleElement().satisfies(caller -> {
            assertThat(caller.caller()).isEqualTo("front");
            assertThat(caller.criticality()).as("front is level 2 by itself").isEqualTo(Criticality.BACKGROUND);
        });
        frontWorkers.shutdown();
    }

    @Test
    void client_serverRefuses_keepsCallsBack() throws Exception {
        ManagedChannel channel = connect(start(text -> text));
        read(as("core", channel), "makes the lane");
        fixture.overload();
        Channel polite = ClientInterceptors.intercept(channel, GrpcQalm.client("background"));
        Context background = Context.current().withValue(LaneInterceptor.CRITICALITY, Criticality.BACKGROUND);
        background.run(() -> {
            for (int i = 0; i < 1_000; i++) {
                assertThat(failure(polite, CallOptions.DEFAULT).getStatus().getCode())
                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            }
        });
        assertThat(fixture.qalm.lane(READ).snapshot().shed()).isBetween(1L, 100L);
    }
}
