package io.thalweg.server;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.deployment.Access;
import io.thalweg.qalm.Mode;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FeatureServerTest {
    private static final String BODY =
            "{\"entities\":[{\"cell\":\"" + Long.toHexString(CELL) + "\",\"product\":\"" + PRODUCT + "\"}]}";

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T));
    private final HttpClient http = HttpOne.client();

    private FeatureServer start(ServerConfig config, OnlineStore store) {
        return FeatureServer.start(config, List.of(DEMAND), store, null, clock, new Metrics());
    }

    private CompletableFuture<HttpResponse<String>> read(FeatureServer server) {
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/views/demand:read"))
                        .POST(HttpRequest.BodyPublishers.ofString(BODY))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static ServerConfig config(int threads, int queue, Duration timeout) {
        return ServerConfig.loopback(0).withReads(threads, queue).withRequestTimeout(timeout);
    }

    @Test
    void start_portBusy_namesThePortAndTheRemedyInOneLine() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(ServerConfig.loopback(busy.getLocalPort()), new HeldStore()))
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("server.port " + busy.getLocalPort() + " is in use")
                    .hasMessageContaining("another port")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void start_portNamed_listensThere() {
        int port = FreePorts.next();
        try (FeatureServer server = start(ServerConfig.loopback(port), new HeldStore())) {
            assertThat(server.port()).isEqualTo(port);
        }
    }

    /** The event loops would otherwise stay for a quiet period of two seconds. On a busy machine, one or another stop may, too. */
    @Test
    void stop_withoutConnections_takesLessThanAQuietPeriod() {
        Await.until("a stop without a quiet period", () -> {
            FeatureServer server = start(ServerConfig.loopback(0).withAdminPort(0), new HeldStore());
            long begin = System.nanoTime();
            server.stop();
            return System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(1_500);
        });
    }

    @Test
    void config_notLoopback_isRefused() {
        assertThatThrownBy(() -> ServerConfig.loopback(0).withBind("0.0.0.0", Access.OPEN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("server.bind")
                .hasMessageContaining("server.tls")
                .hasMessageContaining("0.0.0.0");
        assertThat(ServerConfig.loopback(0).withBind("localhost", Access.OPEN).bind())
                .isEqualTo("localhost");
        assertThatThrownBy(() -> ServerConfig.loopback(70_000)).hasMessageContaining("70000");
    }

    @Test
    void stop_requestUnderWay_isAnsweredFirst() throws Exception {
        HeldStore store = new HeldStore();
        FeatureServer server = start(ServerConfig.loopback(0), store);
        var answer = read(server);
        store.entered.await();

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::stop);
        awaitRefusal(server);
        assertThat(stopped).isNotDone();
        store.release.countDown();

        assertThat(Await.get(answer).statusCode()).isEqualTo(200);
        Await.get(stopped);
    }

    /** Waits until new requests are refused, either by the closed port or by an answer. */
    private void awaitRefusal(FeatureServer server) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        long deadline = System.nanoTime() + Await.PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                if (http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 503) {
                    return;
                }
            } catch (IOException e) {
                return;
            }
        }
        throw new AssertionError("the stopping server went on answering");
    }

    @Test
    void read_queueFullWithoutLoadManagement_isRefusedAsExhausted() throws Exception {
        HeldStore store = new HeldStore();
        ServerConfig.Qalm off = new ServerConfig.Qalm(Mode.OFF, null, Path.of("none"));
        try (FeatureServer server = start(config(1, 1, Await.PATIENCE).withQalm(off), store)) {
            var running = read(server);
            store.entered.await();
            CountDownLatch refused = new CountDownLatch(4);
            List<CompletableFuture<HttpResponse<String>>> more = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                var next = read(server);
                more.add(next);
                var unused = next.thenRun(refused::countDown);
            }
            Await.zero("the refusal of all but the one that waits", refused);
            store.release.countDown();

            assertThat(Await.get(running).statusCode()).isEqualTo(200);
            int answered = 0;
            for (var each : more) {
                HttpResponse<String> response = Await.get(each);
                if (response.statusCode() == 200) {
                    answered++;
                } else {
                    assertThat(response.statusCode()).isEqualTo(503);
                    assertThat(response.body()).contains("RESOURCE_EXHAUSTED");
                }
            }
            assertThat(answered).as("one waited its turn").isEqualTo(1);
        }
    }

    @Test
    void read_pastTheDeadline_isAnswered504() throws Exception {
        HeldStore store = new HeldStore();
        try (FeatureServer server = start(config(1, 1, Duration.ofMillis(200)), store)) {
            HttpResponse<String> answer = Await.get(read(server));
            assertThat(answer.statusCode()).isEqualTo(504);
            assertThat(answer.body()).contains("DEADLINE_EXCEEDED");
            store.release.countDown();
        }
    }

    @Test
    void read_storeFailsUnexpectedly_tellsNothingOfTheInside() throws Exception {
        HeldStore store = new HeldStore();
        store.failure = new IllegalStateException("secret of the inside");
        store.release.countDown();
        try (FeatureServer server = start(ServerConfig.loopback(0), store)) {
            HttpResponse<String> answer = Await.get(read(server));
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).contains("INTERNAL").doesNotContain("secret", "IllegalState", "\tat ");
        }
    }
}
