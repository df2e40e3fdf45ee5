package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg test} under the condition {@code cluster}. */
class TestOnClusterIT {
    private static final Path EXAMPLES = Checkout.file("examples");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** A keyed view with a lookup in a file, a view with rings, and an ingest. */
    @BeforeEach
    void copyTheExamples() throws IOException {
        Path tests = Files.createDirectories(folder.resolve("tests"));
        for (String file :
                List.of("campaign_views.yaml", "ads.csv", "demand.yaml", "ride_events.yaml", "rides.thrift")) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        for (String file : List.of("delivery.yaml", "demand.yaml", "ride_events.yaml")) {
            String test = Files.readString(EXAMPLES.resolve("tests").resolve(file));
            Files.writeString(tests.resolve(file), test.replaceFirst("(?m)^under: .*$", "under: [cluster]"));
        }
    }

    private Subprocess test(Path of, String flink) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), flink);
        return Launched.start(folder, "test", of, "--config", "thalweg.yaml");
    }

    private static String output(Subprocess process) {
        return String.join("\n", process.stdout()) + "\n" + String.join("\n", process.stderr());
    }

    @Tag("soak")
    @Test
    void test_viewsAndAnIngest_makeTheSameRowsOnACluster() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(Files.createDirectories(folder.resolve("cluster")));
                Subprocess run = test(folder.resolve("tests"), "flink: {rest: \"" + cluster.rest() + "\"}\n")) {
            assertThat(run.awaitExit(PATIENCE)).as(() -> output(run)).isZero();
            assertThat(output(run))
                    .contains("ok     campaign_views_are_delivered (view campaign_views), also under cluster")
                    .contains("(view demand), also under cluster")
                    .contains("(ingest ride_events), also under cluster")
                    .contains("3 tests, 3 passed, 0 failed");
            assertThat(cluster.finishedJobs()).isEqualTo(3);
        }
    }

    @Tag("faults")
    @Test
    void test_clusterThatIsAway_fails() throws IOException {
        String away = "http://127.0.0.1:" + FreePorts.next();
        try (Subprocess run = test(folder.resolve("tests/delivery.yaml"), "flink: {rest: \"" + away + "\"}\n")) {
            assertThat(run.awaitExit(PATIENCE)).as(() -> output(run)).isEqualTo(1);
            assertThat(output(run)).contains("under cluster: the Flink cluster at " + away + " does not answer");
        }
    }

    @Tag("faults")
    @Test
    void test_withoutACluster_isRefusedBeforeAnythingRuns() throws IOException {
        try (Subprocess run = test(folder.resolve("tests"), "deployment: test\n")) {
            assertThat(run.awaitExit(PATIENCE)).as(() -> output(run)).isEqualTo(2);
            assertThat(output(run))
                    .contains(
                            "test campaign_views_are_delivered has the condition cluster, but thalweg.yaml has no flink")
                    .doesNotContain("ok     ");
        }
    }
}
