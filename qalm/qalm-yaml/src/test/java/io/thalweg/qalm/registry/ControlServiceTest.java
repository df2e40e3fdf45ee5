package io.thalweg.qalm.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.FakeClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules from a real HTTP server that returns an ETag, or fails. */
class ControlServiceTest {
    private final FakeClock clock = new FakeClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final List<Rules> received = new ArrayList<>();
    /** The statuses of the answers that were sent. */
    private final List<Integer> answers = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    private HttpServer server;
    private volatile String document = "callers: {a: 1}";
    private volatile int status = 200;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/qalm.yaml", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String etag = '"' + Integer.toHexString(document.hashCode()) + '"';
        boolean same = etag.equals(exchange.getRequestHeaders().getFirst("if-none-match"));
        int code = status != 200 ? status : same ? 304 : 200;
        byte[] body = document.getBytes(StandardCharsets.UTF_8);
        answers.add(code); // before the client can receive it
        exchange.getResponseHeaders().set("etag", etag);
        exchange.sendResponseHeaders(code, code == 200 ? body.length : -1);
        if (code == 200) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private Registry open(@Nullable Path file) {
        URI control = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/qalm.yaml?token=secret");
        return Registry.open(
                new Sources(RulesYaml.NOTATION, file, control, folder.resolve("state")), clock, received::add);
    }

    private Registry open() {
        return open(null);
    }

    @Test
    void pollControl_documentChanges_takesEffectAtOnceAndIsAudited() {
        Registry registry = open();
        assertThat(registry.version()).as("a start does not wait for it").isZero();
        registry.pollControl();
        assertThat(registry.version()).isOne();
        assertThat(registry.rules().callers()).containsOnlyKeys("a");
        document = "callers: {a: 1, b: 3}";
        registry.pollControl();
        assertThat(received).hasSize(3).last().isEqualTo(registry.rules());
        assertThat(registry.trail())
                .last()
                .isEqualTo(new Change(2, clock.instant(), "control", List.of("callers.b: – → 3")));
        assertThat(registry.problem()).isEmpty();
    }

    @Test
    void pollControl_sameDocument_isNotSentAgain() {
        Registry registry = open();
        registry.pollControl();
        registry.pollControl();
        registry.pollControl();
        assertThat(answers).containsExactly(200, 304, 304);
        assertThat(registry.version()).isOne();
        assertThat(received).hasSize(2);
    }

    @Test
    void pollControl_documentBroken_changesNothingAndIsReportedUntilRepaired() {
        Registry registry = open();
        registry.pollControl();
        document = "callers: {a: 9}";
        registry.pollControl();
        registry.pollControl();
        assertThat(answers).containsExactly(200, 200, 304);
        assertThat(registry.version()).isOne();
        assertThat(registry.problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("/qalm.yaml: callers.a must be 0", "was 9", "version 1 stays in force"));
        document = "callers: {a: 0}";
        registry.pollControl();
        assertThat(registry.version()).isEqualTo(2);
        assertThat(registry.problem()).isEmpty();
    }

    @Test
    void pollControl_serviceFailsOrIsGone_theLastGoodCopyStaysEvenAfterARestart() {
        Registry registry = open();
        registry.pollControl();
        status = 503;
        registry.pollControl();
        assertThat(registry.problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .endsWith("/qalm.yaml answers 503; version 1 stays in force")
                        .doesNotContain("secret"));
        status = 200;
        registry.pollControl();
        assertThat(registry.problem()).isEmpty();
        server.stop(0);

        Registry restarted = open();
        restarted.pollControl();
        assertThat(restarted.rules().callers()).containsOnlyKeys("a");
        assertThat(restarted.version()).isOne();
        assertThat(restarted.problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("cannot read http://", "/qalm.yaml (", "version 1 stays in force"));
    }

    @Test
    void pollControl_afterARestart_theSameDocumentIsNoEdit() {
        Registry registry = open();
        registry.pollControl();
        registry.change(1, "alice", rules -> rules.withMode(Mode.SHADOW));
        Registry restarted = open();
        restarted.pollControl();
        assertThat(restarted.version()).isEqualTo(2);
        assertThat(restarted.rules().mode()).isEqualTo(Mode.SHADOW);
        document = "callers: {a: 2}";
        restarted.pollControl();
        assertThat(restarted.rules().mode()).as("the latest edit wins").isEqualTo(Mode.ON);
    }

    @Test
    void pollControl_besideAFile_theLatestEditWinsAndProblemsAreToldApart() throws IOException {
        Path file = folder.resolve("qalm.yaml");
        Files.writeString(file, "callers: {f: 1}");
        Registry registry = open(file);
        assertThat(registry.rules().callers()).containsOnlyKeys("f");
        registry.pollControl();
        assertThat(registry.rules().callers()).containsOnlyKeys("a");
        registry.poll();
        registry.poll();
        assertThat(registry.rules().callers()).as("the file has not changed").containsOnlyKeys("a");
        Files.writeString(file, "callers: {f: 2}");
        registry.poll();
        registry.poll();
        assertThat(registry.rules().callers()).containsOnlyKeys("f");

        Files.delete(file);
        registry.poll();
        status = 500;
        registry.pollControl();
        assertThat(registry.problem())
                .hasValueSatisfying(
                        problem -> assertThat(problem).contains("qalm.yaml does not exist", "/qalm.yaml answers 500"));
    }

    @Test
    void pollControl_tooLong_isRefused() {
        document = "callers: {a: 1} #" + "x".repeat(5 << 20);
        Registry registry = open();
        registry.pollControl();
        assertThat(registry.version()).isZero();
        assertThat(registry.problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("is more than 4194304"));
    }

    @Test
    void sources_noAddress_namesOne() {
        for (String wrong : List.of("ftp://host/a", "qalm.yaml", "http://user:secret@host/a")) {
            assertThatThrownBy(() -> new Sources(RulesYaml.NOTATION, null, URI.create(wrong), folder))
                    .hasMessageStartingWith("control must be an address such as http://localhost:8000/qalm.yaml,")
                    .hasMessageNotContaining("secret");
        }
    }
}
