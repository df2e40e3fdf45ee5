package io.thalweg.server.console;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.SUPPLY;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowOrder;
import io.thalweg.qalm.Mode;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.region.TilesAnswer;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The routes of the console, over real HTTP. */
class ConsoleApiTest {
    private static final String TILES = TilesAnswer.TYPE.toString();
    /** Coefficients of a coordinate in a fitted tile. */
    private static final int TERMS = 10;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HexTiling TILING = HexTiling.of(9);
    private static final String BOX = "{\"bbox\":[-74.2,40.5,-73.7,41.0]}";

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T + 1_000));
    private final HttpClient http = HttpOne.client();
    private OnlineStore store;
    private FeatureServer server;

    @BeforeEach
    void start() {
        store = RocksDbOnlineStore.open(folder.resolve("store"), clock);
        store.write(DEMAND, List.of(ServerFixture.block(DEMAND, T, CELL, new long[] {7, 8, 9, 10})));
        store.write(SUPPLY, List.of(ServerFixture.block(SUPPLY, T - MINUTE, CELL, new long[] {1, 2, 3, 4})));
        store.write(SUPPLY, List.of(ServerFixture.block(SUPPLY, T, CELL, new long[] {5, 6, 7, 8})));
        store.writeProgress(new Progress("demand", 0, 1, T));
        store.writeProgress(new Progress("supply", 0, 1, T));
        // Shadow: a busy machine must not shed what these tests read.
        server = FeatureServer.start(
                ServerConfig.loopback(0)
                        .withAdminPort(0)
                        .withQalm(new ServerConfig.Qalm(Mode.SHADOW, null, folder.resolve("state"))),
                List.of(DEMAND, SUPPLY),
                store,
                null,
                clock,
                new Metrics());
    }

    @AfterEach
    void stop() {
        // The server waits a second for its connections; a test does not need to.
        var unused = CompletableFuture.runAsync(server::stop);
        store.close();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.adminPort().orElseThrow() + path);
    }

    private HttpResponse<byte[]> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofByteArray());
    }

    private HttpResponse<byte[]> scan(String body) throws Exception {
        return post("/v1/views/demand:scan", body, TILES);
    }

    private HttpResponse<byte[]> post(String path, String body, String accept) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri(path))
                        .header("content-type", "application/json")
                        .header("accept", accept)
                        .header("x-qos-caller", "mallory")
                        .header("x-qos-criticality", "0")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofByteArray());
    }

    private static String request(String region, String product, String features) {
        return "{\"region\":%s,\"where\":{\"product\":\"%s\"},\"features\":%s}".formatted(region, product, features);
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void scan_tiles_haveTheValuesThatReadAnswers() throws Exception {
        HttpResponse<byte[]> answer = scan(request(BOX, PRODUCT, "[\"k1_1m\",\"k0_2m\"]"));
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(200);
        ByteBuffer in = ByteBuffer.wrap(answer.body()).order(ByteOrder.LITTLE_ENDIAN);
        int length = in.getInt();
        JsonNode head = JSON.readTree(answer.body(), 4, length);
        assertThat(head.path("watermark").asText()).isEqualTo("2026-01-01T18:01:00Z");
        assertThat(head.path("status").asText()).isEqualTo("ZERO");
        assertThat(head.path("lattices").asInt()).isEqualTo(1);
        in.position((4 + length + 7) / 8 * 8);
        assertThat(in.getLong()).isEqualTo(TILING.tile(CELL));
        in.position(in.position() + 8 * (3 + 2 * TERMS));

        JsonNode read = JSON.readTree(post(
                        "/v1/views/demand:read",
                        "{\"entities\":[{\"cell\":\"%x\",\"product\":\"%s\"}],\"features\":[\"k1_1m\",\"k0_2m\"]}"
                                .formatted(CELL, PRODUCT),
                        "application/json")
                .body());
        for (JsonNode value : read.path("rows").path(0).path("values")) {
            for (int slot = 0; slot < TILING.slots(); slot++) {
                float found = in.getFloat();
                if (slot == TILING.slot(CELL)) {
                    assertThat(found).isEqualTo((float) value.asDouble());
                } else {
                    assertThat(found).isNaN();
                }
            }
            in.getFloat(); // the padding of an odd number
        }
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void scan_elsewhereOrOfAnotherGroup_hasNoTiles() throws Exception {
        for (String body : List.of(
                request("{\"bbox\":[2.2,48.8,2.4,48.9]}", PRODUCT, "[\"k0_1m\"]"),
                request(BOX, "00000000-0000-4000-8000-000000000000", "[\"k0_1m\"]"))) {
            HttpResponse<byte[]> answer = scan(body);
            assertThat(answer.statusCode()).as(text(answer)).isEqualTo(200);
            assertThat(text(answer)).contains("\"lattices\":0,\"polygons\":0");
        }
    }

    @Test
    void scan_watermarkIsOld_saysSoAndHasNoValues() throws Exception {
        clock.advance(Duration.ofMinutes(20));
        assertThat(text(scan(request(BOX, PRODUCT, "[\"k0_1m\"]"))))
                .contains("\"status\":\"OUTSIDE_MAX_AGE\"", "\"lattices\":0");
    }

    @Test
    void scan_badRequest_namesWhatIsWrong() throws Exception {
        HttpResponse<byte[]> answer = scan(request("{\"bbox\":[-74.2,40.5,-73.7]}", PRODUCT, "[\"k0_1m\"]"));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(text(answer)).contains("region.bbox");
        assertThat(text(scan("{\"region\":%s,\"features\":[\"k0_1m\"]}".formatted(BOX))))
                .contains("where.product");
        assertThat(text(scan("{\"where\":{\"product\":\"%s\"},\"top\":{\"n\":3,\"by\":\"k0_1m\"}}".formatted(PRODUCT))))
                .contains("top: does not go with");
        assertThat(text(scan(
                        request("{\"disk\":{\"cell\":\"%x\",\"ring\":3}}".formatted(CELL), PRODUCT, "[\"k0_1m\"]"))))
                .contains("region: must be a bbox");
        assertThat(text(scan(request(BOX, PRODUCT, "[\"k9_1m\"]"))))
                .contains("'k9_1m' is not a feature of view demand");
    }

    @Test
    void reads_ofTheAdminPort_belongToTheConsoleAndAreTheFirstThatAreShed() throws Exception {
        assertThat(scan(request(BOX, PRODUCT, "[\"k0_1m\"]")).statusCode()).isEqualTo(200);
        JsonNode endpoints = JSON.readTree(get("/v1/qalm/endpoints").body()).path("endpoints");
        assertThat(endpoints.path(0).path("endpoint").asText()).isEqualTo("POST /v1/views/NAME:scan");
        JsonNode callers = endpoints.path(0).path("callers");
        assertThat(callers).hasSize(1);
        assertThat(callers.path(0).path("caller").asText()).isEqualTo("thalweg-console");
        assertThat(callers.path(0).path("criticality").asInt()).isEqualTo(3);
    }

    @Test
    void places_view_haveItsGroupsAndTiles() throws Exception {
        JsonNode places = JSON.readTree(get("/v1/console/views/demand").body());
        assertThat(places.path("port").asInt()).isEqualTo(server.port());
        assertThat(places.path("every_ms").asLong()).isEqualTo(MINUTE);
        assertThat(places.path("history_ms").asLong(-1)).isZero();
        assertThat(places.path("live").isNull()).isTrue();
        assertThat(places.path("groups"))
                .containsExactly(JSON.readTree("{\"entities\":{\"product\":\"%s\"},\"tiles\":1,\"last_end\":\"%s\"}"
                        .formatted(PRODUCT, Instant.ofEpochMilli(T))));
        assertThat(places.path("tiles").path(0).path("tile").asText()).isEqualTo(Long.toHexString(TILING.tile(CELL)));
        assertThat(get("/v1/console/views/nothing").statusCode()).isEqualTo(404);
    }

    /** Reads tiles of supply with a GET. */
    private HttpResponse<byte[]> tiles(String asOf, String run, String etag) throws Exception {
        String body = "{\"region\":%s,\"where\":{\"product\":\"%s\"},\"features\":[\"k0_1m\"]%s}"
                .formatted(BOX, PRODUCT, asOf.isEmpty() ? "" : ",\"as_of\":\"" + asOf + "\"");
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(
                "/v1/console/views/supply/tiles?run=" + run + "&q=" + URLEncoder.encode(body, StandardCharsets.UTF_8)));
        if (!etag.isEmpty()) {
            request.header("if-none-match", etag);
        }
        return http.send(request.build(), BodyHandlers.ofByteArray());
    }

    private String run() throws Exception {
        return JSON.readTree(get("/v1/console/views/supply").body()).path("run").asText();
    }

    private static String header(HttpResponse<byte[]> answer, String name) {
        return answer.headers().firstValue(name).orElse("none");
    }

    @Test
    void tiles_allFinal_areKeptByTheBrowserAndNotSentAgain() throws Exception {
        String before = Instant.ofEpochMilli(T - MINUTE).toString();
        HttpResponse<byte[]> answer = tiles(before, run(), "");
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(200);
        // Rows are kept for ttl and history, 70 minutes; this end and the second after the newest are 61 s of them.
        assertThat(header(answer, "cache-control")).isEqualTo("private, max-age=4139, immutable");
        assertThat(header(answer, "content-type")).isEqualTo(TILES);
        assertThat(answer.body())
                .isEqualTo(post(
                                "/v1/views/supply:scan",
                                "{\"region\":%s,\"where\":{\"product\":\"%s\"},\"features\":[\"k0_1m\"],\"as_of\":\"%s\"}"
                                        .formatted(BOX, PRODUCT, before),
                                TILES)
                        .body());

        store.write(SUPPLY, List.of(ServerFixture.block(SUPPLY, T + MINUTE, CELL, new long[] {9, 9, 9, 9})));
        store.writeProgress(new Progress("supply", 0, 1, T + MINUTE));
        clock.advance(Duration.ofMinutes(1));
        HttpResponse<byte[]> again = tiles(before, run(), header(answer, "etag"));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(header(again, "cache-control")).isEqualTo("private, max-age=4079, immutable");

        HttpResponse<byte[]> next = tiles(Instant.ofEpochMilli(T).toString(), run(), header(answer, "etag"));
        assertThat(next.statusCode()).isEqualTo(200);
        assertThat(header(next, "etag")).startsWith("W/\"").isNotEqualTo(header(answer, "etag"));
    }

    @Test
    void tiles_ofAnotherRun_areAskedForAgain() throws Exception {
        HttpResponse<byte[]> answer = tiles(Instant.ofEpochMilli(T).toString(), "another", "");
        assertThat(header(answer, "cache-control")).isEqualTo("private, no-cache");
        assertThat(tiles(Instant.ofEpochMilli(T).toString(), "another", header(answer, "etag"))
                        .statusCode())
                .isEqualTo(304);
    }

    @Test
    void tiles_thatMayChange_areNotKept() throws Exception {
        RowOrder open = new RowOrder(T - 2 * MINUTE, Finality.PARTIAL, 0);
        store.write(
                SUPPLY,
                List.of(new HexRowBlock(
                        new BlockHead("supply", 0, open),
                        TILING.tile(CELL),
                        List.of(PRODUCT),
                        new long[] {CELL},
                        new long[] {1, 1, 1, 1},
                        null)));
        for (String asOf : List.of("", Instant.ofEpochMilli(T - 2 * MINUTE).toString(), "2026-01-01T12:00:00Z")) {
            HttpResponse<byte[]> answer = tiles(asOf, run(), "");
            assertThat(answer.statusCode()).as(text(answer)).isEqualTo(200);
            assertThat(header(answer, "cache-control")).as(asOf).isEqualTo("no-store");
            assertThat(header(answer, "etag")).as(asOf).isEqualTo("none");
        }
    }

    @Test
    void tiles_badRequest_namesWhatIsWrong() throws Exception {
        HttpResponse<byte[]> answer = get("/v1/console/views/supply/tiles");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(text(answer)).contains("q: is missing");
        HttpResponse<byte[]> beyond = tiles("2026-01-01T18:02:00Z", "x", "");
        assertThat(beyond.statusCode()).isEqualTo(400);
        assertThat(text(beyond)).contains("as_of: 2026-01-01T18:02:00Z lies beyond the view's watermark");
        assertThat(get("/v1/console/views/nothing/tiles?q=%7B%7D").statusCode()).isEqualTo(404);
        for (String notUtf8 : List.of("%ED%A0%BD", "%FF", "%C3")) {
            HttpResponse<byte[]> halved =
                    get("/v1/console/views/supply/tiles?q=%7B%22entities%22%3A%7B%22product%22%3A%22" + notUtf8
                            + "%22%7D%7D");
            assertThat(halved.statusCode()).isEqualTo(400);
            assertThat(new String(halved.body(), StandardCharsets.UTF_8))
                    .contains("q: must be UTF-8 in percent-encoding, was bytes that are not");
        }
    }

    @Test
    void tiles_areTheFirstThatAreShed() throws Exception {
        assertThat(tiles(Instant.ofEpochMilli(T).toString(), "x", "").statusCode())
                .isEqualTo(200);
        JsonNode endpoint = JSON.readTree(get("/v1/qalm/endpoints").body())
                .path("endpoints")
                .path(0);
        assertThat(endpoint.path("endpoint").asText()).isEqualTo("GET /v1/console/views/NAME/tiles");
        assertThat(endpoint.path("callers").path(0).path("criticality").asInt()).isEqualTo(3);
    }

    @Test
    void shape_resolution_isAnsweredForEverAndOthersAreNotFound() throws Exception {
        HttpResponse<byte[]> shape = get("/v1/console/shapes/9");
        assertThat(shape.body()).hasSize(4 * TILING.slots());
        assertThat(shape.headers().firstValue("cache-control")).hasValue("private, max-age=31536000, immutable");
        for (String other : List.of("16", "x", "-1")) {
            assertThat(get("/v1/console/shapes/" + other).statusCode())
                    .as(other)
                    .isEqualTo(404);
        }
    }
}
