package io.thalweg.server;

import static io.thalweg.server.OtlpReceiver.attributes;
import static io.thalweg.server.OtlpReceiver.hex;
import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.SUPPLY;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.StatusRuntimeException;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.live.LiveClient;
import io.thalweg.model.deployment.TracingConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of reads as an OTLP receiver gets them. A stop sends the last ones. */
class TracingTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER = "00f067aa0ba902b7";
    private static final String SAMPLED = "00-" + TRACE + "-" + CALLER + "-01";
    private static final String UNSAMPLED = "00-" + TRACE + "-" + CALLER + "-00";
    private static final String KEY = "{\"cell\":\"" + Long.toHexString(CELL) + "\",\"product\":\"" + PRODUCT + "\"}";
    private static final String BODY = "{\"entities\":[" + KEY + "," + KEY + "]}";

    @TempDir
    Path folder;

    private final HttpClient http = HttpOne.client();
    private OtlpReceiver receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = new OtlpReceiver();
    }

    @AfterEach
    void stop() {
        receiver.close();
    }

    private static ServerConfig traced(URI endpoint, double ratio) {
        return ServerConfig.loopback(0)
                .withQalm(ServerFixture.NO_SHEDDING)
                .withTracing(new TracingConfig(endpoint, ratio, "reads", Map.of("authorization", "Bearer abc"), null));
    }

    private ServerFixture fixture(double ratio, @Nullable LiveClient live) {
        return new ServerFixture(folder, List.of(DEMAND, SUPPLY), live, traced(receiver.endpoint(), ratio)).filled();
    }

    private int post(int port, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    private int post(ServerFixture fixture, String path, String body, String... headers) throws Exception {
        return post(fixture.server.port(), path, body, headers);
    }

    private static List<String> names(List<Span> spans) {
        return spans.stream().map(Span::getName).toList();
    }

    @Test
    void read_sampledByTheCaller_continuesItsTraceWithASpanPerStage() throws Exception {
        Span read;
        try (ServerFixture fixture = fixture(0, null)) {
            assertThat(post(fixture, "/v1/views/demand:read", BODY)).isEqualTo(200);
            assertThat(post(fixture, "/v1/views/demand:read", BODY, "traceparent", SAMPLED))
                    .isEqualTo(200);
            read = receiver.requests(fixture.server, 1).get(0);
        }

        assertThat(hex(read.getTraceId())).isEqualTo(TRACE);
        assertThat(hex(read.getParentSpanId())).isEqualTo(CALLER);
        assertThat(read.getName()).isEqualTo("POST /v1/views/NAME:read");
        assertThat(read.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
        assertThat(attributes(read.getAttributesList()))
                .containsExactly(
                        entry("http.request.method", "POST"),
                        entry("http.response.status_code", 200L),
                        entry("http.route", "/v1/views/NAME:read"),
                        entry("thalweg.keys", 2L),
                        entry("thalweg.read_from", "STORE"),
                        entry("thalweg.view", "demand"),
                        entry("url.path", "/v1/views/demand:read"),
                        entry("url.scheme", "http"));
        List<Span> stages = receiver.below(read);
        assertThat(names(stages)).containsExactly("admission", "queue", "store.read");
        for (Span stage : stages) {
            assertThat(stage.getStartTimeUnixNano()).isBetween(read.getStartTimeUnixNano(), read.getEndTimeUnixNano());
            assertThat(stage.getEndTimeUnixNano()).isBetween(stage.getStartTimeUnixNano(), read.getEndTimeUnixNano());
        }
        assertThat(attributes(stages.get(2).getAttributesList()))
                .containsExactly(entry("thalweg.keys", 2L), entry("thalweg.view", "demand"));
        assertThat(attributes(receiver.received.get(0).getResource().getAttributesList()))
                .contains(entry("service.name", "reads"), entry("telemetry.sdk.language", "java"));
        assertThat(receiver.headers.get(0)).containsEntry("Authorization", List.of("Bearer abc"));
    }

    @Test
    void read_notSampled_leavesNoSpan() throws Exception {
        try (ServerFixture fixture = fixture(1, null)) {
            post(fixture, "/v1/views/demand:read", BODY, "traceparent", UNSAMPLED);
            fixture.get("/livez");
            fixture.get("/readyz");
            fixture.get("/metrics");
            fixture.get("/nothing");
            post(fixture, "/v1/views/demand:read", BODY);

            Span undecided = receiver.requests(fixture.server, 1).get(0);
            assertThat(undecided.getName()).isEqualTo("POST /v1/views/NAME:read");
            assertThat(hex(undecided.getTraceId())).isNotEqualTo(TRACE);
        }
    }

    @Test
    void read_grpc_hasTheAttributesOfRpc() throws Exception {
        List<Span> reads;
        try (ServerFixture fixture = fixture(1, null)) {
            ServingServiceBlockingStub serving = GrpcClients.newClient(
                    "gproto+http://127.0.0.1:" + fixture.server.port(), ServingServiceBlockingStub.class);
            serving.readFeatures(request("demand"));
            assertThatThrownBy(() -> serving.readFeatures(request("nothing")))
                    .isInstanceOf(StatusRuntimeException.class);
            reads = receiver.requests(fixture.server, 2);
        }

        assertThat(names(reads))
                .containsExactly("thalweg.v1.ServingService/ReadFeatures", "thalweg.v1.ServingService/ReadFeatures");
        assertThat(attributes(reads.get(0).getAttributesList()))
                .contains(
                        entry("rpc.system.name", "grpc"),
                        entry("rpc.method", "thalweg.v1.ServingService/ReadFeatures"),
                        entry("rpc.status_code", "OK"),
                        entry("thalweg.view", "demand"),
                        entry("thalweg.keys", 1L))
                .doesNotContainKey("http.route");
        assertThat(names(receiver.below(reads.get(0)))).containsExactly("admission", "queue", "store.read");
        assertThat(attributes(reads.get(1).getAttributesList())).contains(entry("rpc.status_code", "NOT_FOUND"));
        assertThat(reads.get(1).getStatus().getCode())
                .as("the mistake of a caller is no error of the server")
                .isEqualTo(StatusCode.STATUS_CODE_UNSET);
    }

    private static ReadFeaturesRequest request(String view) {
        return ReadFeaturesRequest.newBuilder()
                .setView(view)
                .addEntities(EntityKey.newBuilder()
                        .putValues("cell", text(Long.toHexString(CELL)))
                        .putValues("product", text(PRODUCT)))
                .build();
    }

    private static EntityValue text(String value) {
        return EntityValue.newBuilder().setStringValue(value).build();
    }

    @Test
    void read_otherForms_haveSpansOfTheirOwn() throws Exception {
        String feast = """
                {"features":["demand:k0_1m","supply:k1_1m"],"entities":{"cell":[%d],"product":["%s"]}}""".formatted(CELL, PRODUCT);
        String scan = "{\"region\":{\"disk\":{\"cell\":\"" + Long.toHexString(CELL) + "\",\"ring\":1}}}";
        List<Span> reads;
        try (ServerFixture fixture = fixture(1, null)) {
            assertThat(post(fixture, "/get-online-features", feast)).isEqualTo(200);
            assertThat(post(fixture, "/v1/views/supply:history", "{\"entities\":[" + KEY + "],\"last\":2}"))
                    .isEqualTo(200);
            assertThat(post(
                            fixture,
                            "/v1/views/supply:read",
                            "{\"entities\":[" + KEY + "],\"as_of\":\"" + Instant.ofEpochMilli(T) + "\"}"))
                    .isEqualTo(200);
            assertThat(post(fixture, "/v1/views/demand:scan", scan)).isEqualTo(200);
            reads = receiver.requests(fixture.server, 4);
        }

        assertThat(names(reads))
                .containsExactly(
                        "POST /get-online-features",
                        "POST /v1/views/NAME:history",
                        "POST /v1/views/NAME:read",
                        "POST /v1/views/NAME:scan");
        assertThat(attributes(reads.get(0).getAttributesList()))
                .contains(entry("thalweg.view", "demand,supply"), entry("thalweg.keys", 2L));
        assertThat(reads.stream()
                        .map(read -> String.join(
                                " ",
                                names(receiver.below(read))
                                        .subList(2, receiver.below(read).size()))))
                .containsExactly("store.read store.read", "store.read_history", "store.read_as_of", "store.scan");
        assertThat(attributes(reads.get(3).getAttributesList())).contains(entry("thalweg.keys", 7L));
    }

    @Test
    void read_refusedOrFailed_hasAnErrorWhereTheServerIsToBlame() throws Exception {
        HeldStore store = new HeldStore();
        store.failure = new StoreException("the disk is gone");
        store.release.countDown();
        LiveClient away = new LiveClient(
                () -> {
                    throw new IOException("no cluster");
                },
                Duration.ofSeconds(1));
        List<Span> reads;
        try (FeatureServer server = FeatureServer.start(
                traced(receiver.endpoint(), 1),
                List.of(DEMAND),
                store,
                away,
                new FakeClock(Instant.ofEpochMilli(T)),
                new Metrics())) {
            assertThat(post(server.port(), "/v1/views/demand:read", "{")).isEqualTo(400);
            assertThat(post(server.port(), "/v1/views/demand:read", BODY)).isEqualTo(503);
            String live = "{\"read_from\":\"LIVE\"," + BODY.substring(1);
            assertThat(post(server.port(), "/v1/views/demand:read", live)).isEqualTo(503);
            reads = receiver.requests(server, 3);
        }

        Span mistaken = reads.get(0);
        assertThat(attributes(mistaken.getAttributesList()))
                .contains(entry("http.response.status_code", 400L), entry("thalweg.view", "demand"));
        assertThat(mistaken.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);

        Span failed = reads.get(1);
        assertThat(attributes(failed.getAttributesList())).contains(entry("error.type", "503"));
        assertThat(failed.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(failed.getStatus().getMessage()).contains("the online store is not available");
        Span call = receiver.below(failed).get(2);
        assertThat(call.getStatus().getMessage()).isEqualTo("the disk is gone");
        assertThat(call.getEvents(0).getName()).isEqualTo("exception");

        Span live = reads.get(2);
        assertThat(attributes(live.getAttributesList())).contains(entry("thalweg.read_from", "LIVE"));
        assertThat(receiver.below(live).get(2).getName()).isEqualTo("live.read");
        assertThat(live.getStatus().getMessage()).contains("no cluster");
    }

    @Test
    void read_noRoomForIt_isAnError() throws Exception {
        HeldStore store = new HeldStore();
        ServerConfig narrow = traced(receiver.endpoint(), 1)
                .withReads(1, 1)
                .withRequestTimeout(Duration.ofMillis(500))
                .withQalm(new ServerConfig.Qalm(Mode.OFF, null, Path.of("none")));
        List<Span> reads;
        try (FeatureServer server = FeatureServer.start(
                narrow, List.of(DEMAND), store, null, new FakeClock(Instant.ofEpochMilli(T)), new Metrics())) {
            var late = http.sendAsync(read(server.port()), HttpResponse.BodyHandlers.ofString());
            store.entered.await();
            var waiting = http.sendAsync(read(server.port()), HttpResponse.BodyHandlers.ofString());
            assertThat(late.get().statusCode()).isEqualTo(504);
            assertThat(waiting.get().statusCode()).isEqualTo(504);
            var full = http.sendAsync(read(server.port()), HttpResponse.BodyHandlers.ofString());
            assertThat(full.get().statusCode()).isEqualTo(503);
            store.release.countDown();
            reads = receiver.requests(server, 3);
            receiver.named("queue", 2, server);
        }
        Span waited = reads.get(1);
        assertThat(receiver.below(waited))
                .filteredOn(span -> span.getName().equals("queue"))
                .singleElement()
                .extracting(span -> Duration.ofNanos(span.getEndTimeUnixNano() - waited.getStartTimeUnixNano()))
                .asInstanceOf(InstanceOfAssertFactories.DURATION)
                .as("waited until its caller was gone, after 500 ms")
                .isGreaterThan(Duration.ofMillis(450));

        assertThat(reads)
                .extracting(span -> attributes(span.getAttributesList()).get("error.type"))
                .containsExactlyInAnyOrder("504", "504", "503");
        assertThat(reads).allMatch(span -> span.getStatus().getCode() == StatusCode.STATUS_CODE_ERROR);
    }

    private static HttpRequest read(int port) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/views/demand:read"))
                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                .build();
    }

    @Test
    void start_authoritiesThatAreNone_namesTheKey() throws IOException {
        Path ca = Files.writeString(folder.resolve("ca.pem"), "no certificate");
        ServerConfig config = ServerConfig.loopback(0)
                .withTracing(new TracingConfig(URI.create("https://127.0.0.1:4318"), 1, "reads", Map.of(), ca));

        assertThatThrownBy(() -> FeatureServer.start(
                        config, List.of(DEMAND), new HeldStore(), null, new FakeClock(Instant.EPOCH), new Metrics()))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("server.tracing.ca must be a PEM file of certificates, was " + ca);
    }

    @Test
    void start_off_hasNoThreadOfTheSdk() {
        long before = exporters();
        try (ServerFixture fixture = new ServerFixture(folder)) {
            assertThat(fixture.server.port()).isPositive();
            assertThat(exporters()).isLessThanOrEqualTo(before);
        }
    }

    private static long exporters() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("BatchSpanProcessor"))
                .count();
    }

    @Test
    void stop_collectorAway_readsAreAnsweredAndTheStopIsShort() throws Exception {
        readAndStop(
                URI.create("http://127.0.0.1:" + FreePorts.next()),
                "thalweg_trace_spans_total 12.0",
                "thalweg_trace_spans_exported_total 0.0");
    }

    @Test
    void stop_collectorHangs_readsAreAnsweredAndTheStopIsShort() throws Exception {
        receiver.held = new CountDownLatch(1);

        readAndStop(receiver.endpoint(), "thalweg_trace_spans_exported_total 0.0");
    }

    @Test
    void stop_collectorThere_sendsTheLastSpans() throws Exception {
        readAndStop(receiver.endpoint(), "thalweg_trace_spans_exported_total 12.0");

        assertThat(receiver.spans()).hasSizeGreaterThanOrEqualTo(12);
    }

    private static String exposed(Metrics metrics) {
        return new String(metrics.expose(), StandardCharsets.UTF_8);
    }

    /**
     * Three reads of four spans each, and then a short stop that leaves {@code expected} among the metrics. On a busy machine, one
     * or another stop may take as long as an export, or give up an export that takes longer than a stop waits.
     */
    private void readAndStop(URI endpoint, String... expected) throws Exception {
        List<String> exposed = new ArrayList<>();
        Await.until(() -> "a short stop with " + List.of(expected) + " in one of " + exposed, () -> {
            Metrics metrics = readAndStop(endpoint, folder.resolve("store-" + exposed.size()));
            exposed.add(metrics == null ? "a stop that waited for the export" : exposed(metrics));
            return Stream.of(expected).allMatch(exposed.get(exposed.size() - 1)::contains);
        });
    }

    /** Returns null if the stop takes as long as an export. */
    private @Nullable Metrics readAndStop(URI endpoint, Path store) throws Exception {
        ServerFixture fixture = new ServerFixture(store, List.of(DEMAND), null, traced(endpoint, 1)).filled();
        for (int i = 0; i < 3; i++) {
            assertThat(post(fixture, "/v1/views/demand:read", BODY)).isEqualTo(200);
        }
        long begin = System.nanoTime();
        fixture.server.stop();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        fixture.close();
        return took.compareTo(Duration.ofSeconds(8)) < 0 ? fixture.metrics : null;
    }
}
