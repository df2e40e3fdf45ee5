package io.thalweg.model.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void now_filesChange_isTheirNewContents() throws IOException {
        Path user = Files.writeString(folder.resolve("user"), "ann");
        Path password = Files.writeString(folder.resolve("password"), "one\n");
        DeploymentConfig.Redis store = (DeploymentConfig.Redis) DeploymentConfig.parse(
                        "store: {type: redis, uri: \"redis://${file:%s}:${file:%s}-${X}@r/1\"}"
                                .formatted(user, password),
                        "t.yaml",
                        Map.of("X", "x"))
                .store();
        Secret current = Objects.requireNonNull(store.server().current());
        assertThat(current.now()).isEqualTo("redis://ann:one-x@r/1").isEqualTo(current.text());

        Files.writeString(password, "two\r\n");
        assertThat(current.now()).isEqualTo("redis://ann:two-x@r/1");
        assertThat(current.text()).isEqualTo("redis://ann:one-x@r/1");
        assertThat(current).hasToString("***");
        assertThat(store.toString()).doesNotContain("one", "ann");

        Files.delete(user);
        assertThat(current.now()).as("as on a machine without the file").isEqualTo("redis://ann:one-x@r/1");
    }

    @Test
    void now_passwordOfCassandraOrTheSentinels_isThatOfItsFile() throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "one");
        DeploymentConfig.Cassandra cassandra = (DeploymentConfig.Cassandra) DeploymentConfig.parse(
                        "store: {type: cassandra, contact_points: [c], keyspace: k, user: u, password: \"${file:%s}\"}"
                                .formatted(password),
                        "t.yaml",
                        Map.of())
                .store();
        DeploymentConfig.Redis redis = (DeploymentConfig.Redis) DeploymentConfig.parse(
                        "store: {type: redis, uri: \"redis-sentinel://s#m\", sentinel: {password: \"${file:%s}\"}}"
                                .formatted(password),
                        "t.yaml",
                        Map.of())
                .store();
        assertThat(redis.server().current()).as("no file is in its address").isNull();
        Files.writeString(password, "two");
        assertThat(Objects.requireNonNull(cassandra.password()).now()).isEqualTo("two");
        assertThat(Objects.requireNonNull(redis.server().sentinel()).password().now())
                .isEqualTo("two");
    }

    @Test
    void of_noFile_isTheText() {
        assertThat(Secret.of("s3cret").now()).isEqualTo("s3cret");
        assertThatThrownBy(() -> new Secret("a", List.of("a"), List.of("file")))
                .hasMessageContaining("were 1 parts and 1 files");
    }
}
