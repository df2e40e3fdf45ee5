package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cluster.sh} refuses what it cannot start, before it downloads anything. */
class ClusterScriptTest {
    private static final Path SCRIPT = Checkout.file("deploy/local-cluster/cluster.sh");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private void assertRefused(String storage, String key, String message) {
        assertRefused("FLINK_HA_STORAGE", storage, key, message, "start", "--ha");
    }

    private void assertRefused(String variable, String value, String key, String message, String... arguments) {
        Map<String, String> environment = Map.of(
                "FLINK_DIR", folder.toString(), variable, value, "AWS_ACCESS_KEY_ID", key, "AWS_SECRET_ACCESS_KEY", "");
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(arguments));
        try (Subprocess script = Subprocess.start(folder, environment, command)) {
            assertThat(script.awaitExit(Await.PATIENCE)).isEqualTo(2);
            assertThat(script.stderr()).containsExactly("cluster: " + message);
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void start_storageInS3WithoutCredentials_namesTheVariable() {
        assertRefused(
                "s3://flink/ha",
                "",
                "FLINK_HA_STORAGE is 's3://flink/ha', which needs AWS_ACCESS_KEY_ID in the environment");
        assertRefused(
                "s3://flink/ha",
                "thalweg",
                "FLINK_HA_STORAGE is 's3://flink/ha', which needs AWS_SECRET_ACCESS_KEY in the environment");
    }

    @Test
    void start_withS3ForCheckpoints_needsCredentials() {
        assertRefused(
                "FLINK_S3",
                "true",
                "",
                "FLINK_S3 is 'true', which needs AWS_ACCESS_KEY_ID in the environment",
                "start");
        assertRefused("FLINK_S3", "yes", "thalweg", "FLINK_S3 must be true or empty, was 'yes'", "start");
    }

    @Test
    void start_storageThatIsNoPlace_namesTheFormsThatAre() {
        for (String storage : List.of("/ha", "s3://flink", "gs://flink/ha")) {
            assertRefused(
                    storage,
                    "thalweg",
                    "FLINK_HA_STORAGE must look like file:///FOLDER or s3://BUCKET/FOLDER, was '%s'"
                            .formatted(storage));
        }
    }
}
