package io.thalweg.server;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Exposition;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "{\"cell\":\"892a1008003ffff\",\"product\":\"" + PRODUCT + "\"}";

    @TempDir
    Path folder;

    private ServerFixture fixture;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private HttpResponse<String> read(String view, String body) throws Exception {
        return fixture.post("/v1/views/" + view + ":read", body);
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
        return JSON.readTree(response.body());
    }

    private JsonNode row(String view, String body) throws Exception {
        HttpResponse<String> response = read(view, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return json(response).get("rows").get(0);
    }

    private void assertError(HttpResponse<String> response, int code, String status, String... parts) throws Exception {
        JsonNode error = json(response).get("error");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(code);
        assertThat(error.get("code").asInt()).isEqualTo(code);
        assertThat(error.get("status").asText()).isEqualTo(status);
        assertThat(error.get("message").asText()).contains(parts);
        assertThat(error.get("details").isArray()).isTrue();
        assertThat(response.body()).doesNotContain("Exception", "\tat ");
    }

    @Test
    void read_presentRow_answersExactlyTheContract() throws Exception {
        fixture.filled();
        HttpResponse<String> response =
                read("demand", "{\"entities\":[" + KEY + "],\"features\":[\"k1_2m\",\"k0_1m\"]}");
        assertThat(response.body())
                .isEqualTo(
                        "{\"view\":\"demand\",\"watermark\":\"2026-01-01T18:01:00Z\",\"features\":[\"k1_2m\",\"k0_1m\"],"
                                + "\"rows\":[{\"entities\":{\"cell\":\"892a1008003ffff\",\"product\":\"" + PRODUCT
                                + "\"},"
                                + "\"status\":\"PRESENT\",\"finality\":\"FINAL\",\"window_end\":\"2026-01-01T18:01:00Z\","
                                + "\"age_ms\":1000,\"values\":[" + 10 / 14.0 + ",7.0]}]}\n");
    }

    @Test
    void read_asColumns_hasTheRowsInTheOrderOfTheKeys() throws Exception {
        fixture.filled();
        String body = "{\"entities\":[" + KEY.replace("892a1008003", "892a1008007") + "," + KEY
                + "],\"features\":[\"k1_2m\",\"k0_1m\"]}";
        HttpResponse<byte[]> response = fixture.http.send(
                HttpRequest.newBuilder(fixture.uri("/v1/views/demand:read"))
                        .header("accept", "application/vnd.thalweg.columns")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());

        assertThat(response.headers().firstValue("content-type")).hasValue("application/vnd.thalweg.columns");
        DecodedColumns decoded = DecodedColumns.of(response.body());
        assertThat(decoded.head().get("watermark").asText()).isEqualTo("2026-01-01T18:01:00Z");
        assertThat(decoded.columns())
                .containsEntry("status", List.of(2, 1))
                .containsEntry("age_ms", List.of(1_000L, 1_000L))
                .containsEntry("k1_2m", List.of(0.0, 10 / 14.0))
                .containsEntry("k0_1m", List.of(0.0, 7.0));
    }

    @Test
    void read_asAnotherType_namesThoseThatExist() throws Exception {
        HttpResponse<String> response = fixture.http.send(
                HttpRequest.newBuilder(fixture.uri("/v1/views/demand:read"))
                        .header("accept", "text/csv")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"entities\":[" + KEY + "]}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertError(
                response,
                400,
                "INVALID_ARGUMENT",
                "accept: must be application/json or application/vnd.thalweg.columns, was text/csv");
    }

    @Test
    void read_noFeaturesNamed_answersAllInOrder() throws Exception {
        fixture.filled();
        JsonNode answer = json(read("demand", "{\"entities\":[" + KEY + "]}"));
        assertThat(answer.get("features").toString()).isEqualTo("[\"k0_1m\",\"k0_2m\",\"k1_1m\",\"k1_2m\"]");
        assertThat(answer.get("rows").get(0).get("values").get(1).asDouble()).isEqualTo(4.0);
    }

    @Test
    void read_upperCaseKeys_areAnsweredCanonical() throws Exception {
        fixture.filled();
        JsonNode row = row(
                "demand",
                "{\"entities\":[{\"product\":\"" + PRODUCT.toUpperCase(Locale.ROOT)
                        + "\",\"cell\":\"892A1008003FFFF\"}]}");
        assertThat(row.get("status").asText()).isEqualTo("PRESENT");
        assertThat(row.get("entities").toString()).isEqualTo(KEY);
    }

    @Test
    void read_unknownKey_isZeroAtTheWatermark() throws Exception {
        fixture.filled();
        JsonNode row = row("demand", "{\"entities\":[" + KEY.replace("892a1008003", "892a1008007") + "]}");
        assertThat(row.get("status").asText()).isEqualTo("ZERO");
        assertThat(row.get("finality").asText()).isEqualTo("FINAL");
        assertThat(row.get("window_end").asText()).isEqualTo("2026-01-01T18:01:00Z");
        assertThat(row.get("values").toString()).isEqualTo("[0.0,0.0,0.0,0.0]");
    }

    @Test
    void read_rowBeforeTheWatermarkOrAllZero_isZero() throws Exception {
        fixture.filled();
        fixture.progress(T + MINUTE);
        assertThat(row("demand", "{\"entities\":[" + KEY + "]}").get("status").asText())
                .isEqualTo("ZERO");
        fixture.writeZeros(DEMAND, T + 2 * MINUTE, CELL);
        assertThat(row("demand", "{\"entities\":[" + KEY + "]}").get("status").asText())
                .isEqualTo("ZERO");
    }

    @Test
    void read_pipelineBehindTtl_isOutsideMaxAgeWithNulls() throws Exception {
        fixture.filled();
        fixture.clock.set(Instant.ofEpochMilli(T + 10 * MINUTE));
        assertThat(row("demand", "{\"entities\":[" + KEY + "]}").get("status").asText())
                .isEqualTo("PRESENT");
        fixture.clock.advance(Duration.ofMillis(1));
        JsonNode row = row("demand", "{\"entities\":[" + KEY + "]}");
        assertThat(row.get("status").asText()).isEqualTo("OUTSIDE_MAX_AGE");
        assertThat(row.get("finality").isNull()).isTrue();
        assertThat(row.get("values").toString()).isEqualTo("[null,null,null,null]");
        assertThat(row.get("age_ms").asLong()).isEqualTo(600_001);
    }

    @Test
    void read_beforeAnyProgress_isOutsideMaxAge() throws Exception {
        fixture.write(DEMAND, T, CELL, 7);
        HttpResponse<String> response = read("demand", "{\"entities\":[" + KEY + "]}");
        assertThat(json(response).get("watermark").isNull()).isTrue();
        JsonNode row = json(response).get("rows").get(0);
        assertThat(row.get("status").asText()).isEqualTo("OUTSIDE_MAX_AGE");
        assertThat(row.get("window_end").isNull()).isTrue();
        assertThat(row.get("age_ms").isNull()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T18:01:00Z, PRESENT, 2.0, 2026-01-01T18:01:00Z",
        "2026-01-01T18:00:59.999Z, PRESENT, 1.0, 2026-01-01T18:00:00Z",
        "2026-01-01T19:00:00+01:00, PRESENT, 1.0, 2026-01-01T18:00:00Z",
        "2026-01-01T17:59:59Z, ZERO, 0.0, 2026-01-01T17:59:00Z",
        "2026-01-01T16:50:00Z, OUTSIDE_MAX_AGE, null, 2026-01-01T16:50:00Z",
    })
    void read_asOf_answersTheBoundaryAtOrBefore(String asOf, String status, String value, String end) throws Exception {
        fixture.filled();
        JsonNode row =
                row("supply", "{\"entities\":[" + KEY + "],\"features\":[\"k0_1m\"],\"as_of\":\"" + asOf + "\"}");
        assertThat(row.get("status").asText()).isEqualTo(status);
        assertThat(row.get("window_end").asText()).isEqualTo(end);
        assertThat(row.get("values").toString()).isEqualTo("[" + value + "]");
    }

    @Test
    void read_asOfRefused_saysWhy() throws Exception {
        fixture.filled();
        String body = "{\"entities\":[" + KEY + "],\"as_of\":\"%s\"}";
        assertError(read("demand", body.formatted("2026-01-01T18:00:00Z")), 400, "INVALID_ARGUMENT", "online.history");
        assertError(
                read("supply", body.formatted("2026-01-01T18:01:01Z")),
                400,
                "INVALID_ARGUMENT",
                "as_of",
                "2026-01-01T18:01:00Z");
        assertError(read("supply", body.formatted("yesterday")), 400, "INVALID_ARGUMENT", "as_of", "yesterday");
    }

    @Test
    void read_severalBadKeys_namesEveryOne() throws Exception {
        fixture.filled();
        String body = "{\"entities\":[" + KEY
                + ",{\"cell\":\"882a100801fffff\",\"product\":\"" + PRODUCT + "\"}"
                + ",{\"cell\":617700169518678015,\"product\":\"x\"}"
                + ",{\"cel\":\"892a1008003ffff\"}]}";
        HttpResponse<String> response = read("demand", body);
        assertError(
                response,
                400,
                "INVALID_ARGUMENT",
                "entities[1].cell: resolution 8, view has 9",
                "entities[2].cell: must be hex text",
                "2^53",
                "entities[2].product: must be a UUID",
                "entities[3].cel: is not an entity",
                "did you mean 'cell'?",
                "entities[3].product: is missing");
        JsonNode details = json(response).get("error").get("details");
        assertThat(details).hasSize(6);
        assertThat(details.get(0).get("path").asText()).isEqualTo("entities[1].cell");
    }

    @Test
    void read_unknownNames_areAnsweredWithTheNearest() throws Exception {
        String body = "{\"entities\":[" + KEY + "],\"features\":[\"k0_3m\"]}";
        assertError(read("demnd", body), 404, "NOT_FOUND", "demnd", "did you mean 'demand'?");
        assertError(read("demand", body), 400, "INVALID_ARGUMENT", "features[0]", "k0_3m", "did you mean 'k0_1m'?");
        assertError(
                fixture.post("/v1/services/eta:read", body), 404, "NOT_FOUND", "eta", "no feature service is defined");
        assertError(fixture.get("/v1/views/suply"), 404, "NOT_FOUND", "did you mean 'supply'?");
    }

    @Test
    void read_tooManyKeys_isRefused() throws Exception {
        fixture.filled();
        String keys = IntStream.range(0, 1_001).mapToObj(i -> KEY).collect(Collectors.joining(","));
        assertError(read("demand", "{\"entities\":[" + keys + "]}"), 400, "INVALID_ARGUMENT", "at most 1000", "1001");
        String most = keys.substring(KEY.length() + 1);
        assertThat(json(read("demand", "{\"entities\":[" + most + "]}")).get("rows"))
                .hasSize(1_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json | not JSON",
                "[] | JSON object",
                "'' | JSON object",
                "{} | entities: must be a list",
                "{\"entities\":[],\"entities\":[]} | not JSON",
                "{\"entities\":[]} x | not JSON",
                "{\"entities\":[3]} | entities[0]",
                "{\"entities\":[],\"feature\":[]} | did you mean 'features'?",
                "{\"entities\":[],\"features\":[1]} | features[0]",
                "{\"entities\":[],\"read_from\":\"LIVE\"} | LIVE needs a running job",
                "{\"entities\":[],\"read_from\":\"BOTH\"} | BOTH needs a running job",
                "{\"entities\":[],\"read_from\":\"CACHE\"} | STORE, LIVE or BOTH",
                "{\"entities\":[{},{\"product\":\"\\ud83d\"}]} | entities[1].product: must be valid Unicode text",
                "{\"entities\":[],\"features\":[\"\\ude00\"]} | features[0]: must be valid Unicode text",
            })
    void read_badBody_isRefused(String body, String part) throws Exception {
        assertError(read("demand", body), 400, "INVALID_ARGUMENT", part);
    }

    @Test
    void anyRequest_notServed_isAnsweredInTheOneForm() throws Exception {
        assertError(fixture.get("/v2/views"), 404, "NOT_FOUND", "GET /");
        assertError(fixture.get("/v1/views/demand:read"), 405, "UNIMPLEMENTED", "GET");
        assertError(read("demand", "x".repeat(5 << 20)), 413, "INVALID_ARGUMENT", "too long");
    }

    @Test
    void views_listed_nameEntitiesFeaturesAndWatermark() throws Exception {
        fixture.filled();
        JsonNode views = json(fixture.get("/v1/views")).get("views");
        assertThat(views).hasSize(2);
        assertThat(json(fixture.get("/v1/views/supply")).toString())
                .isEqualTo(views.get(1).toString())
                .isEqualTo("{\"name\":\"supply\",\"description\":\"Distinct riders\",\"entities\":[{\"name\":\"cell\","
                        + "\"type\":\"h3\",\"resolution\":9},{\"name\":\"product\",\"type\":\"uuid\"}],\"features\":["
                        + "{\"name\":\"k0_1m\",\"type\":\"double\"},{\"name\":\"k0_2m\",\"type\":\"double\"},"
                        + "{\"name\":\"k1_1m\",\"type\":\"double\"},{\"name\":\"k1_2m\",\"type\":\"double\"}],"
                        + "\"ttl\":\"10m\",\"history\":\"1h\",\"watermark\":\"2026-01-01T18:01:00Z\"}");
    }

    @Test
    void health_storeOpen_showsTheWatermarksAge() throws Exception {
        fixture.filled();
        JsonNode health = json(fixture.get("/healthz"));
        assertThat(health.get("status").asText()).isEqualTo("OK");
        assertThat(health.get("views").get("demand").get("watermark_age_ms").asLong())
                .isEqualTo(1_000);
    }

    @Test
    void readyz_watermarkTooOld_namesTheViewAndTheBound() throws Exception {
        fixture.filled();
        assertThat(fixture.get("/readyz").statusCode()).isEqualTo(200);
        fixture.clock.advance(Duration.ofDays(325));

        HttpResponse<String> answer = fixture.get("/readyz");

        assertThat(answer.statusCode()).isEqualTo(503);
        JsonNode view = json(answer).get("views").get("demand");
        assertThat(json(answer).get("status").asText()).isEqualTo("NOT_READY");
        assertThat(view.get("ready").asBoolean()).isFalse();
        assertThat(view.get("reason").asText())
                .isEqualTo("the watermark is 28080001 s behind, at most 600 s are allowed (online.ttl of the view)");
        assertThat(fixture.get("/healthz").statusCode()).isEqualTo(503);
        assertThat(fixture.get("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void readyz_watermarkOfTheFuture_namesTheViewAndTheBound() throws Exception {
        fixture.filled();
        fixture.clock.advance(Duration.ofDays(-1));

        HttpResponse<String> answer = fixture.get("/readyz");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(json(answer).get("views").get("demand").get("reason").asText())
                .isEqualTo("the watermark is 86399 s ahead of this machine's clock, at most 60 s are allowed"
                        + " (source.max_future of the view): its rows hide newer ones until then");
    }

    @Test
    void readyz_nothingWrittenYetOrStoreClosed_saysWhichViewAndWhy() throws Exception {
        JsonNode empty = json(fixture.get("/readyz"));
        assertThat(empty.get("views").get("demand").get("reason").asText())
                .isEqualTo("no window end has been written yet");
        assertThat(fixture.get("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void read_storeClosed_isUnavailable() throws Exception {
        fixture.filled();
        fixture.store.close();
        assertError(read("demand", "{\"entities\":[" + KEY + "]}"), 503, "UNAVAILABLE", "online store");
    }

    @Test
    void metrics_afterAReadAndAnotherSidesNumber_showBoth() throws Exception {
        fixture.filled();
        fixture.metrics.counter(
                "thalweg_events_total",
                "Events read.",
                Metrics.labels("view", "demand", "outcome", "accepted"),
                () -> 17);
        row("demand", "{\"entities\":[" + KEY + "]}");
        HttpResponse<String> response = fixture.get("/metrics");
        assertThat(response.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
        assertThat(response.body().lines()).contains("# TYPE thalweg_read_seconds histogram");
        Exposition exposed = Exposition.of(response.body());
        assertThat(exposed.value("thalweg_read_seconds_count{view=\"demand\",read_from=\"STORE\"}"))
                .isEqualTo(1);
        assertThat(exposed.value("thalweg_events_total{view=\"demand\",outcome=\"accepted\"}"))
                .isEqualTo(17);
        assertThat(exposed.value("thalweg_watermark_lag_seconds{view=\"demand\"}"))
                .isEqualTo(1);
        assertThat(exposed.value("process_start_time_seconds")).isPositive();
    }

    @Test
    void metrics_storeAway_showsWhatDoesNotComeFromTheStore() throws Exception {
        fixture.metrics.gauge("thalweg_stored_rows", "Rows.", Metrics.labels(), () -> {
            throw new StoreException("the store does not answer");
        });
        HttpResponse<String> response = fixture.get("/metrics");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("thalweg_read_seconds_count{").doesNotContain("thalweg_stored_rows");
    }

    @Test
    void root_names_theEndpoints() throws Exception {
        assertThat(fixture.get("/").body()).contains("/v1/views", "/healthz", "/metrics", "gRPC");
    }
}
