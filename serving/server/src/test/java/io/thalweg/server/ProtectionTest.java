package io.thalweg.server;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Await;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server behind load management: real requests, over HTTP and gRPC. */
class ProtectionTest {
    private static final int THREADS = 2;
    private static final int SLOTS = 4;
    private static final String BODY =
            "{\"entities\":[{\"cell\":\"" + Long.toHexString(CELL) + "\",\"product\":\"" + PRODUCT + "\"}]}";
    private static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of(CallHeaders.PUSHBACK, Metadata.ASCII_STRING_MARSHALLER);

    @TempDir
    Path folder;

    private static final long STALL_NANOS = 20_000_000;

    private final HeldStore store = new HeldStore();
    private final Metrics metrics = new Metrics();
    private final HttpClient http = HttpOne.client();
    private Path rules;

    @BeforeEach
    void writeRules() throws IOException {
        rules = folder.resolve("qalm.yaml");
        Files.writeString(rules, "callers: {core: 1, background: 3}");
    }

    private FeatureServer start(Mode mode) {
        ServerConfig config = ServerConfig.loopback(0)
                .withReads(THREADS, 256)
                .withRequestTimeout(Await.PATIENCE)
                .withQalm(new ServerConfig.Qalm(mode, rules, folder.resolve("state")));
        return FeatureServer.start(
                config, List.of(DEMAND), store, null, new FakeClock(Instant.ofEpochMilli(T)), metrics);
    }

    private HttpRequest.Builder request(FeatureServer server, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private CompletableFuture<HttpResponse<String>> read(FeatureServer server, String caller) {
        HttpRequest read = request(server, "/v1/views/demand:read")
                .header(CallHeaders.CALLER, caller)
                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                .build();
        return http.sendAsync(read, HttpResponse.BodyHandlers.ofString());
    }

    private List<CompletableFuture<HttpResponse<String>>> reads(FeatureServer server, String caller, int count) {
        List<CompletableFuture<HttpResponse<String>>> reads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            reads.add(read(server, caller));
        }
        return reads;
    }

    private static HttpResponse<String> answer(CompletableFuture<HttpResponse<String>> read) throws Exception {
        return Await.get(read);
    }

    /** Fills the slots and lets calls of both levels wait until there is an overload. */
    private List<CompletableFuture<HttpResponse<String>>> overload(FeatureServer server) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> core = reads(server, "core", 2 * SLOTS);
        awaitWaiting("POST /v1/views/NAME:read");
        for (var shed : reads(server, "background", SLOTS)) {
            HttpResponse<String> answer = answer(shed);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("content-type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
            assertThat(Integer.parseInt(
                            answer.headers().firstValue("retry-after").orElseThrow()))
                    .isBetween(1, 3);
            assertThat(answer.body())
                    .contains(
                            "{\"error\":{\"code\":503,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"overloaded: call of"
                                    + " level 3 refused (");
        }
        // Refusals do not prove an overload: garbage collections are a pressure that also refuses such calls.
        await("qos_overloaded", "POST /v1/views/NAME:read", 1);
        return core;
    }

    private Exposition exposed() {
        return Exposition.of(metrics.expose());
    }

    /** Waits until all slots are taken and as many calls wait. */
    private void awaitWaiting(String endpoint) {
        await("qos_waiting", endpoint, SLOTS);
    }

    private void await(String metric, String endpoint, double value) {
        String name = "%s{endpoint=\"%s\"}".formatted(metric, endpoint);
        Await.until(
                () -> name + " of " + value + " in " + exposed(),
                () -> exposed().value(name) == value);
    }

