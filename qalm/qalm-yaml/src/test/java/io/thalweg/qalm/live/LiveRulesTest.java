package io.thalweg.qalm.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.registry.Sources;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveRulesTest {
    private static final QalmConfig ONE = new QalmConfig(1, 1);

    @TempDir
    Path folder;

    @AfterEach
    void clear() {
        System.clearProperty(LiveQalm.SWITCH);
    }

    @Test
    void start_rulesFile_isInForceAtOnce() throws Exception {
        Path file = folder.resolve("qalm.yaml");
        Files.writeString(file, "endpoints: {endpoint: {mode: shadow}}");
        try (LiveQalm live = LiveQalm.start(ONE, RulesYaml.file(file, folder.resolve("state")), Observer.NONE)) {
            assertThat(live.qalm().lane("endpoint").snapshot().mode()).isEqualTo(Mode.SHADOW);
            assertThat(live.registry()).isPresent();
        }
    }

    @Test
    void start_controlService_isReadAtOnce() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] rules = "mode: shadow".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, rules.length);
            exchange.getResponseBody().write(rules);
            exchange.close();
            asked.complete(null);
        });
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        Sources sources = new Sources(RulesYaml.NOTATION, null, address, folder.resolve("state"));
        try (LiveQalm live = LiveQalm.start(ONE, sources, Mode.ON, Observer.NONE)) {
            Await.get(asked);
            // A request that a stalled machine lost is retried later.
            Await.until(
                    "the new rules",
                    () -> live.qalm().lane("endpoint").snapshot().mode() == Mode.SHADOW);
            assertThat(live.registry().orElseThrow().inForce().author()).isEqualTo("control");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void start_switchedOffByProperty_overridesTheRules() {
        System.setProperty(LiveQalm.SWITCH, "off");
        try (LiveQalm live = LiveQalm.start(ONE, RulesYaml.file(null, folder), Observer.NONE)) {
            live.registry().orElseThrow().change(0, "alice", rules -> rules.withMode(Mode.ON));
            assertThat(live.qalm().lane("endpoint").snapshot().mode()).isEqualTo(Mode.OFF);
        }
    }
}
