package io.thalweg.qalm.armeria;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.grpc.GrpcService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.thalweg.qalm.Call;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.grpc.Bytes;
import io.thalweg.qalm.testing.Fixture;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real Armeria server and real clients, over the loopback interface. */
class ArmeriaQalmTest {
    private static final int SLOTS = 2;
    private static final String GET = "GET /work/:kind";
    private static final List<String> STATUSES = List.of("INVALID_ARGUMENT", "UNAVAILABLE", "CANCELLED");

    private final Fixture fixture = new Fixture(SLOTS);
    private final CompletableFuture<String> blocked = new CompletableFuture<>();
    private final AtomicInteger executed = new AtomicInteger();
    private volatile int timeoutSaid;
    private volatile Runnable probed = () -> {};
    private final List<Server> servers = new ArrayList<>();

    @AfterEach
    @SuppressWarnings("FutureReturnValueIgnored")
    void stop() {
        blocked.complete("late");
        servers.forEach(Server::stop); // Netty would have us wait for two seconds each
    }

    private Server start() {
        return start(Server.builder()
                .service("/work/:kind", (context, request) -> {
                    executed.incrementAndGet();
                    timeoutSaid = request.headers().getInt(CallHeaders.TIMEOUT_MS, 0);
                    return switch (Objects.requireNonNull(context.pathParam("kind"))) {
                        case "throw" -> throw new IllegalStateException("bug");
                        case "wait" -> HttpResponse.of(blocked.thenApply(HttpResponse::of));
                        case "full" -> HttpResponse.of(HttpStatus.SERVICE_UNAVAILABLE);
                        default -> HttpResponse.of("done");
                    };
                })
                .service("/healthz", (context, request) -> {
                    probed.run();
                    return HttpResponse.of("well");
                })
                .service(GrpcService.builder()
                        .addService(ServerServiceDefinition.builder("test.Service")
                                .addMethod(Bytes.READ, ServerCalls.asyncUnaryCall((text, answer) -> {
                                    if (STATUSES.contains(text)) {
                                        answer.onError(Status.fromCode(Status.Code.valueOf(text))
                                                .asException());
                                        return;
                                    }
                                    answer.onNext("hello " + text);
                                    answer.onCompleted();
                                }))
                                .build())
                        .build())
                .decorator(ArmeriaQalm.server(fixture.qalm)));
    }

    private Server start(ServerBuilder builder) {
        Server server = builder.http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .gracefulShutdownTimeoutMillis(0, 0)
                .build();
        server.start().join();
        servers.add(server);
        return server;
    }

    private static WebClient client(Server server) {
        return WebClient.builder("http://127.0.0.1:" + server.activeLocalPort())
                .responseTimeoutMillis(Await.PATIENCE.toMillis())
                .build();
    }

    private static HttpRequest get(String caller, String path) {
        return HttpRequest.of(RequestHeaders.of(HttpMethod.GET, path, CallHeaders.CALLER, caller));
    }

    private static AggregatedHttpResponse send(WebClient client, String caller, String path) {
        return client.execute(get(caller, path)).aggregate().join();
    }

    @Test
    void request_calmTimes_isServedAndGivesItsSlotBack() {
        WebClient client = client(start());
        assertThat(send(client, "core", "/work/quick").contentUtf8()).isEqualTo("done");
        assertThat(send(client, "core", "/work/full").status()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        fixture.awaitIdle(GET);
        assertThat(fixture.qalm.lane(GET).snapshot().level(Criticality.CORE).outcomes())
                .containsEntry(Outcome.SUCCESS, 1L)
                .containsEntry(Outcome.DROPPED, 1L);
    }

    @Test
    void request_overload_isRefusedAsHttpSaysIt() {
        WebClient client = client(start());
        send(client, "core", "/work/makes-the-lane");
        fixture.overload();
        AggregatedHttpResponse refused = send(client, "background", "/work/quick");
        assertThat(refused.status()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(refused.contentType()).hasToString("application/problem+json");
        assertThat(refused.contentUtf8())
                .isEqualTo("{\"title\":\"overloaded: call of level 3 refused (gate)\",\"status\":503}");
        assertThat(refused.headers().getInt(HttpHeaderNames.RETRY_AFTER)).isBetween(1, 3);
        assertThat(refused.headers().get(CallHeaders.THRESHOLD)).isEqualTo("256");
        assertThat(refused.headers().get(CallHeaders.DECISION)).endsWith(";level=3;reason=gate");
        assertThat(send(client, "core", "/work/quick").contentUtf8()).isEqualTo("done");
        assertThat(send(client, "background", "/healthz").contentUtf8()).isEqualTo("well");
    }

    @Test
    void grpc_overload_isRefusedWithTrailersOnly() {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", start().activeLocalPort())
                .usePlaintext()
                .build();
        assertThat(ClientCalls.blockingUnaryCall(as("core", channel), Bytes.READ, CallOptions.DEFAULT, "you"))
                .isEqualTo("hello you");
        fixture.overload();
        StatusRuntimeException refused = Objects.requireNonNull(catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(as("background", channel), Bytes.READ, CallOptions.DEFAULT, "x")));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        Metadata trailers = Objects.requireNonNull(refused.getTrailers());
        assertThat(trailers.get(Metadata.Key.of(CallHeaders.PUSHBACK, Metadata.ASCII_STRING_MARSHALLER)))
                .isEqualTo("-1");
        fixture.awaitIdle(Bytes.READ.getFullMethodName());
        channel.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({"INVALID_ARGUMENT, SUCCESS", "UNAVAILABLE, DROPPED", "CANCELLED, IGNORED"})
    void grpc_serviceEndsWithAStatus_hasTheOutcomeOfTheStatus(String status, Outcome outcome) {
        String endpoint = Bytes.READ.getFullMethodName();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", start().activeLocalPort())
                .usePlaintext()
                .build();
        assertThatThrownBy(() ->
                        ClientCalls.blockingUnaryCall(as("core", channel), Bytes.READ, CallOptions.DEFAULT, status))
                .hasMessage(status);
        fixture.awaitIdle(endpoint);
        assertThat(fixture.qalm
                        .lane(endpoint)
                        .snapshot()
                        .level(Criticality.CORE)
                        .outcomes())
                .containsEntry(outcome, 1L);
        channel.shutdownNow();
    }

    private static Channel as(String caller, Channel channel) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of(CallHeaders.CALLER, Metadata.ASCII_STRING_MARSHALLER), caller);
        return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    @Test
    void request_noSlotFree_waitsWithoutAThreadAndIsServed() throws Exception {
        WebClient client = client(start());
        List<CompletableFuture<AggregatedHttpResponse>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(client.execute(get("core", "/work/wait")).aggregate());
        }
        fixture.await(GET, lane -> lane.inflight() == SLOTS && lane.waiting() == 100 - SLOTS);
        assertThat(executed).hasValue(SLOTS);
        blocked.complete("late");
        for (CompletableFuture<AggregatedHttpResponse> answer : answers) {
            assertThat(Await.get(answer).contentUtf8()).isEqualTo("late");
        }
        fixture.awaitIdle(GET);
        assertThat(executed).hasValue(100);
    }

