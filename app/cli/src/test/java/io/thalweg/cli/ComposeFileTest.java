package io.thalweg.cli;

import static io.thalweg.cli.DeployYaml.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code deploy/compose}: closed to other machines, complete, and built from things that exist. */
@SuppressWarnings("NullAway.Init")
class ComposeFileTest {
    private static final Path FOLDER = DeployYaml.DEPLOY.resolve("compose");
    /** Services that run once. */
    private static final List<String> TASKS = List.of("topics");

    private static JsonNode compose;
    private static Iterable<Map.Entry<String, JsonNode>> services;

    @BeforeAll
    static void read() throws IOException {
        compose = DeployYaml.document(FOLDER.resolve("compose.yaml"));
        services = compose.get("services").properties();
    }

    private static JsonNode merged(JsonNode service, String key) {
        return service.has(key) ? service.get(key) : service.path("<<").path(key);
    }

    @Test
    void services_each_isPinnedAndClosedToOtherMachines() {
        assertThat(compose.get("services")).hasSize(7);
        for (Map.Entry<String, JsonNode> each : services) {
            String name = each.getKey();
            JsonNode service = each.getValue();
            DeployYaml.requirePinned(merged(service, "image").asText());
            assertThat(texts(service.path("ports")))
                    .as(name)
                    .allMatch(port -> port.matches("127\\.0\\.0\\.1:\\d+:\\d+"));
            assertThat(merged(service, "network_mode").isMissingNode()).as(name).isTrue();
            assertThat(merged(service, "privileged").isMissingNode()).as(name).isTrue();
            if (!TASKS.contains(name)) {
                assertThat(merged(service, "healthcheck").path("test")).as(name).isNotEmpty();
            }
        }
    }

    @Test
    void services_ofThalweg_haveNoRightsAndRunCommandsThatThereAre() {
        for (String name : List.of("job", "server")) {
            JsonNode service = compose.at("/services/" + name);
            assertThat(merged(service, "read_only").asBoolean()).isTrue();
            assertThat(merged(service, "user").asText()).isEqualTo("10001:10001");
            assertThat(texts(merged(service, "cap_drop"))).containsExactly("ALL");
            assertThat(texts(merged(service, "security_opt"))).containsExactly("no-new-privileges:true");
            DeployYaml.requireCommand(texts(service.get("command")));
        }
    }

    @Test
    void mounts_each_isAFileOrAVolumeThatThereIs() {
        List<String> files = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : services) {
            for (String mount : texts(each.getValue().path("volumes"))) {
                String source = mount.split(":", 2)[0];
                if (source.startsWith(".")) {
                    assertThat(FOLDER.resolve(source)).as(mount).exists();
                    assertThat(mount).endsWith(":ro");
                    files.add(source);
                } else {
                    assertThat(compose.get("volumes").has(source)).as(mount).isTrue();
                }
            }
        }
        assertThat(files).contains("./thalweg.yaml", "./prometheus.yaml", "../grafana");
    }

    @Test
    void store_andCheckpoints_areInVolumesOfTheirOwn() {
        DeploymentConfig config = DeploymentConfig.load(FOLDER.resolve("thalweg.yaml"), Map.of());
        assertThat(config.store()).isInstanceOf(DeploymentConfig.Redis.class);
        assertThat(Path.of("/var/lib/thalweg").resolve(config.checkpoints().dir()))
                .isEqualTo(Path.of("/var/lib/thalweg/checkpoints"));
        assertThat(texts(compose.at("/services/job/volumes"))).contains("job:/var/lib/thalweg");
        assertThat(texts(compose.at("/services/redis/volumes"))).containsExactly("redis:/data");
    }

    @Test
    void dependencies_andTargets_areServices() throws IOException {
        for (Map.Entry<String, JsonNode> each : services) {
            each.getValue()
                    .path("depends_on")
                    .fieldNames()
                    .forEachRemaining(
                            other -> assertThat(compose.get("services").has(other))
                                    .as(other)
                                    .isTrue());
        }
        JsonNode prometheus = DeployYaml.document(FOLDER.resolve("prometheus.yaml"));
        List<String> targets = texts(prometheus.at("/scrape_configs/0/static_configs/0/targets"));
        assertThat(targets).containsExactly("job:8080", "server:8080");
    }

    @Test
    void configuration_isValidAndNamesTheServices() {
        DeploymentConfig config = DeploymentConfig.load(FOLDER.resolve("thalweg.yaml"), Map.of());
        assertThat(config.server().port()).isEqualTo(8080);
        assertThat(config.kafka().values())
                .extracting(DeploymentConfig.Kafka::bootstrap)
                .containsExactly("kafka:9092");
        assertThat(((DeploymentConfig.Redis) config.store()).name()).contains("redis:6379");
    }
}
