package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.cli.ClusterMetrics;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.live.FlinkApi;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a real cluster whose processes are killed under load, and which is rescaled: its rows, also those in feature logs, are those of
 * an undisturbed job. The processes authenticate each other, as does the server that reads live from them.
 */
@Tag("faults")
class ClusterIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS_PER_SECOND = 25;
    private static final String VIEWS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: cells
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m, 2m, 4m], every: 1m}
            sink: {topic: events-cells, format: json, delivery: exactly_once}
            offline: true
            ---
            apiVersion: thalweg/v1
            kind: FeatureView
            name: keys
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities: [{name: product, field: product_id, type: uuid}]
            measures:
              - {name: riders, count_distinct: rider_id, type: uuid}
              - {sum: lat}
              - {mean: lng}
            windows: {sizes: [1m, 4m], every: 1m}
            sink: {topic: events-keys, format: json, delivery: exactly_once}
            offline: {format: columns}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void kill_ofTaskManagersAndJobManager_andRescaling_leaveTheRowsOfAnUndisturbedRun() throws Exception {
        List<FeatureView> views = Definitions.parse(VIEWS, "views.yaml").views();
        Files.writeString(folder.resolve("views.yaml"), VIEWS);
        Path clusterFolder = Files.createDirectories(folder.resolve("cluster"));
        TestCertificate peer = TestCertificate.create(folder, "peer");
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster = LocalCluster.startWith(clusterFolder, internalTls(peer));
                RiderFeed feed = feed(kafka, seed, startMs);
                TopicTail cells = new TopicTail(kafka.bootstrap(), "events-cells", "read_committed");
                TopicTail keys = new TopicTail(kafka.bootstrap(), "events-keys", "read_committed");
                ThalwegProcess thalweg = new ThalwegProcess(
                        folder,
                        kafka.bootstrap(),
                        "flink: {rest: \"%s\", tls: {certificate: %s, key: %s, ca: %s}}\ncatalogs: {default: {folder: %s}}"
                                .formatted(
                                        cluster.rest(),
                                        peer.certificate(),
                                        peer.key(),
                                        peer.certificate(),
                                        folder.resolve("warehouse")));
                Subprocess server = Launched.start(folder, "serve", "views.yaml", "--config", "thalweg.yaml")) {
            feed.startSending(EVENTS_PER_SECOND);
            Subprocess run = thalweg.start("--parallelism", "1");
            keys.awaitNewEnd(run, PATIENCE, seed);
            assertShown(server);
            assertObserved(cluster);
            cluster.killTaskManager();
            keys.awaitNewEnd(run, PATIENCE, seed);
            refused(thalweg.start());

            Subprocess next = thalweg.start("--parallelism", "2", "--replace");
            keys.awaitNewEnd(next, PATIENCE, seed);
            assertExit(run, 0);
            assertThat(thalweg.begunFrom()).contains("savepoint-");
            for (FeatureView view : views) {
                OpenWindows.await(thalweg, feed, view, false, seed, server::stderr);
            }
            assertRefusedWithoutCertificate(cluster, views.get(1));
            cluster.killTaskManager();
            cells.awaitNewEnd(next, PATIENCE, seed);

            // Rescaled from a checkpoint, too.
            cluster.killJobManager();
            Subprocess last = thalweg.start("--parallelism", "4");
            cells.awaitNewEnd(last, PATIENCE, seed);
            assertThat(thalweg.begunFrom()).containsAnyOf("chk-", "savepoint-");

            feed.stopSending();
            for (FeatureView view : views) {
                OpenWindows.await(thalweg, feed, view, true, seed, server::stderr);
            }
            feed.runOut();
            cells.assertExactly(feed.rows(views.get(0)), PATIENCE, seed);
            keys.assertExactly(feed.rows(views.get(1)), PATIENCE, seed);
            for (FeatureView view : views) {
                LoggedRows.assertExactly(feed, folder, VIEWS, view, seed);
            }

            Subprocess stopped = Launched.start(folder, "stop", "--config", "thalweg.yaml");
            assertExit(stopped, 0);
            assertExit(last, 0);
        }
    }

    private Path internalTls(TestCertificate peer) throws Exception {
        Path store = folder.resolve("peer.p12");
        peer.writeStore(store, "changeit");
        return Files.writeString(folder.resolve("tls.yaml"), """
                security.ssl.internal.enabled: true
                security.ssl.internal.keystore: %1$s
                security.ssl.internal.truststore: %1$s
                security.ssl.internal.keystore-password: changeit
                security.ssl.internal.key-password: changeit
                security.ssl.internal.truststore-password: changeit
                # Without the second compiler, which has the processor's AES, the program's jars would take a minute per start.
                blob.service.ssl.enabled: false
                # Flink's own choice is for RSA keys only, and the test's key is an EC key.
                security.ssl.algorithms: TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
                """.formatted(store));
    }

    /**
     * {@code tune} queries the cluster that thalweg.yaml names; its findings depend on the machine. Dashboards and alerts query
     * existing metrics.
     */
    private void assertObserved(LocalCluster cluster) throws IOException, InterruptedException {
        CommandRun tune =
                CommandRun.of("tune", "test", "--for", "10s", "--quiet", "--config", folder.resolve("thalweg.yaml"));
        assertThat(tune.err()).isEmpty();
        assertThat(tune.exit()).isIn(0, 1);
        assertThat(tune.out())
                .containsPattern("(?s)thalweg test: .*observed for \\d+ s.*\\n.*busiest.*\\n.* [1-9]\\d* %");
        long end = System.nanoTime() + PATIENCE.toNanos();
        FlinkApi flink = new FlinkApi(URI.create(cluster.rest()));
        Set<String> names = ClusterMetrics.of(flink); // gathered after the first request
        while (!names.containsAll(ClusterMetrics.OF_RUN) && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(500);
            names = ClusterMetrics.of(flink);
        }
        assertThat(names).containsAll(ClusterMetrics.OF_RUN);
    }

    /** The console of a server shows the job of its cluster and how its stages are connected. */
    private static void assertShown(Subprocess server) throws IOException, InterruptedException {
        JsonNode answer = JobsPage.of(server, PATIENCE);
        assertThat(answer.path("jobs").path(0).path("name").asText()).isEqualTo("thalweg test");
        List<String> ids = answer.path("jobs").path(0).path("stages").findValuesAsText("id");
        assertThat(answer.path("jobs").path(0).path("stages"))
                .as(answer.toString())
                .anySatisfy(stage -> assertThat(stage.path("inputs"))
                        .isNotEmpty()
                        .allSatisfy(input -> assertThat(ids).contains(input.asText())));
    }

    /** The tasks of the cluster answer only authenticated peers. */
    private void assertRefusedWithoutCertificate(LocalCluster cluster, FeatureView view) throws Exception {
        int port = FreePorts.next();
        Files.writeString(folder.resolve("stranger.yaml"), """
                deployment: test
                store: {path: stranger}
                server: {port: %d}
                flink: {rest: "%s"}
                """.formatted(port, cluster.rest()));
        try (Subprocess stranger = Launched.start(folder, "serve", "views.yaml", "--config", "stranger.yaml")) {
            stranger.awaitLine("serving http", PATIENCE);
            HttpRequest read = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:%d/v1/views/%s:read".formatted(port, view.qualifiedName())))
                    .header("content-type", "application/json")
                    .POST(
                            HttpRequest.BodyPublishers.ofString(
                                    "{\"read_from\": \"LIVE\", \"entities\": [{\"product\": \"00000000-0000-0000-0000-000000000001\"}]}"))
                    .build();
            HttpResponse<String> answer = HttpOne.client().send(read, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            assertThat(answer.body()).contains("flink.tls");
        }
    }

    private static RiderFeed feed(EmbeddedKafka kafka, long seed, long startMs) {
        for (String topic : List.of("events", "events-cells", "events-keys", "events-dead")) {
            kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
        }
        return new RiderFeed(kafka.bootstrap(), "events", seed, startMs);
    }

    /** A second job of the same deployment would write the same transactions. */
    private static void refused(Subprocess run) {
        assertThat(run.awaitExit(PATIENCE)).isEqualTo(1);
        assertThat(String.join("\n", run.stderr())).contains("already runs", "--replace", "thalweg stop");
    }

    private static void assertExit(Subprocess process, int code) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isEqualTo(code);
    }
}