    /** All requests of a connection are on one event loop: within the probe a slot is freed, for which the other request waits. */
    @Test
    void request_admittedWithinAnotherOfItsEventLoop_isServed() {
        WebClient client = client(start());
        List<Held> held = List.of(new Held(), new Held());
        held.forEach(fixture.qalm.lane(GET)::submit);
        CompletableFuture<AggregatedHttpResponse> waiting =
                client.execute(get("core", "/work/quick")).aggregate();
        fixture.await(GET, lane -> lane.waiting() == 1);
        probed = () -> held.forEach(call -> call.release(Outcome.SUCCESS));

        assertThat(send(client, "core", "/healthz").contentUtf8()).isEqualTo("well");

        assertThat(waiting.join().contentUtf8()).isEqualTo("done");
        fixture.awaitIdle(GET);
    }

    /** A call that occupies a slot. */
    private static final class Held extends Call {
        Held() {
            super("core", null, false, System.nanoTime(), NO_DEADLINE, 0, 1);
        }

        @Override
        protected void admitted() {
            begin();
        }

        @Override
        protected void refused(Refusal reason) {
            throw new IllegalStateException("there are free slots, but the call is refused: " + reason);
        }
    }

    @Test
    void request_deadlineInHeaders_expiresUnseen() {
        WebClient client = client(start());
        CompletableFuture<?> first = client.execute(get("core", "/work/wait")).aggregate();
        CompletableFuture<?> second = client.execute(get("core", "/work/wait")).aggregate();
        fixture.await(GET, lane -> lane.inflight() == SLOTS);
        CompletableFuture<AggregatedHttpResponse> late = client.execute(HttpRequest.of(RequestHeaders.of(
                        HttpMethod.GET, "/work/quick", CallHeaders.CALLER, "core", CallHeaders.TIMEOUT_MS, "30")))
                .aggregate();
        fixture.await(GET, lane -> late.isDone());
        assertThat(late.join().status()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);
        assertThat(executed).hasValue(SLOTS);
        assertThat(List.of(first.isDone(), second.isDone())).containsOnly(false);
    }

    @Test
    void requests_allKindsOfEnds_leaveNothingBehind() {
        WebClient client = client(start());
        WebClient hasty =
                WebClient.builder(client.uri()).responseTimeoutMillis(1).build();
        String[] kinds = {"quick", "throw", "full"};
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            WebClient one = i % 7 == 0 ? hasty : client;
            done.add(one.execute(get("core", "/work/" + kinds[i % 3]))
                    .aggregate()
                    .exceptionally(failure -> null));
        }
        done.forEach(CompletableFuture::join);
        fixture.awaitIdle(GET);
        assertThat(fixture.qalm.lane(GET).snapshot().failures()).isZero();
        assertThat(send(client, "core", "/work/quick").contentUtf8()).isEqualTo("done");
    }

    @Test
    void client_insideOfARequest_passesOnCriticalityAndTheTimeThatIsLeft() {
        Server behind = start();
        WebClient toBehind = WebClient.builder("http://127.0.0.1:" + behind.activeLocalPort())
                .decorator(ArmeriaQalm.client("front"))
                .build();
        Fixture ofFront = new Fixture(SLOTS);
        Server front = start(Server.builder()
                .service("/front", (context, request) -> toBehind.get("/work/quick"))
                .requestTimeoutMillis(Await.PATIENCE.toMillis())
                .decorator(ArmeriaQalm.server(ofFront.qalm)));
        assertThat(send(client(front), "background", "/front").contentUtf8()).isEqualTo("done");
        assertThat(timeoutSaid).isBetween(1, (int) Await.PATIENCE.toMillis());
        fixture.awaitIdle(GET);
        assertThat(fixture.qalm.lane(GET).snapshot().callers()).singleElement().satisfies(caller -> {
            assertThat(caller.caller()).isEqualTo("front");
            assertThat(caller.criticality()).isEqualTo(Criticality.BACKGROUND);
        });
    }
}