    @Test
    void read_storeIsStuck_backgroundIsRefusedAndCoreIsAnsweredOnceItCan() throws Exception {
        try (FeatureServer server = start(Mode.ON)) {
            var core = overload(server);
            String page = http.send(request(server, "/metrics").build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(Exposition.of(page).value("qos_overloaded{endpoint=\"POST /v1/views/NAME:read\"}"))
                    .isEqualTo(1);
            store.release.countDown();
            for (var read : core) {
                assertThat(answer(read).statusCode()).isEqualTo(200);
            }
        }
        Exposition exposed = exposed();
        String endpoint = "endpoint=\"POST /v1/views/NAME:read\"";
        assertThat(exposed.value("qos_inflight{" + endpoint + "}")).isZero();
        assertThat(exposed.value("qos_waiting{" + endpoint + "}")).isZero();
        assertThat(exposed.value("qos_shed_ratio{" + endpoint + "}")).isNotNaN();
        assertThat(exposed.value("qos_min_delay_seconds{" + endpoint + "}")).isNotNaN();
        assertThat(exposed.value("qos_pressure{signal=\"heap\"}")).isNotNaN();
        assertThat(exposed.value("qos_pressure{signal=\"collections\"}")).isNotNaN();
        assertThat(exposed.value("qos_requests_total{" + endpoint + ",level=\"1\",outcome=\"ok\"}"))
                .isEqualTo(2 * SLOTS);
        assertThat(exposed.value("qos_caller_requests_total{" + endpoint + ",caller=\"background\",outcome=\"shed\"}"))
                .isEqualTo(SLOTS);
    }

    @Test
    void grpc_overload_isRefusedWithPushback() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(2 * SLOTS);
        try (FeatureServer server = start(Mode.ON)) {
            List<Future<ReadFeaturesResponse>> core = new ArrayList<>();
            for (int i = 0; i < 2 * SLOTS; i++) {
                core.add(callers.submit(() -> stub(server, "core").readFeatures(request())));
            }
            awaitWaiting("thalweg.v1.ServingService/ReadFeatures");
            StatusRuntimeException refused = Objects.requireNonNull(catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> stub(server, "background").readFeatures(request())));
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(Objects.requireNonNull(refused.getTrailers()).get(PUSHBACK))
                    .isEqualTo("-1");
            store.release.countDown();
            for (var read : core) {
                assertThat(Await.get(read).getRowsCount()).isEqualTo(1);
            }
        } finally {
            callers.shutdown();
        }
    }

    private static ServingServiceBlockingStub stub(FeatureServer server, String caller) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of(CallHeaders.CALLER, Metadata.ASCII_STRING_MARSHALLER), caller);
        return GrpcClients.builder("gproto+http://127.0.0.1:" + server.port())
                .responseTimeoutMillis(Await.PATIENCE.toMillis())
                .build(ServingServiceBlockingStub.class)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static ReadFeaturesRequest request() {
        EntityKey key = EntityKey.newBuilder()
                .putValues("cell", text(Long.toHexString(CELL)))
                .putValues("product", text(PRODUCT))
                .build();
        return ReadFeaturesRequest.newBuilder()
                .setView("demand")
                .addEntities(key)
                .build();
    }

    private static EntityValue text(String value) {
        return EntityValue.newBuilder().setStringValue(value).build();
    }

    /**
     * 400 reads a second for three seconds, of which the store carries 200: 100 of them are critical. It is a measurement: a busy
     * machine sends another load. {@code OverloadScenariosTest} proves the same on a simulated clock, and
     * {@link #read_storeIsStuck_backgroundIsRefusedAndCoreIsAnsweredOnceItCan} that the server carries the decisions.
     */
    @Test
    @Tag("soak")
    void read_twiceTheLoad_everyCriticalCallIsAnswered() throws Exception {
        store.release.countDown();
        store.readNanos = THREADS * 1_000_000_000L / 200;
        Load load = twiceTheLoad();
        // A machine that stalls sends bursts instead of this load, and answers them late.
        for (int attempt = 1; attempt < 5 && load.refused > 0 && load.stalledNanos > STALL_NANOS; attempt++) {
            load = twiceTheLoad();
        }
        assertThat(load.refused).as("critical calls of 300").isZero();
        assertThat(load.shed).as("of 900").isGreaterThan(300);
    }

    /**
     * The result of a load.
     *
     * @param refused critical calls that were not answered
     * @param shed other calls that were refused
     * @param stalledNanos how late the latest call was sent
     */
    private record Load(int refused, int shed, long stalledNanos) {}

    private Load twiceTheLoad() throws Exception {
        try (FeatureServer server = start(Mode.ON)) {
            List<CompletableFuture<HttpResponse<String>>> core = new ArrayList<>();
            List<CompletableFuture<HttpResponse<String>>> background = new ArrayList<>();
            long stalledNanos = 0;
            long due = System.nanoTime();
            for (int i = 0; i < 1_200; i++) {
                while (System.nanoTime() - due < 0) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                stalledNanos = Math.max(stalledNanos, System.nanoTime() - due);
                // Calls that a stalled machine has missed are not sent at once, because that would be a different load.
                due = Math.max(due + 2_500_000L, System.nanoTime() - 10_000_000L);
                boolean critical = i % 4 == 0;
                (critical ? core : background).add(read(server, critical ? "core" : "background"));
            }
            return new Load(refused(core), refused(background), stalledNanos);
        }
    }

    private static int refused(List<CompletableFuture<HttpResponse<String>>> reads) throws Exception {
        int refused = 0;
        for (var read : reads) {
            refused += answer(read).statusCode() == 200 ? 0 : 1;
        }
        return refused;
    }

    @Test
    void read_overload_whatDoesNotReadPasses() throws Exception {
        try (FeatureServer server = start(Mode.ON)) {
            var core = overload(server);
            for (String path : List.of("/", "/metrics")) {
                HttpRequest request = request(server, path)
                        .header(CallHeaders.CALLER, "background")
                        .build();
                assertThat(http.send(request, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
            store.release.countDown();
            for (var read : core) {
                answer(read);
            }
        }
        assertThat(exposed().series().keySet())
                .noneMatch(series -> series.contains("endpoint=\"GET /\""))
                .noneMatch(series -> series.contains("endpoint=\"GET /metrics\""));
    }

    @Test
    void read_switchedOff_nothingIsRefusedByLoadManagement() throws Exception {
        try (FeatureServer server = start(Mode.OFF)) {
            var reads = reads(server, "background", 3 * SLOTS);
            store.entered.await();
            store.release.countDown();
            for (var read : reads) {
                assertThat(answer(read).statusCode()).isEqualTo(200);
            }
        }
        assertThat(exposed().value("qos_passed_total{endpoint=\"POST /v1/views/NAME:read\"}"))
                .isEqualTo(3 * SLOTS);
    }

    @Test
    void read_bodyTooLong_isRefusedInOurForm() throws Exception {
        store.release.countDown();
        try (FeatureServer server = start(Mode.ON)) {
            HttpRequest read = request(server, "/v1/views/demand:read")
                    .version(HttpClient.Version.HTTP_1_1)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5 << 20]))
                    .build();
            HttpResponse<String> answer = http.send(read, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).contains("the body is too long");
        }
    }

    private Set<String> callers(String outcome) {
        return exposed().series().keySet().stream()
                .filter(series -> series.contains("caller=\"made-up-") && series.contains(outcome))
                .collect(Collectors.toSet());
    }

    @Test
    void metrics_manyCallers_haveBoundedLabels() throws Exception {
        store.release.countDown();
        try (FeatureServer server = start(Mode.ON)) {
            for (int i = 0; i < 120; i++) {
                answer(read(server, "made-up-" + i));
            }
            Set<String> named = callers("admitted");
            assertThat(named).hasSize(50);
            assertThat(exposed()
                            .value("qos_caller_requests_total{endpoint=\"POST /v1/views/NAME:read\",caller=\"other\","
                                    + "outcome=\"admitted\"}"))
                    .isEqualTo(70);
            assertThat(callers("admitted")).as("the same ones again").isEqualTo(named);
        }
    }

    @Test
    void stop_afterWork_leavesNoThreadOfLoadManagement() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        store.release.countDown();
        FeatureServer server = start(Mode.ON);
        answer(read(server, "core"));
        Set<Thread> own = new HashSet<>(Thread.getAllStackTraces().keySet());
        own.removeAll(before);
        own.removeIf(thread -> !thread.getName().startsWith("qalm-"));
        assertThat(own).hasSize(2);
        server.stop();
        assertThat(own).noneMatch(Thread::isAlive);
    }
}
