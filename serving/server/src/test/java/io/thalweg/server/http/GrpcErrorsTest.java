package io.thalweg.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.grpc.GrpcClients;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.RequestHeaders;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.HeldStore;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Await;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FakeClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC calls that fail beside their method, and the services beside ours, as clients in any language see them. */
class GrpcErrorsTest {
    private static final String SERVICE = "/" + ServingServiceGrpc.SERVICE_NAME;
    private static final String READ = SERVICE + "/ReadFeatures";
    private static final byte[] EMPTY = message();

    @TempDir
    Path folder;

    /** The status and the description of an answer. */
    private record Answer(Status.Code code, String description) {}

    private static byte[] message(int... body) {
        ByteBuffer framed = ByteBuffer.allocate(5 + body.length).put((byte) 0).putInt(body.length);
        for (int value : body) {
            framed.put((byte) value);
        }
        return framed.array();
    }

    private static int[] oneKey() {
        byte[] read = ReadFeaturesRequest.newBuilder()
                .setView("demand")
                .addEntities(EntityKey.newBuilder()
                        .putValues("cell", text("892a1008003ffff"))
                        .putValues("product", text(ServerFixture.PRODUCT)))
                .build()
                .toByteArray();
        int[] values = new int[read.length];
        Arrays.setAll(values, i -> read[i]);
        return values;
    }

    private static EntityValue text(String value) {
        return EntityValue.newBuilder().setStringValue(value).build();
    }

    private static AggregatedHttpResponse post(int port, String path, byte[] body, String name, String value) {
        RequestHeaders headers =
                RequestHeaders.of(HttpMethod.POST, path, "content-type", "application/grpc", name, value);
        return WebClient.builder("h2c://127.0.0.1:" + port)
                .responseTimeoutMillis(0)
                .build()
                .execute(HttpRequest.of(headers, HttpData.wrap(body)))
                .aggregate()
                .join();
    }

    private static Answer call(int port, String path, byte[] body, String name, String value) {
        AggregatedHttpResponse answer = post(port, path, body, name, value);
        HttpHeaders status = answer.trailers().contains("grpc-status") ? answer.trailers() : answer.headers();
        return new Answer(
                Status.fromCodeValue(status.getInt("grpc-status", -1)).getCode(), status.get("grpc-message", ""));
    }

