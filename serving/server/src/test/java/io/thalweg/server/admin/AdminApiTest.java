package io.thalweg.server.admin;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.HeldStore;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin port over real HTTP. */
class AdminApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String READ = "POST /v1/views/NAME:read";
    private static final String BODY =
            "{\"entities\":[{\"cell\":\"" + Long.toHexString(CELL) + "\",\"product\":\"" + PRODUCT + "\"}]}";

    @TempDir
    Path folder;

    private final HeldStore store = new HeldStore();
    private final List<FeatureServer> started = new ArrayList<>();
    private final HttpClient http = HttpOne.client();

    private ServerConfig config(Mode most) {
        return ServerConfig.loopback(0)
                .withAdminPort(0)
                .withReads(2, 256)
                .withRequestTimeout(Await.PATIENCE)
                .withQalm(new ServerConfig.Qalm(most, null, folder.resolve("state")));
    }

    private FeatureServer start(ServerConfig config) {
        FeatureServer server = FeatureServer.start(
                config, List.of(DEMAND), store, null, new FakeClock(Instant.ofEpochMilli(T)), new Metrics());
        started.add(server);
        return server;
    }

    /** The server waits a second for its connections; a test does not need to. */
    @AfterEach
    void stop() {
        started.forEach(server -> {
            var unused = CompletableFuture.runAsync(server::stop);
        });
    }

    private FeatureServer start() {
        return start(config(Mode.ON));
    }

    private static URI admin(FeatureServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.adminPort().orElseThrow() + path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode get(FeatureServer server, String path) throws Exception {
        HttpResponse<String> answer = send(HttpRequest.newBuilder(admin(server, path)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private HttpResponse<String> change(FeatureServer server, String method, String path, String body)
            throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(admin(server, path))
                .header("content-type", "application/json")
                .method(method, BodyPublishers.ofString(body)));
    }

    private JsonNode changed(FeatureServer server, String method, String path, String body) throws Exception {
        HttpResponse<String> answer = change(server, method, path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private CompletableFuture<HttpResponse<String>> read(FeatureServer server, String caller) {
        HttpRequest read = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/v1/views/demand:read"))
                .header(CallHeaders.CALLER, caller)
                .POST(BodyPublishers.ofString(BODY))
                .build();
        return http.sendAsync(read, HttpResponse.BodyHandlers.ofString());
    }

    private static int status(CompletableFuture<HttpResponse<String>> read) throws Exception {
        return Await.get(read).statusCode();
    }

    private static JsonNode endpoint(JsonNode endpoints, String name) {
        for (JsonNode endpoint : endpoints.path("endpoints")) {
            if (endpoint.path("endpoint").asText().equals(name)) {
                return endpoint;
            }
        }
        throw new AssertionError(name + " is not in " + endpoints);
    }

    private static JsonNode caller(JsonNode endpoint, String name) {
        for (JsonNode caller : endpoint.path("callers")) {
            if (caller.path("caller").asText().equals(name)) {
                return caller;
            }
        }
        throw new AssertionError(name + " is not in " + endpoint);
    }

    @Test
    void rules_nobodyHasSaidAnything_areVersionZero() throws Exception {
        FeatureServer server = start();
        JsonNode rules = get(server, "/v1/qalm/rules");
        assertThat(rules.path("version").asLong(-1)).isZero();
        assertThat(rules.path("rules").toString()).isEqualTo("{\"mode\":\"on\"}");
        assertThat(rules.path("problem").isNull()).isTrue();
    }

    @Test
    void setCriticality_ofACaller_isInForceAtItsNextCallAndInTheAuditTrail() throws Exception {
        store.release.countDown();
        FeatureServer server = start();
        assertThat(status(read(server, "batch"))).isEqualTo(200);
        JsonNode before = caller(endpoint(get(server, "/v1/qalm/endpoints"), READ), "batch");
        assertThat(before.path("criticality").asInt()).isEqualTo(2);
        assertThat(before.path("said").isNull()).isTrue();

        JsonNode answer = changed(
                server,
                "POST",
                "/v1/qalm/rules:set_criticality",
                "{\"version\":0,\"author\":\"alice\",\"endpoint\":\"" + READ
                        + "\",\"caller\":\"batch\",\"criticality\":3}");
        assertThat(answer.path("version").asLong()).isEqualTo(1);
        assertThat(answer.path("author").asText()).isEqualTo("alice");
        JsonNode ruled = caller(endpoint(get(server, "/v1/qalm/endpoints"), READ), "batch");
        assertThat(ruled.path("ruled").asInt()).isEqualTo(3);
        assertThat(ruled.path("said").asInt()).isEqualTo(3);

        assertThat(status(read(server, "batch"))).isEqualTo(200);
        JsonNode after = caller(endpoint(get(server, "/v1/qalm/endpoints"), READ), "batch");
        assertThat(after.path("criticality").asInt()).isEqualTo(3);
        assertThat(after.path("served").asInt()).isEqualTo(2);
        JsonNode change = get(server, "/v1/qalm/audit").path("changes").path(0);
        assertThat(change.path("author").asText()).isEqualTo("alice");
        assertThat(change.path("details").path(0).asText()).isEqualTo("endpoints." + READ + ".callers.batch: – → 3");
    }

    /** A figure is useless if it is undocumented or not on the page. */
    @Test
    void endpoints_eachFigure_isInTheReferenceAndOnThePage() throws Exception {
        store.release.countDown();
        FeatureServer server = start();
        changed(
                server,
                "POST",
                "/v1/qalm/rules:set_mode",
                "{\"version\":0,\"author\":\"a\",\"endpoint\":\"" + READ + "\",\"mode\":\"shadow\"}");
        assertThat(status(read(server, "batch"))).isEqualTo(200);
        Set<String> figures = new TreeSet<>();
        figures(get(server, "/v1/qalm/endpoints"), figures);
        assertThat(figures).contains("waited_ms", "would_shed", "slots_free", "callers_total");

        String reference = Files.readString(Checkout.file("docs/reference/admin.md"));
        assertThat(figures).allSatisfy(figure -> assertThat(reference).contains("`" + figure + "`"));
        String page = send(HttpRequest.newBuilder(admin(server, "/load.js"))).body();
        figures.removeAll(Set.of("count", "p90"));
        assertThat(figures).allSatisfy(figure -> assertThat(page).containsPattern("\\b" + figure + "\\b"));
    }

    /** Collects the names of all figures; a map of counts is one figure. */
    private static void figures(JsonNode node, Set<String> names) {
        node.properties().forEach(field -> {
            names.add(field.getKey());
            if (!Set.of("outcomes", "refusals", "pressures").contains(field.getKey())) {
                figures(field.getValue(), names);
            }
        });
        if (node.isArray()) {
            node.forEach(each -> figures(each, names));
        }
    }

    @Test
    void setCriticality_null_takesBackWhatWasSaid() throws Exception {
        FeatureServer server = start();
        String path = "/v1/qalm/rules:set_criticality";
        changed(server, "POST", path, "{\"version\":0,\"author\":\"a\",\"caller\":\"x\",\"criticality\":\"core\"}");
        changed(server, "POST", path, "{\"version\":1,\"author\":\"a\",\"endpoint\":\"E\",\"criticality\":3}");
        assertThat(get(server, "/v1/qalm/rules").path("rules").toString())
                .isEqualTo("{\"mode\":\"on\",\"callers\":{\"x\":1},\"endpoints\":{\"E\":{\"criticality\":3}}}");
        changed(server, "POST", path, "{\"version\":2,\"author\":\"a\",\"caller\":\"x\",\"criticality\":null}");
        changed(server, "POST", path, "{\"version\":3,\"author\":\"a\",\"endpoint\":\"E\",\"criticality\":null}");
        assertThat(get(server, "/v1/qalm/rules").path("rules").toString()).isEqualTo("{\"mode\":\"on\"}");
    }

    @Test
    void setCriticality_callerWithABudget_keepsIt() throws Exception {
        FeatureServer server = start();
        String rules =
                "{\"endpoints\":{\"E\":{\"callers\":{\"x\":{\"criticality\":1,\"never_drop_per_second\":5.0}}}}}";
        changed(server, "PUT", "/v1/qalm/rules", "{\"version\":0,\"author\":\"a\",\"rules\":" + rules + "}");
        JsonNode answer = changed(
                server,
                "POST",
                "/v1/qalm/rules:set_criticality",
                "{\"version\":1,\"author\":\"a\",\"endpoint\":\"E\",\"caller\":\"x\",\"criticality\":0}");
        assertThat(answer.path("rules").path("endpoints").toString())
                .isEqualTo("{\"E\":{\"callers\":{\"x\":{\"criticality\":0,\"never_drop_per_second\":5.0}}}}");
    }

    @Test
    void replace_anotherVersionIsInForce_isRefusedAndChangesNothing() throws Exception {
        FeatureServer server = start();
        changed(
                server,
                "PUT",
                "/v1/qalm/rules",
                "{\"version\":0,\"author\":\"alice\",\"rules\":{\"callers\":{\"a\":3}}}");
        HttpResponse<String> late = change(
                server,
                "PUT",
                "/v1/qalm/rules",
                "{\"version\":0,\"author\":\"bob\",\"rules\":{\"callers\":{\"b\":3}}}");
        assertThat(late.statusCode()).isEqualTo(409);
        assertThat(late.body())
                .startsWith("{\"error\":{\"code\":409,\"status\":\"ABORTED\",\"message\":\"the rules are at version 1,"
                        + " by alice, not at 0; read them again and repeat the change\"");
        assertThat(get(server, "/v1/qalm/rules").path("rules").toString())
                .isEqualTo("{\"mode\":\"on\",\"callers\":{\"a\":3}}");
    }

    @Test
    void replace_documentIsWrong_tellsAllThatIsAndChangesNothing() throws Exception {
        FeatureServer server = start();
        HttpResponse<String> answer = change(
                server,
                "PUT",
                "/v1/qalm/rules",
                "{\"version\":0,\"author\":\"a\",\"rules\":{\"mode\":\"maybe\",\"callers\":{\"x\":7},\"endpoint\":{}}}");
        assertThat(answer.statusCode()).isEqualTo(400);
        JsonNode details = JSON.readTree(answer.body()).path("error").path("details");
        assertThat(details).hasSize(3);
        assertThat(answer.body())
                .contains("mode must be one of [off, shadow, on], was maybe")
                .contains("callers.x must be 0 (infrastructure)")
                .contains("endpoint is not a known key");
        assertThat(get(server, "/v1/qalm/rules").path("version").asLong()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"author\":\"a\",\"criticality\":3,\"caller\":\"x\"} | version: must be the version that you have seen",
                "{\"version\":0,\"criticality\":3,\"caller\":\"x\"} | author: must say who changes it",
                "{\"version\":0,\"author\":\"a\",\"criticality\":3} | endpoint: must be there",
                "{\"version\":0,\"author\":\"a\",\"caller\":\"x\"} | criticality: must be there: 0 to 3",
                "{\"version\":0,\"author\":\"a\",\"caller\":\"x\",\"criticality\":9} | criticality: must be 0",
                "{\"version\":0,\"author\":\"a\",\"callr\":\"x\",\"criticality\":3} | callr: is no key of this change",
                "[] | the body must be a JSON object",
            })
    void setCriticality_wrongRequest_saysWhat(String body, String message) throws Exception {
        FeatureServer server = start();
        HttpResponse<String> answer = change(server, "POST", "/v1/qalm/rules:set_criticality", body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
    }

    @Test
    void rules_changed_surviveARestart() throws Exception {
        try (FeatureServer first = start()) {
            changed(
                    first,
                    "POST",
                    "/v1/qalm/rules:set_criticality",
                    "{\"version\":0,\"author\":\"alice\",\"endpoint\":\"E\",\"caller\":\"x\",\"criticality\":1}");
        }
        FeatureServer server = start();
        JsonNode rules = get(server, "/v1/qalm/rules");
        assertThat(rules.path("version").asLong()).isEqualTo(1);
        assertThat(rules.path("rules").path("endpoints").toString()).isEqualTo("{\"E\":{\"callers\":{\"x\":1}}}");
        assertThat(get(server, "/v1/qalm/audit").path("changes")).hasSize(1);
    }

    @Test
    void setMode_off_letsAllThroughThatWasRefused() throws Exception {
        FeatureServer server = start();
        changed(
                server,
                "PUT",
                "/v1/qalm/rules",
                "{\"version\":0,\"author\":\"a\",\"rules\":{\"callers\":{\"core\":1,\"background\":3}}}");
        List<CompletableFuture<HttpResponse<String>>> stuck = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            stuck.add(read(server, "core"));
        }
        awaitWaiting(server, 4);
        assertThat(status(read(server, "background"))).isEqualTo(503);
        JsonNode overloaded = endpoint(get(server, "/v1/qalm/endpoints"), READ);
        assertThat(overloaded.path("overloaded").asBoolean()).isTrue();
        assertThat(overloaded.path("inflight").asInt()).isEqualTo(4);
        assertThat(overloaded.path("limit").asInt()).isPositive();
        assertThat(overloaded.path("shed").asLong()).isEqualTo(1);
        assertThat(caller(overloaded, "background").path("shed").asLong()).isEqualTo(1);

        changed(server, "POST", "/v1/qalm/rules:set_mode", "{\"version\":1,\"author\":\"a\",\"mode\":\"off\"}");
        CompletableFuture<HttpResponse<String>> passed = read(server, "background");
        store.release.countDown();
        assertThat(status(passed)).isEqualTo(200);
        for (var read : stuck) {
            assertThat(status(read)).isEqualTo(200);
        }
        JsonNode off = endpoint(get(server, "/v1/qalm/endpoints"), READ);
        assertThat(off.path("mode").asText()).isEqualTo("off");
        assertThat(off.path("latency_ms").path("count").asInt()).isEqualTo(9);
        assertThat(off.path("latency_ms").path("p50").asDouble()).isPositive();
        assertThat(caller(off, "core").path("latency_ms").path("p99").asDouble())
                .isPositive();
    }

    private void awaitWaiting(FeatureServer server, int count) throws Exception {
        Await.until(
                count + " waiting calls",
                () -> get(server, "/v1/qalm/endpoints")
                                .path("endpoints")
                                .path(0)
                                .path("waiting")
                                .asInt()
                        == count);
    }

    @Test
    void endpoints_shadow_reportWhatWouldHaveBeenShed() throws Exception {
        store.release.countDown();
        store.readNanos = TimeUnit.MILLISECONDS.toNanos(20);
        FeatureServer server = start(config(Mode.SHADOW));
        changed(
                server,
                "PUT",
                "/v1/qalm/rules",
                "{\"version\":0,\"author\":\"a\",\"rules\":{\"callers\":{\"background\":3}}}");
        JsonNode endpoint;
        long deadline = System.nanoTime() + Await.PATIENCE.toNanos();
        // A slow machine needs more rounds until reads have queued for long enough.
        do {
            List<CompletableFuture<HttpResponse<String>>> reads = new ArrayList<>();
            for (int i = 0; i < 240; i++) {
                reads.add(read(server, "background"));
            }
            for (var read : reads) {
                assertThat(status(read)).as("shadow refuses nothing").isEqualTo(200);
            }
            endpoint = endpoint(get(server, "/v1/qalm/endpoints"), READ);
        } while (endpoint.path("shadow").path("would_shed").asLong() == 0 && System.nanoTime() < deadline);
        assertThat(endpoint.path("mode").asText()).isEqualTo("shadow");
        assertThat(endpoint.path("shed").asLong()).isZero();
        JsonNode report = endpoint.path("shadow");
        assertThat(report.path("would_shed").asLong()).isPositive();
        assertThat(report.path("levels").path(3).path("would_shed").asLong())
                .isEqualTo(report.path("would_shed").asLong());
        assertThat(report.path("callers").path(0).path("caller").asText()).isEqualTo("background");
        assertThat(report.path("callers").path(0).path("would_shed").asLong())
                .isEqualTo(report.path("would_shed").asLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "TRACE"})
    void request_neitherReadNorChange_isNotPossible(String method) throws Exception {
        FeatureServer server = start();
        for (String path : List.of("/v1/qalm/rules", "/", "/none")) {
            HttpResponse<String> answer =
                    send(HttpRequest.newBuilder(admin(server, path)).method(method, BodyPublishers.noBody()));
            assertThat(answer.statusCode()).as(path).isEqualTo(405);
            assertThat(answer.body()).as(path).contains("\"status\":\"UNIMPLEMENTED\"");
        }
    }

    @Test
    void change_fromAFormOrAnotherPage_isRefused() throws Exception {
        FeatureServer server = start();
        String body = "{\"version\":0,\"author\":\"a\",\"mode\":\"off\"}";
        HttpResponse<String> form = send(HttpRequest.newBuilder(admin(server, "/v1/qalm/rules:set_mode"))
                .header("content-type", "text/plain")
                .POST(BodyPublishers.ofString(body)));
        assertThat(form.statusCode()).isEqualTo(400);
        assertThat(form.body()).contains("content-type: must be application/json");
        HttpResponse<String> other = send(HttpRequest.newBuilder(admin(server, "/v1/qalm/rules:set_mode"))
                .header("content-type", "application/json")
                .header("origin", "http://evil.example")
                .POST(BodyPublishers.ofString(body)));
        assertThat(other.statusCode()).isEqualTo(403);
        assertThat(other.body()).contains("\"status\":\"PERMISSION_DENIED\"");
        assertThat(get(server, "/v1/qalm/rules").path("version").asLong()).isZero();
    }

    /** The host that a browser sends for a foreign name that resolves to this machine. */
    @Test
    void request_hostIsNotThisMachine_isRefused() throws Exception {
        FeatureServer server = start();
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.adminPort().orElseThrow())) {
            String request = "GET /v1/qalm/rules HTTP/1.1\r\nHost: rebound.example:8090\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 403").contains("host: must be localhost, 127.0.0.1 or [::1]");
        }
    }

    @Test
    void start_adminPortIsBusy_namesTheKeyAndLeavesNothingBehind() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(config(Mode.ON).withAdminPort(busy.getLocalPort())))
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageStartingWith("server.admin_port " + busy.getLocalPort() + " is in use on 127.0.0.1");
        }
        try (FeatureServer server = start(config(Mode.ON).withAdminPort(null))) {
            assertThat(server.adminPort()).isEmpty();
            assertThat(Files.exists(folder.resolve("state").resolve("audit.tsv")))
                    .isFalse();
        }
    }

    @Test
    void files_ofTheConsole_haveTheHeadersOfTheReference() throws Exception {
        FeatureServer server = start();
        String reference = Files.readString(Checkout.file("docs/reference/console.md"));
        for (String file : List.of("/", "/map.js", "/console.css")) {
            HttpResponse<String> answer = send(HttpRequest.newBuilder(admin(server, file)));
            for (String header : List.of(
                    "content-security-policy",
                    "x-content-type-options",
                    "referrer-policy",
                    "cross-origin-opener-policy",
                    "cache-control")) {
                String value = answer.headers().firstValue(header).orElseThrow();
                assertThat(reference).contains("| `" + header + "` | `" + value + "`");
            }
        }
    }

    @Test
    void get_nothingServedThere_isToldInOurForm() throws Exception {
        FeatureServer server = start();
        HttpResponse<String> answer = send(HttpRequest.newBuilder(admin(server, "/v1/nothing")));
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("\"status\":\"NOT_FOUND\"");
        assertThat(send(HttpRequest.newBuilder(admin(server, "/v1/qalm/audit?limit=x")))
                        .body())
                .contains("limit: must be a number from 0 to 9999, was x");
    }
}
