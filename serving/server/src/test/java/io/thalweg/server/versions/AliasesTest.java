package io.thalweg.server.versions;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.qalm.Mode;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions of a view behind one name: over real HTTP, with an embedded store. */
class AliasesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FeatureView FIRST = ServerFixture.view("demand", null);
    private static final List<String> WINDOWS = List.of("1m", "2m");
    private static final FeatureView SECOND = version(2, ServerFixture.view("demand", null, List.of(0, 1, 2), WINDOWS));

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T + 1_000));
    private final HttpClient http = HttpOne.client();
    private final List<FeatureServer> started = new ArrayList<>();
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private OnlineStore store;

    private static FeatureView version(int version, FeatureView view) {
        return new FeatureView(
                view.name(),
                version,
                view.description(),
                view.entities(),
                view.computation(),
                view.sink(),
                view.online());
    }

    @BeforeEach
    void open() {
        store = RocksDbOnlineStore.open(folder.resolve("store"), clock);
        write(FIRST, T, 100);
        write(SECOND, T, 200);
    }

    /** The server waits a second for its connections; a test does not need to. */
    @AfterEach
    void close() {
        started.forEach(server -> {
            var unused = CompletableFuture.runAsync(server::stop);
        });
        store.close();
    }

    private void write(FeatureView view, long windowEndMs, int first) {
        long[] sums = new long[view.featureNames().size()];
        Arrays.setAll(sums, i -> first + (long) i);
        store.write(view, List.of(ServerFixture.block(view, windowEndMs, CELL, sums)));
    }

    private void reach(FeatureView view, long windowEndMs) {
        store.writeProgress(new Progress(view.qualifiedName(), 0, 1, windowEndMs));
    }

    private FeatureServer start(Switching.Mode mode, FeatureView... views) {
        ServerConfig config = ServerConfig.loopback(0)
                .withAdminPort(0)
                .withQalm(new ServerConfig.Qalm(Mode.OFF, null, folder.resolve("qalm-" + started.size())))
                .withSwitching(new Switching(mode, reports::add));
        FeatureServer server = FeatureServer.start(config, List.of(views), store, null, clock, new Metrics());
        started.add(server);
        return server;
    }

    private HttpResponse<String> send(int port, String method, String path, @Nullable String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        request.header("content-type", "application/json");
        return http.send(
                request.method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the version and the first value that a read of a name gets. */
    private String read(FeatureServer server, String name) throws Exception {
        return read(server.port(), name);
    }

    private String read(int port, String name) throws Exception {
        String body = "{\"entities\":[{\"cell\":\"%x\",\"product\":\"%s\"}]}".formatted(CELL, PRODUCT);
        HttpResponse<String> answer = send(port, "POST", "/v1/views/" + name + ":read", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode json = JSON.readTree(answer.body());
        return json.get("view").asText() + " "
                + json.get("rows").get(0).get("values").get(0).asLong();
    }

    @Test
    void replace_newVersionCatchesUp_switchesEveryServerOfTheStoreAndSurvivesARestart() throws Exception {
        reach(FIRST, T);
        FeatureServer server = start(Switching.Mode.REPLACE, FIRST, SECOND);
        FeatureServer other = start(Switching.Mode.KEEP, FIRST, SECOND);
        assertThat(read(server, "demand")).isEqualTo("demand 100");
        assertThat(reports).startsWith("reads of demand get demand until demand_v2 has caught up");
        assertThat(send(server.port(), "GET", "/readyz", null).statusCode())
                .as("a version that reads do not get yet")
                .isEqualTo(200);
        assertThat(send(other.port(), "GET", "/readyz", null).statusCode()).isEqualTo(503);

        reach(SECOND, T - MINUTE);
        Await.until("the report", () -> reports.stream().anyMatch(line -> line.contains("60 s behind demand")));
        assertThat(read(server, "demand")).isEqualTo("demand 100");

        reach(SECOND, T);
        Await.until("the switch", () -> read(server, "demand").equals("demand_v2 200"));
        Await.until("the switch", () -> read(other, "demand").equals("demand_v2 200"));
        assertThat(read(server, "demand_v1")).isEqualTo("demand 100");
        assertThat(reports).endsWith("reads of demand get demand_v2 from now on");
        assertThat(store.alias("demand")).hasValue("demand_v2");

        FeatureServer later = start(Switching.Mode.KEEP, FIRST, SECOND);
        assertThat(read(later, "demand")).isEqualTo("demand_v2 200");
        assertThat(read(start(Switching.Mode.KEEP, SECOND), "demand")).isEqualTo("demand_v2 200");
    }

    @Test
    void replace_viewWithoutRows_saysWhatItWaitsFor() throws Exception {
        reach(FIRST, T);
        FeatureServer server = start(Switching.Mode.REPLACE, FIRST, SECOND);
        Await.until(
                "the report",
                () -> reports.contains(
                        "demand_v2 has no rows yet; its first are emitted when its largest window is covered"));
        assertThat(server.port()).isPositive();
    }

    @Test
    void abort_afterASwitch_goesBackAtOnceAndForGood() throws Exception {
        reach(FIRST, T);
        store.setAlias("demand", "demand_v2");
        assertThat(read(start(Switching.Mode.ABORT, FIRST, SECOND), "demand")).isEqualTo("demand 100");
        assertThat(reports).containsExactly("reads of demand get demand again");
        assertThat(read(start(Switching.Mode.KEEP, FIRST), "demand")).isEqualTo("demand 100");
    }

    @Test
    void abort_withoutASwitch_saysThatThereIsNothingToAbort() {
        start(Switching.Mode.ABORT, FIRST, SECOND);
        assertThat(reports).containsExactly("nothing to abort: no name of these views was switched");
        assertThat(store.alias("demand")).isEmpty();
    }

    @Test
    void start_versionThatReadsGetIsNotLoaded_isRefused() {
        store.setAlias("demand", "demand_v2");
        assertThatThrownBy(() -> start(Switching.Mode.KEEP, FIRST))
                .isInstanceOf(VersionConflictException.class)
                .hasMessage("reads of demand get demand_v2, which is not among the views; add demand_v2, or go back to"
                        + " demand with --abort");
        assertThatThrownBy(() -> start(Switching.Mode.ABORT, SECOND))
                .isInstanceOf(VersionConflictException.class)
                .hasMessageContaining("no earlier version is among the views");
    }

    @Test
    void replace_oneVersionOrOneThatLacksAFeature_isRefused() {
        assertThatThrownBy(() -> start(Switching.Mode.REPLACE, FIRST))
                .isInstanceOf(VersionConflictException.class)
                .hasMessageContaining("--replace needs two versions of a view");
        FeatureView fewer = version(2, ServerFixture.view("demand", null, List.of(0), WINDOWS));
        assertThatThrownBy(() -> start(Switching.Mode.REPLACE, FIRST, fewer))
                .isInstanceOf(VersionConflictException.class)
                .hasMessageStartingWith("view demand_v2 cannot replace demand: it has no feature k1_1m");
    }

    @Test
    void put_versionThatIsBehind_needsForce() throws Exception {
        reach(FIRST, T);
        reach(SECOND, T - MINUTE);
        FeatureServer server = start(Switching.Mode.KEEP, FIRST, SECOND);
        int admin = server.adminPort().orElseThrow();
        String body = "{\"author\":\"alice\",\"view\":\"%s\"%s}";
        HttpResponse<String> refused = send(admin, "PUT", "/v1/aliases/demand", body.formatted("demand_v2", ""));
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("demand_v2 is 60 s behind demand");
        HttpResponse<String> forced =
                send(admin, "PUT", "/v1/aliases/demand", body.formatted("demand_v2", ",\"force\":true"));
        assertThat(JSON.readTree(forced.body()))
                .isEqualTo(JSON.readTree("{\"name\":\"demand\",\"view\":\"demand_v2\",\"before\":\"demand\"}"));
        assertThat(read(server, "demand")).isEqualTo("demand_v2 200");
        assertThat(read(admin, "demand")).as("the console shows each version").isEqualTo("demand 100");
        assertThat(JSON.readTree(send(admin, "GET", "/v1/aliases", null).body()))
                .isEqualTo(JSON.readTree("{\"aliases\":[{\"name\":\"demand\",\"view\":\"demand_v2\",\"versions\":"
                        + "[\"demand\",\"demand_v2\"],\"awaits\":null}]}"));
        HttpResponse<String> back = send(admin, "PUT", "/v1/aliases/demand", body.formatted("demand", ""));
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        assertThat(read(server, "demand")).isEqualTo("demand 100");
        HttpResponse<String> unknown = send(admin, "PUT", "/v1/aliases/demand", body.formatted("demand_v3", ""));
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("must be one of [demand, demand_v2], was demand_v3");
    }

    /** The thread that follows other servers has read the store before a switch here, and comes to apply it after. */
    @Test
    void set_whileTheStoreIsPolled_isNotUndone() throws Exception {
        store.setAlias("demand", "demand_v2");
        AtomicReference<Aliases> aliases = new AtomicReference<>();
        Thread switching =
                new Thread(() -> Objects.requireNonNull(aliases.get()).set("demand", "demand", true), "switching");
        AtomicBoolean armed = new AtomicBoolean();
        AtomicInteger polls = new AtomicInteger();
        OnlineStore polled = (OnlineStore) Proxy.newProxyInstance(
                OnlineStore.class.getClassLoader(), new Class<?>[] {OnlineStore.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store, arguments);
                    if (method.getName().equals("alias")) {
                        polls.incrementAndGet();
                        if (armed.compareAndSet(true, false)) {
                            switching.start();
                            Await.until(
                                    "the switch, or that it waits",
                                    () -> !switching.isAlive() || switching.getState() == Thread.State.BLOCKED);
                        }
                    }
                    return answer;
                });
        ServedViews views = new ServedViews(List.of(FIRST, SECOND));
        aliases.set(Aliases.start(views, polled, new Switching(Switching.Mode.KEEP, reports::add)));
        try {
            armed.set(true);
            Await.until("the poll", () -> !armed.get() && switching.getState() == Thread.State.TERMINATED);
            int before = polls.get();
            Await.until("two more polls", () -> polls.get() >= before + 2);

            assertThat(reports).containsExactly("reads of demand get demand from now on");
            assertThat(views.get("demand")).isEqualTo(FIRST);
        } finally {
            aliases.get().close();
        }
    }

    /** Both features of one request come from one version, however often the name is switched meanwhile. */
    @Test
    void read_whileNamesAreSwitched_isAnsweredFromOneVersion() throws Exception {
        reach(FIRST, T);
        reach(SECOND, T);
        FeatureServer server = start(Switching.Mode.KEEP, FIRST, SECOND);
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> switches = CompletableFuture.runAsync(() -> {
            for (int i = 0; !done.get(); i++) {
                String body = "{\"author\":\"alice\",\"view\":\"%s\"}".formatted(i % 2 == 0 ? "demand_v2" : "demand");
                try {
                    send(server.adminPort().orElseThrow(), "PUT", "/v1/aliases/demand", body);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        String body =
                "{\"features\":[\"demand:k0_1m\",\"demand:k0_2m\"],\"entities\":{\"cell\":[\"%x\"],\"product\":[\"%s\"]}}"
                        .formatted(CELL, PRODUCT);
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            JsonNode results = JSON.readTree(send(server.port(), "POST", "/get-online-features", body)
                            .body())
                    .get("results");
            seen.add(results.get(2).get("values").get(0).asText() + " "
                    + results.get(3).get("values").get(0).asText());
        }
        done.set(true);
        switches.join();
        assertThat(seen).containsOnly("100.0 50.5", "200.0 100.5");
    }
}
