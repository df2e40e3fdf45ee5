package io.thalweg.server.console;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.live.inspect.Diagnosis;
import io.thalweg.live.inspect.Finding;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.model.row.Progress;
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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleConsumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The routes that the pages of views and jobs read, over real HTTP. */
class ConsolePagesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long DEADLINE_NANOS = Await.PATIENCE.toNanos();
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T + 1_000));
    private final HttpClient http = HttpOne.client();
    private final FakeJob job = new FakeJob();
    private final FakeLetters letters = new FakeLetters(view -> "the job of " + view.qualifiedName());
    private final Metrics metrics = new Metrics();
    private OnlineStore store;
    private FeatureServer server;

    @BeforeEach
    void start() {
        store = RocksDbOnlineStore.open(folder.resolve("store"), clock);
        server = start(letters);
    }

    private FeatureServer start(ViewInsight insight) {
        return FeatureServer.start(
                ServerConfig.loopback(0)
                        .withAdminPort(0)
                        .withQalm(new ServerConfig.Qalm(Mode.SHADOW, null, folder.resolve("state"))),
                List.of(DEMAND),
                store,
                null,
                clock,
                job,
                metrics,
                insight);
    }

    @AfterEach
    void stop() {
        // The server waits a second for its connections; a test does not need to.
        var unused = CompletableFuture.runAsync(server::stop);
        store.close();
    }

    private HttpResponse<String> answer(String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.adminPort().orElseThrow() + path);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = answer(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    /** Polls until the job is in the wanted state: states are read once a second. */
    private JsonNode await(Predicate<JsonNode> wanted) throws Exception {
        long begun = System.nanoTime();
        while (true) {
            JsonNode jobs = get("/v1/console/jobs");
            if (wanted.test(jobs)) {
                return jobs.path("jobs").path(0);
            }
            assertThat(System.nanoTime() - begun).as(jobs.toString()).isLessThan(DEADLINE_NANOS);
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean isObserved(JsonNode jobs) {
        return jobs.path("jobs").path(0).path("observed_seconds").isNumber();
    }

    @Test
    void jobs_heldUp_haveTheFindingsOfTheDiagnosis() throws Exception {
        job.busy = 0.97;
        JsonNode first = get("/v1/console/jobs").path("jobs").path(0);
        assertThat(first.path("healthy").isNull()).as("one look shows nothing").isTrue();
        JsonNode found = await(ConsolePagesTest::isObserved);

        FakeJob twin = new FakeJob();
        twin.busy = 0.97;
        List<Finding> findings =
                Diagnosis.of(new JobSpan(List.of(twin.jobs().get(0), twin.jobs().get(0))));
        assertThat(findings).hasSize(1);
        assertThat(found.path("healthy").asBoolean()).isFalse();
        assertThat(found.path("slowest").asText()).isEqualTo(job.stage);
        assertThat(found.path("findings")).hasSize(1);
        JsonNode finding = found.path("findings").path(0);
        assertThat(finding.path("evidence").asText()).isEqualTo(findings.get(0).evidence());
        assertThat(finding.path("change").asText()).isEqualTo(findings.get(0).change());
        assertThat(finding.path("effect").asText()).isEqualTo(findings.get(0).effect());
        assertThat(finding.path("domain").asText()).isEqualTo("partitioning");
        assertThat(finding.path("area").asText()).isEqualTo("cpu");
    }

    @Test
    void jobs_healthy_haveFiguresByStageAndSubtask() throws Exception {
        JsonNode found = await(ConsolePagesTest::isObserved);
        assertThat(found.path("healthy").asBoolean()).isTrue();
        assertThat(found.path("findings")).isEmpty();
        JsonNode subtask = found.path("stages").path(1).path("subtasks").path(0);
        assertThat(subtask.path("busy").asDouble()).isEqualTo(0.4);
        assertThat(subtask.path("in_per_second").asDouble()).isEqualTo(200);
        JsonNode reader = found.path("stages").path(0);
        assertThat(reader.path("is_reader").asBoolean()).isTrue();
        assertThat(reader.path("inputs")).isEmpty();
        assertThat(found.path("stages").path(1).path("inputs").path(0)).isEqualTo(reader.path("id"));
        assertThat(reader.path("label").asText()).isEqualTo("events → route");
        assertThat(reader.path("subtasks").path(1).path("back_pressured").asDouble())
                .isEqualTo(0.1);
        JsonNode checkpoints = found.path("checkpoints");
        assertThat(checkpoints.path("last"))
                .isEqualTo(JSON.readTree("{\"age_ms\":4000,\"duration_ms\":120,\"bytes\":3200000}"));
        assertThat(checkpoints.path("last_failure").path("cause").asText()).isEqualTo("the store is away");
    }

    @Test
    void jobs_restart_isFoundAndStagesAreMeasuredFromThen() throws Exception {
        await(ConsolePagesTest::isObserved);
        job.restarts = 2;
        job.trouble = "3 restarts within 5 minutes: the store is away";
        JsonNode found =
                await(jobs -> jobs.path("jobs").path(0).path("restarts").asInt() == 2);
        assertThat(found.path("findings").path(0).path("evidence").asText()).startsWith("the job restarted 2 times");
        assertThat(found.path("stages")
                        .path(0)
                        .path("subtasks")
                        .path(0)
                        .path("busy")
                        .isNull())
                .isTrue();
        assertThat(get("/v1/console/jobs").path("trouble").asText()).isEqualTo(job.trouble);
    }

    @Test
    void jobs_noneOrNoAnswer_saysSo() throws Exception {
        job.answers = false;
        HttpResponse<String> away = answer("/v1/console/jobs");
        assertThat(away.statusCode()).isEqualTo(503);
        assertThat(away.body()).contains("the job does not answer: Flink's REST endpoint is not up");
        job.answers = true;
        job.runs = false;
        assertThat(get("/v1/console/jobs").path("jobs")).isEmpty();
    }

    @Test
    void views_withoutRows_areNotReadyAndHaveWhatIsCounted() throws Exception {
        metrics.counter("thalweg_rows_total", "Rows.", Metrics.labels("view", "demand"), () -> 17);
        metrics.counter("thalweg_rows_total", "Rows.", Metrics.labels("view", "another"), () -> 4);
        JsonNode views = get("/v1/console/views");
        assertThat(views.path("port").asInt()).isEqualTo(server.port());
        assertThat(views.path("live").asBoolean()).isFalse();
        JsonNode view = views.path("views").path(0);
        assertThat(view.path("name").asText()).isEqualTo("demand");
        assertThat(view.path("ready").asBoolean()).isFalse();
        assertThat(view.path("reason").asText()).isEqualTo("no window end has been written yet");
        assertThat(view.has("watermark")).isFalse();
        assertThat(view.path("topics")).containsExactly(JSON.readTree("\"events\""));
        assertThat(view.path("series"))
                .contains(JSON.readTree("{\"name\":\"thalweg_rows_total\",\"labels\":{},\"value\":17.0}"))
                .noneMatch(series -> series.path("value").asInt() == 4)
                .noneMatch(series -> series.has("counts"));
    }

    @Test
    void state_view_hasItsDistributionsAndWatermark() throws Exception {
        store.write(DEMAND, List.of(ServerFixture.block(DEMAND, T, CELL, new long[] {7, 8, 9, 10})));
        store.writeProgress(new Progress("demand", 0, 1, T));
        DoubleConsumer freshness =
                metrics.histogram("thalweg_freshness_seconds", "Freshness.", Metrics.labels("view", "demand"), 0.1, 1);
        freshness.accept(0.05);
        freshness.accept(0.5);
        freshness.accept(0.5);
        freshness.accept(3);
        JsonNode view = get("/v1/console/views/demand/state");
        assertThat(view.path("skew").path("causes").path("stale").asLong()).isEqualTo(1);
        assertThat(view.path("ready").asBoolean()).isTrue();
        assertThat(view.path("watermark").asText())
                .isEqualTo(Instant.ofEpochMilli(T).toString());
        assertThat(view.path("watermark_age_ms").asLong()).isEqualTo(1_000);
        assertThat(view.path("series"))
                .contains(JSON.readTree("{\"name\":\"thalweg_freshness_seconds\",\"labels\":{},\"sum\":4.05,"
                        + "\"bounds\":[0.1,1.0],\"counts\":[1,2,1]}"));
        assertThat(answer("/v1/console/views/nothing/state").statusCode()).isEqualTo(404);
    }

    @Test
    void definition_view_hasItsFingerprintAndFeatures() throws Exception {
        JsonNode definition = get("/v1/console/views/demand/definition");
        assertThat(definition.path("explained").asText()).isEqualTo("the job of demand");
        assertThat(definition.path("version").asInt()).isEqualTo(1);
        assertThat(definition.path("fingerprint").path(0).asText()).isEqualTo("fingerprint=1");
        assertThat(definition.path("features")).hasSize(4);
        assertThat(definition.path("features").path(0).path("name").asText()).isEqualTo("k0_1m");
    }

    @Test
    void pages_ofAServer_areAllButLettersThatAreNotShown() throws Exception {
        assertThat(get("/v1/console/pages").path("pages").toString())
                .isEqualTo("[\"map\",\"views\",\"keys\",\"jobs\",\"letters\",\"load\"]");
        server.stop();
        server = start(ViewInsight.NONE);
        assertThat(get("/v1/console/pages").path("pages").toString())
                .isEqualTo("[\"map\",\"views\",\"keys\",\"jobs\",\"load\"]");
    }

    @Test
    void pages_ofAServer_haveTheClockAndTheLabels() throws Exception {
        server.stop();
        server = FeatureServer.start(
                ServerConfig.loopback(0)
                        .withAdminPort(0)
                        .withConsole(new ConsoleConfig(null, Map.of("product", Map.of("1", "Pool")), "city time"))
                        .withQalm(new ServerConfig.Qalm(Mode.SHADOW, null, folder.resolve("state"))),
                List.of(DEMAND),
                store,
                null,
                clock,
                metrics);

        JsonNode pages = get("/v1/console/pages");

        assertThat(pages.path("clock").asText()).isEqualTo("city time");
        assertThat(pages.path("labels").toString()).isEqualTo("{\"product\":{\"1\":\"Pool\"}}");
    }

    @Test
    void jobs_ofAServer_haveTheSeriesOfItsViews() throws Exception {
        metrics.counter("thalweg_rows_total", "Rows.", Metrics.labels("view", "demand"), () -> 7);
        JsonNode views = get("/v1/console/jobs").path("views");
        assertThat(views).hasSize(1);
        assertThat(views.path(0).path("name").asText()).isEqualTo("demand");
        assertThat(views.path(0).path("series"))
                .contains(JSON.readTree("{\"name\":\"thalweg_rows_total\",\"labels\":{},\"value\":7.0}"));
    }

    @Test
    void footprint_ofRates_isEstimatedAndNeedsBoth() throws Exception {
        JsonNode footprint = get("/v1/console/views/demand/footprint?events_per_second=100&rows_per_second=2.5");
        assertThat(footprint.path("state_bytes").asLong()).isEqualTo(4_800);
        assertThat(footprint.path("store_bytes").asLong()).isEqualTo(250);
        assertRefused(
                "/v1/console/views/demand/footprint?rows_per_second=2",
                400,
                "events_per_second: must be a number above 0 and below 1e12, is absent");
        for (String bad : List.of("0", "-1", "1e12", "NaN", "x")) {
            assertRefused(
                    "/v1/console/views/demand/footprint?events_per_second=1&rows_per_second=" + bad, 400, "was " + bad);
        }
        server.stop();
        server = start(ViewInsight.NONE);
        assertThat(get("/v1/console/views/demand/footprint?events_per_second=1&rows_per_second=1")
                        .path("state_bytes")
                        .isNull())
                .isTrue();
    }

    @Test
    void letters_ofAView_areCutAndHaveTheirPlaces() throws Exception {
        JsonNode answer = get("/v1/console/views/demand/letters");
        assertThat(answer.path("topic").asText()).isEqualTo(DEMAND.deadLetterTopic());
        JsonNode all = answer.path("letters");
        assertThat(all.findValuesAsText("reason")).containsExactly("late", "undecodable", "undecodable");
        assertThat(all.path(0).path("at").asText())
                .isEqualTo(Instant.ofEpochMilli(T + 7).toString());
        assertThat(all.path(1).path("raw").asText()).isEqualTo(FakeLetters.HOSTILE);
        assertThat(all.path(1).path("cut").asBoolean()).isFalse();
        assertThat(all.path(1).path("source_offset").asLong()).isEqualTo(1_005);
        assertThat(all.path(2).path("raw").asText()).hasSize(4_096);
        assertThat(all.path(2).path("cut").asBoolean()).isTrue();

        assertThat(get("/v1/console/views/demand/letters?reason=late&limit=200").path("letters"))
                .hasSize(1);
        assertThat(get("/v1/console/views/demand/letters?limit=2").path("letters"))
                .hasSize(2);
        assertRefused("/v1/console/views/demand/letters?limit=201", 400, "limit: must be a whole number from 1 to 200");
        assertRefused("/v1/console/views/other/letters", 404, "view 'other' is not served");
        letters.answers = false;
        assertRefused("/v1/console/views/demand/letters", 503, "dead letters cannot be read: topic rider-events-dead");
    }

    @Test
    void verdict_ofALetter_isWhatTheViewMakesOfItNow() throws Exception {
        JsonNode good = get("/v1/console/views/demand/letters/1/7/verdict");
        assertThat(good.path("outcome").asText()).isEqualTo("accepted");
        assertThat(good.path("reason").isNull()).isTrue();
        assertThat(get("/v1/console/views/demand/letters/1/5/verdict")
                        .path("detail")
                        .asText())
                .isEqualTo(FakeLetters.HOSTILE);
        assertRefused("/v1/console/views/demand/letters/2/7/verdict", 404, "no dead letter at partition 2, offset 7");
        assertRefused("/v1/console/views/demand/letters/1/x/verdict", 400, "both whole numbers");
    }

    @Test
    void letters_thatAreNotToBeShown_areNotThere() throws Exception {
        server.stop();
        server = start(ViewInsight.NONE);
        assertRefused("/v1/console/views/demand/letters", 404, "see server.dead_letters in thalweg.yaml");
        assertRefused("/v1/console/views/demand/letters/1/7/verdict", 404, "see server.dead_letters in thalweg.yaml");
    }

    private void assertRefused(String path, int status, String message) throws Exception {
        HttpResponse<String> answer = answer(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(message);
    }
}
