package io.thalweg.server.read;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.client.grpc.GrpcClients;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.api.v1.Status;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.HeldStore;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads of two keys: the store has nothing for the first and a value that it cannot decode for the second. */
@SuppressWarnings("NullAway.Init")
class UnreadableReadTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OTHER_CELL = "892a1008007ffff";

    private final HeldStore store = new HeldStore();
    private final HttpClient http = HttpOne.client();
    private FeatureServer server;

    @BeforeEach
    void start() {
        store.release.countDown();
        store.unreadable = Map.of(1, "a packed row begins with 0xB8, was 0x01 (byte 0)");
        server = FeatureServer.start(
                ServerConfig.loopback(0),
                List.of(DEMAND),
                store,
                null,
                new FakeClock(Instant.ofEpochMilli(T + 1_000)),
                new Metrics());
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void read_overHttp_answersTheKeyAsUnreadableAndCountsIt() throws Exception {
        JsonNode rows = JSON.readTree(send("/v1/views/demand:read", """
                {"entities":[{"cell":"%x","product":"%s"},{"cell":"%s","product":"%s"}],"features":["k0_1m"]}
                """.formatted(CELL, PRODUCT, OTHER_CELL, PRODUCT)))
                .path("rows");

        assertThat(rows.get(0).path("status").textValue()).isEqualTo("ZERO");
        assertThat(rows.get(0).path("values").toString()).isEqualTo("[0.0]");
        assertThat(rows.get(1).path("status").textValue()).isEqualTo("UNREADABLE");
        assertThat(rows.get(1).path("values").toString()).isEqualTo("[null]");
        assertThat(rows.get(1).path("finality").isNull()).isTrue();
        assertThat(rows.get(1).path("window_end").isNull()).isTrue();
        assertThat(unreadable()).isEqualTo(1);
    }

    @Test
    void read_overGrpc_answersTheKeyAsUnreadable() {
        ServingServiceBlockingStub serving =
                GrpcClients.newClient("gproto+http://127.0.0.1:" + server.port(), ServingServiceBlockingStub.class);
        ReadFeaturesRequest.Builder request =
                ReadFeaturesRequest.newBuilder().setView("demand").addFeatures("k0_1m");
        for (String cell : List.of(Long.toHexString(CELL), OTHER_CELL)) {
            request.addEntities(EntityKey.newBuilder()
                    .putValues(
                            "cell",
                            EntityValue.newBuilder().setStringValue(cell).build())
                    .putValues(
                            "product",
                            EntityValue.newBuilder().setStringValue(PRODUCT).build()));
        }
        assertThat(serving.readFeatures(request.build()).getRowsList())
                .extracting(row -> row.getStatus())
                .containsExactly(Status.ZERO, Status.UNREADABLE);
    }

    /** Feast has no other status for it than INVALID. */
    @Test
    void read_asFeast_answersTheValueAsInvalid() throws Exception {
        JsonNode answer =
                JSON.readTree(send("/get-online-features", """
                {"features":["demand:k0_1m"],"entities":{"cell":["%x","%s"],"product":["%s","%s"]}}
                """.formatted(CELL, OTHER_CELL, PRODUCT, PRODUCT)));
        JsonNode feature = answer.path("results").get(2);
        assertThat(feature.path("statuses").toString()).isEqualTo("[\"PRESENT\",\"INVALID\"]");
        assertThat(feature.path("values").toString()).isEqualTo("[0.0,null]");
    }

    private double unreadable() throws IOException, InterruptedException {
        HttpRequest metrics = HttpRequest.newBuilder(uri("/metrics")).build();
        return Exposition.of(
                        http.send(metrics, HttpResponse.BodyHandlers.ofString()).body())
                .sum("thalweg_unreadable_rows_total", "view", "demand");
    }

    private String send(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }
}
