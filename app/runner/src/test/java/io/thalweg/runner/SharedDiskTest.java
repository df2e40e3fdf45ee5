package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedDiskTest {
    /** A file system of its own on every Linux machine. */
    private static final Path OTHER = Path.of("/dev/shm");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private DeploymentConfig deployment(String store, String checkpoints) {
        return DeploymentConfig.parse(
                "store: {%s}\ncheckpoints: {dir: \"%s\"}".formatted(store, checkpoints), "t.yaml", Map.of());
    }

    @Test
    void warning_foldersOfOneDisk_namesBothAndTheRemedy() throws IOException {
        Files.createDirectories(folder.resolve("a/store"));
        Files.createDirectory(folder.resolve("b"));
        DeploymentConfig deployment = deployment(
                "path: " + folder.resolve("a/store"), folder.resolve("b").toString());

        assertThat(SharedDisk.warning(deployment))
                .hasValue("the store %s and the checkpoints %s are on one disk: if it fails, both are lost; set"
                                .formatted(folder.resolve("a/store"), folder.resolve("b"))
                        + " checkpoints.dir to another disk or to a bucket");
    }

    @Test
    void warning_apart_isNone() throws IOException {
        assertThat(SharedDisk.warning(deployment("type: redis, uri: \"redis://h\"", folder.toString())))
                .isEmpty();
        assertThat(SharedDisk.warning(deployment("path: " + folder, "s3://bucket/checkpoints")))
                .isEmpty();
        assumeThat(OTHER).isDirectory();
        assumeThat(Files.getFileStore(OTHER)).isNotEqualTo(Files.getFileStore(folder));
        assertThat(SharedDisk.warning(deployment("path: " + folder, OTHER.toString())))
                .isEmpty();
    }
}
