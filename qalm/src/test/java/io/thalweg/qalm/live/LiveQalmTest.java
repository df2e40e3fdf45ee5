package io.thalweg.qalm.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.thalweg.qalm.Call;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.registry.Sources;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveQalmTest {
    private static final QalmConfig ONE = new QalmConfig(1, 1);

    @TempDir
    Path folder;

    @AfterEach
    void clear() {
        System.clearProperty(LiveQalm.SWITCH);
    }

    private static final class Recorded extends Call {
        final CompletableFuture<String> fate = new CompletableFuture<>();

        Recorded(LiveQalm live, long timeoutNanos) {
            super("anybody", null, false, live.qalm().nanoTime(), timeoutNanos, 0, 1);
            live.qalm().lane("endpoint").submit(this);
        }

        @Override
        protected void admitted() {
            fate.complete("admitted");
        }

        @Override
        protected void refused(Refusal reason) {
            fate.complete(reason.name());
        }
    }

    @Test
    void start_aCallWaitsTooLong_theTicksTellIt() throws Exception {
        try (LiveQalm live = LiveQalm.start(ONE, Policy.DEFAULT)) {
            Recorded running = new Recorded(live, Call.NO_DEADLINE);
            Recorded waits = new Recorded(live, 50_000_000);
            assertThat(running.fate).isCompletedWithValue("admitted");
            assertThat(waits.fate.get(10, TimeUnit.SECONDS)).isEqualTo("EXPIRED");
            running.release(Outcome.SUCCESS);
        }
    }

    @Test
    void start_rulesFile_isInForceAtOnce() throws Exception {
        Path file = folder.resolve("qalm.yaml");
        Files.writeString(file, "endpoints: {endpoint: {mode: shadow}}");
        try (LiveQalm live = LiveQalm.start(ONE, file, folder.resolve("state"), Observer.NONE)) {
            assertThat(live.qalm().lane("endpoint").snapshot().mode()).isEqualTo(Mode.SHADOW);
            assertThat(live.registry()).isPresent();
        }
    }

    @Test
    void start_controlService_isAskedAtOnce() throws Exception {
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
        Sources sources = new Sources(null, address, folder.resolve("state"));
        try (LiveQalm live = LiveQalm.start(ONE, sources, Mode.ON, Observer.NONE)) {
            asked.get(10, TimeUnit.SECONDS);
            long end = System.nanoTime() + 10_000_000_000L;
            while (live.qalm().lane("endpoint").snapshot().mode() != Mode.SHADOW) {
                assertThat(System.nanoTime() - end).isNegative();
                Thread.onSpinWait();
            }
            assertThat(live.registry().orElseThrow().inForce().author()).isEqualTo("control");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void start_switchedOffByProperty_isOffWhateverTheRulesSay() {
        System.setProperty(LiveQalm.SWITCH, "off");
        try (LiveQalm live = LiveQalm.start(ONE, null, folder, Observer.NONE)) {
            live.registry().orElseThrow().change(0, "alice", rules -> rules.withMode(Mode.ON));
            assertThat(live.qalm().lane("endpoint").snapshot().mode()).isEqualTo(Mode.OFF);
        }
    }

    @Test
    void start_switchedToNonsense_saysWhatIsPossible() {
        System.setProperty(LiveQalm.SWITCH, "no");
        assertThatThrownBy(() -> LiveQalm.start(ONE, Policy.DEFAULT))
                .hasMessage("the system property thalweg.qalm must be off, shadow or on, was no; on is the default");
    }
}