    private static Answer call(ServerFixture fixture, String path, byte[] body) {
        return call(fixture.server.port(), path, body, "te", "trailers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/no.Such/Method", SERVICE + "/Nope", SERVICE, "/grpc.health.v1.Health/Watch"})
    void call_unknownMethod_isUnimplemented(String path) {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            assertThat(call(fixture, path, EMPTY).code()).isEqualTo(Status.Code.UNIMPLEMENTED);
        }
    }

    @Test
    void call_malformedMessage_isInvalid() {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            assertThat(call(fixture, READ, message(10, 4, 255, 254, 255, 254)))
                    .isEqualTo(new Answer(Status.Code.INVALID_ARGUMENT, "text in the message is not UTF-8"));
            assertThat(call(fixture, READ, message(10, 100)))
                    .isEqualTo(new Answer(
                            Status.Code.INVALID_ARGUMENT,
                            "the message cannot be decoded; it must be of the type that the method takes"));
            assertThat(call(fixture, READ, new byte[] {0, 0, 0}))
                    .isEqualTo(new Answer(Status.Code.INVALID_ARGUMENT, "the message is incomplete"));
            assertThat(call(fixture.server.port(), READ, EMPTY, "grpc-timeout", "soon"))
                    .isEqualTo(new Answer(
                            Status.Code.INVALID_ARGUMENT,
                            "grpc-timeout: must be up to 8 digits and one of H, M, S, m, u and n"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ReadFeatures", "/ListViews", "/ScanFeatures"})
    void call_messageAboveTheLimit_isExhaustedAndNamesIt(String method) {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            assertThat(call(fixture, SERVICE + method, message(new int[2 << 20])))
                    .isEqualTo(new Answer(
                            Status.Code.RESOURCE_EXHAUSTED,
                            "the message is above the limit of 1048576 bytes; send fewer keys"));
        }
    }

    /** Some clients report a reset instead of the status that precedes it. */
    @Test
    void call_messageAboveTheLimit_isNotReset() throws Exception {
        try (ServerFixture fixture = new ServerFixture(folder).filled();
                RawHttp2 connection = new RawHttp2(fixture.server.port())) {
            connection.call(1, 0, READ, "content-length", "2000000");
            RawHttp2.Frame answer = connection.next();
            assertThat(answer.headers().get("grpc-status")).hasToString("8");
            assertThat(answer.flags() & RawHttp2.END_STREAM).isEqualTo(RawHttp2.END_STREAM);

            connection.ping();
            assertThat(connection.next().type()).isEqualTo(RawHttp2.PING);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {9_000, 12_000, 500_000})
    void call_metadataAboveTheLimit_failsAlone(int bytes) throws Exception {
        try (ServerFixture fixture = new ServerFixture(folder).filled();
                RawHttp2 connection = new RawHttp2(fixture.server.port())) {
            connection.call(1, RawHttp2.END_STREAM, READ, "x-long", "x".repeat(bytes));
            RawHttp2.Frame refused = connection.next();
            assertThat(refused.headers().get("grpc-status")).hasToString("8");
            assertThat(refused.headers().get("grpc-message"))
                    .hasToString("the headers are above the limit of 8192 bytes; send less metadata");

            connection.call(3, RawHttp2.END_STREAM, "/no.Such/Method", "x-short", "x");
            RawHttp2.Frame next = connection.next();
            assertThat(next.stream()).isEqualTo(3);
            assertThat(next.headers().get("grpc-status")).hasToString("12");
        }
    }

    /** An internal error would be logged with a stack trace, once for each of these calls. */
    @Test
    void call_deadlinePasses_isCountedAndNotAnInternalError() {
        HeldStore store = new HeldStore();
        Metrics metrics = new Metrics();
        try (FeatureServer server = FeatureServer.start(
                ServerConfig.loopback(0),
                List.of(ServerFixture.DEMAND),
                store,
                null,
                new FakeClock(Instant.ofEpochMilli(ServerFixture.T)),
                metrics)) {
            Answer answer = call(server.port(), READ, message(oneKey()), "grpc-timeout", "500m");
            assertThat(answer.code()).as(answer.description()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            Await.until(
                    "the call is counted",
                    () -> Exposition.of(metrics.expose()).sum("qos_requests_total", "endpoint", READ.substring(1))
                            == 1);
            store.release.countDown();
        }
    }

    @Test
    void health_follows_readiness() {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            HealthGrpc.HealthBlockingStub health = GrpcClients.newClient(
                    "gproto+http://127.0.0.1:" + fixture.server.port(), HealthGrpc.HealthBlockingStub.class);
            HealthCheckRequest ofAll = HealthCheckRequest.getDefaultInstance();
            HealthCheckRequest ofOurs = HealthCheckRequest.newBuilder()
                    .setService(ServingServiceGrpc.SERVICE_NAME)
                    .build();
            assertThat(health.check(ofAll).getStatus()).isEqualTo(ServingStatus.SERVING);
            assertThat(health.check(ofOurs).getStatus()).isEqualTo(ServingStatus.SERVING);
            assertThat(call(fixture, "/grpc.health.v1.Health/Check", message(10, 1, 'x'))
                            .code())
                    .isEqualTo(Status.Code.NOT_FOUND);

            fixture.clock.set(Instant.ofEpochMilli(ServerFixture.T + 600_001));
            assertThat(health.check(ofAll).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1alpha"})
    void reflection_bothVersions_listTheServices(String version) {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            String path = "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo";
            byte[] listServices = message(58, 1, '*');
            assertThat(post(fixture.server.port(), path, listServices, "te", "trailers")
                            .contentUtf8())
                    .contains(ServingServiceGrpc.SERVICE_NAME, HealthGrpc.SERVICE_NAME);
        }
    }
}
