package io.thalweg.server.read;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.SUPPLY;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ReadHistoryRequest;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.server.ServerFixture;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The window ends of one key over HTTP, against a read as of each of them. */
class HistoryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "{\"cell\":\"%x\",\"product\":\"%s\"}".formatted(CELL, PRODUCT);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private ServerFixture fixture;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder);
        Random random = new Random(5);
        for (int ago = 0; ago < 90; ago++) {
            if (random.nextInt(3) > 0) {
                fixture.write(SUPPLY, T - ago * MINUTE, CELL, 1 + random.nextInt(50));
            }
        }
        fixture.progress(T);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private JsonNode history(String rest) throws Exception {
        HttpResponse<String> answer =
                fixture.post("/v1/views/supply:history", "{\"entities\":[" + KEY + "]" + rest + "}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private JsonNode readAsOf(String features, long endMs) throws Exception {
        String body = fixture.post(
                        "/v1/views/supply:read",
                        "{\"entities\":[%s],\"features\":%s,\"as_of\":\"%s\"}"
                                .formatted(KEY, features, Instant.ofEpochMilli(endMs)))
                .body();
        return JSON.readTree(body).path("rows").path(0);
    }

    @Test
    void history_key_hasWhatReadAnswersAsOfEachWindowEnd() throws Exception {
        JsonNode answer = history(",\"features\":[\"k1_2m\",\"k0_1m\"]");
        assertThat(answer.path("watermark").asText()).isEqualTo("2026-01-01T18:01:00Z");
        List<JsonNode> expected = new ArrayList<>();
        // ttl and history are 70 minutes, and it is a second after the newest end.
        for (long endMs = T - 69 * MINUTE; endMs <= T; endMs += MINUTE) {
            expected.add(readAsOf("[\"k1_2m\",\"k0_1m\"]", endMs));
        }
        assertThat(answer.path("rows")).containsExactlyElementsOf(expected);
        assertThat(answer.path("rows").findValuesAsText("status")).contains("PRESENT", "ZERO");
    }

    @Test
    void history_lastAndAsOf_endThere() throws Exception {
        JsonNode rows =
                history(",\"last\":3,\"as_of\":\"2026-01-01T17:45:30Z\"").path("rows");
        assertThat(rows.findValuesAsText("window_end"))
                .containsExactly("2026-01-01T17:43:00Z", "2026-01-01T17:44:00Z", "2026-01-01T17:45:00Z");
        assertThat(rows.path(2).path("values")).hasSize(SUPPLY.featureNames().size());
    }

    @Test
    void readHistory_grpc_hasTheRowsOfHttp() throws Exception {
        JsonNode rows = history(",\"last\":20,\"features\":[\"k1_2m\"]").path("rows");
        ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
                .usePlaintext()
                .build();
        try {
            var stub = ServingServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
            ReadHistoryRequest.Builder request = ReadHistoryRequest.newBuilder()
                    .setView("supply")
                    .setKey(EntityKey.newBuilder()
                            .putValues("cell", text("%x".formatted(CELL)))
                            .putValues("product", text(PRODUCT)))
                    .addFeatures("k1_2m");
            ReadFeaturesResponse answer = stub.readHistory(request.setLast(20).build());
            assertThat(answer.getRowsList())
                    .extracting(row -> row.getStatus().name()
                            + row.getWindowEnd().getSeconds()
                            + row.getValues(0).getDoubleValue())
                    .containsExactlyElementsOf(StreamSupport.stream(rows.spliterator(), false)
                            .map(row -> row.path("status").asText()
                                    + Instant.parse(row.path("window_end").asText())
                                            .getEpochSecond()
                                    + row.path("values").path(0).asDouble())
                            .toList());
            assertThat(stub.readHistory(request.setLast(0).build()).getRowsCount())
                    .isEqualTo(70);
            assertThatThrownBy(() -> stub.readHistory(request.setLast(401).build()))
                    .hasMessageContaining("INVALID_ARGUMENT: last: must be from 1 to 400");
        } finally {
            channel.shutdownNow();
        }
    }

    private static EntityValue text(String value) {
        return EntityValue.newBuilder().setStringValue(value).build();
    }

    @Test
    void history_badRequest_namesWhatIsWrong() throws Exception {
        assertThat(refused("demand", "{\"entities\":[" + KEY + "]}")).contains("set online.history");
        assertThat(refused("supply", "{\"entities\":[" + KEY + "," + KEY + "]}"))
                .contains("entities: must be one key", "was 2");
        assertThat(refused("supply", "{\"entities\":[" + KEY + "],\"last\":401,\"until\":1}"))
                .contains("last: must be a whole number from 1 to 400, was 401", "until: is not a key");
        assertThat(refused("supply", "{\"entities\":[" + KEY + "],\"as_of\":\"2026-01-01T18:02:00Z\"}"))
                .contains("lies beyond the view's watermark");
        assertThat(refused("supply", "{\"entities\":[" + KEY + "],\"features\":[\"k9_1m\"]}"))
                .contains("'k9_1m' is not a feature of view supply");
    }

    private String refused(String view, String body) throws Exception {
        HttpResponse<String> answer = fixture.post("/v1/views/" + view + ":history", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        return answer.body();
    }
}
