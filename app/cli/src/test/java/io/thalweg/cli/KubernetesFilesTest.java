package io.thalweg.cli;

import static io.thalweg.cli.DeployYaml.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code deploy/kubernetes}: pods without rights, behind policies, with commands and configurations that are valid. */
@SuppressWarnings("NullAway.Init")
class KubernetesFilesTest {
    private static final Path FOLDER = DeployYaml.KUBERNETES;
    private static final Map<String, String> SECRETS = Map.of("KAFKA_PASSWORD", "a", "REDIS_PASSWORD", "b");

    private static List<JsonNode> objects;

    @BeforeAll
    static void read() throws IOException {
        objects = DeployYaml.kubernetesObjects();
    }

    private static List<JsonNode> kind(String kind) {
        return objects.stream()
                .filter(object -> object.get("kind").asText().equals(kind))
                .toList();
    }

    /** The templates of pods of Thalweg's image. */
    private static List<JsonNode> pods() {
        return Stream.of(
                        kind("Deployment").stream().map(object -> object.at("/spec/template")),
                        kind("Job").stream().map(object -> object.at("/spec/template")),
                        kind("CronJob").stream().map(object -> object.at("/spec/jobTemplate/spec/template")))
                .flatMap(templates -> templates)
                .toList();
    }

    @Test
    void pods_each_haveNoRights() {
        assertThat(pods()).hasSize(4);
        for (JsonNode pod : pods()) {
            JsonNode spec = pod.get("spec");
            assertThat(spec.get("automountServiceAccountToken").asBoolean()).isFalse();
            assertThat(spec.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
            assertThat(spec.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
            List<JsonNode> containers = new ArrayList<>();
            spec.path("initContainers").forEach(containers::add);
            spec.get("containers").forEach(containers::add);
            for (JsonNode container : containers) {
                assertThat(container
                                .at("/securityContext/readOnlyRootFilesystem")
                                .asBoolean())
                        .isTrue();
                assertThat(container
                                .at("/securityContext/allowPrivilegeEscalation")
                                .asBoolean(true))
                        .isFalse();
                assertThat(texts(container.at("/securityContext/capabilities/drop")))
                        .containsExactly("ALL");
                assertThat(container.at("/resources/limits/memory").asText()).endsWith("Gi");
                DeployYaml.requirePinned(container.get("image").asText());
                if (container.get("image").asText().equals("thalweg")) {
                    DeployYaml.requireCommand(texts(container.get("args")));
                }
            }
        }
    }

    @Test
    void pods_each_mountVolumesThatTheyHaveAndTakeSecretsFromSecrets() {
        for (JsonNode pod : pods()) {
            Set<String> volumes = new HashSet<>();
            pod.at("/spec/volumes")
                    .forEach(volume -> volumes.add(volume.get("name").asText()));
            for (JsonNode container : pod.at("/spec/containers")) {
                Set<String> mounted = new HashSet<>();
                container
                        .get("volumeMounts")
                        .forEach(mount -> mounted.add(mount.get("name").asText()));
                assertThat(mounted).isEqualTo(volumes);
                assertThat(container.at("/envFrom/0/secretRef/name").asText()).isEqualTo("thalweg-env");
                container
                        .path("env")
                        .forEach(variable -> assertThat(variable.get("name").asText())
                                .isIn("THALWEG_JAVA_OPTS", "FLINK_PLUGINS_DIR"));
            }
        }
    }

    @Test
    void policies_cover_allPods() {
        List<String> covered = kind("NetworkPolicy").stream()
                .filter(policy -> texts(policy.at("/spec/policyTypes")).contains("Ingress"))
                .map(policy -> policy.at("/spec/podSelector/matchLabels")
                        .properties()
                        .iterator()
                        .next()
                        .getValue()
                        .asText())
                .toList();
        for (JsonNode pod : pods()) {
            assertThat(covered)
                    .contains(pod.at("/metadata/labels/app.kubernetes.io~1name").asText());
        }
        assertThat(covered)
                .contains(kind("FlinkDeployment").get(0).at("/metadata/name").asText());
    }

    @Test
    void server_isFoundByItsServiceAndProbed() throws IOException {
        JsonNode deployment = kind("Deployment").get(0);
        JsonNode labels = deployment.at("/spec/template/metadata/labels");
        assertThat(deployment.at("/spec/selector/matchLabels")).isEqualTo(labels);
        assertThat(kind("Service").get(0).at("/spec/selector")).isEqualTo(labels);
        assertThat(kind("PodDisruptionBudget").get(0).at("/spec/selector/matchLabels"))
                .isEqualTo(labels);

        JsonNode container = deployment.at("/spec/template/spec/containers/0");
        DeploymentConfig config = DeploymentConfig.load(FOLDER.resolve("base/thalweg.yaml"), SECRETS);
        assertThat(container.at("/ports/0/containerPort").asInt())
                .isEqualTo(config.server().port());
        assertThat(container.at("/ports/1/containerPort").asInt())
                .isEqualTo(config.server().adminPort());
        assertThat(config.server().access().isProtected()).isTrue();
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(container.at("/" + probe + "/httpGet/path").asText()).isEqualTo("/livez");
            assertThat(container.at("/" + probe + "/httpGet/scheme").asText()).isEqualTo("HTTPS");
        }
    }

    @Test
    void configurations_andDefinitions_areValid() throws IOException {
        DeploymentConfig base = DeploymentConfig.load(FOLDER.resolve("base/thalweg.yaml"), SECRETS);
        DeploymentConfig flink = DeploymentConfig.load(FOLDER.resolve("flink/thalweg.yaml"), SECRETS);
        assertThat(flink.deployment()).isEqualTo(base.deployment());
        assertThat(flink.kafka()).isEqualTo(base.kafka());
        assertThat(flink.store()).isEqualTo(base.store());
        assertThat(flink.flink()).isNotNull();
        assertThat(definitions("views").views()).isNotEmpty();
        assertThat(definitions("materializations").materializations()).isNotEmpty();
    }

    private static Definitions.Loaded definitions(String folder) throws IOException {
        try (Stream<Path> files = Files.list(FOLDER.resolve("base").resolve(folder))) {
            return Definitions.load(files.toList());
        }
    }

    @Test
    void cluster_survivesItsJobManager() {
        JsonNode cluster = kind("FlinkDeployment").get(0);
        JsonNode configuration = cluster.at("/spec/flinkConfiguration");
        DeployYaml.requirePinned(cluster.at("/spec/image").asText());
        assertThat(configuration.get("high-availability.type").asText()).isEqualTo("kubernetes");
        assertThat(configuration.get("high-availability.storageDir").asText()).startsWith("s3://");
    }

    /** Prometheus scrapes the port that the network policy opens for it. */
    @Test
    void cluster_reportsMetricsToPrometheus() {
        JsonNode cluster = kind("FlinkDeployment").get(0);
        JsonNode configuration = cluster.at("/spec/flinkConfiguration");
        assertThat(configuration.get("metrics.reporter.prom.factory.class").asText())
                .isEqualTo("org.apache.flink.metrics.prometheus.PrometheusReporterFactory");
        JsonNode port = cluster.at("/spec/podTemplate/spec/containers/0/ports/0");
        assertThat(configuration.get("metrics.reporter.prom.port").asInt())
                .isEqualTo(port.get("containerPort").asInt());
        JsonNode policy = kind("NetworkPolicy").stream()
                .filter(each -> each.at("/metadata/name").equals(cluster.at("/metadata/name")))
                .findFirst()
                .orElseThrow();
        JsonNode rule = policy.at("/spec/ingress")
                .valueStream()
                .filter(each ->
                        each.findValuesAsText("port").contains(port.get("name").asText()))
                .findFirst()
                .orElseThrow();
        assertThat(rule.get("ports")).hasSize(1);
        assertThat(rule.get("from"))
                .isNotEmpty()
                .allSatisfy(from ->
                        assertThat(from.findValuesAsText("thalweg.io/scrapes")).containsExactly("true"));
    }

    /** The definition of the operator in {@link KubernetesSchemas} may be older than this version of Flink. */
    @Test
    void cluster_hasTheFlinkOfTheBuild() {
        String flink = EnvironmentInformation.getVersion();
        JsonNode cluster = kind("FlinkDeployment").get(0);
        assertThat(cluster.at("/spec/image").asText()).contains("/flink:" + flink + "-");
        assertThat(cluster.at("/spec/flinkVersion").asText())
                .isEqualTo("v" + flink.replaceFirst("\\.\\d+$", "").replace('.', '_'));
    }

    /** The store is Redis, so it shares no disk with the checkpoints. */
    @Test
    void checkpoints_areInABucketThatTheClusterAndThePodsThatSubmitReach() {
        DeploymentConfig config = DeploymentConfig.load(FOLDER.resolve("flink/thalweg.yaml"), SECRETS);
        assertThat(config.store()).isInstanceOf(DeploymentConfig.Redis.class);
        assertThat(config.checkpoints().dir()).startsWith("s3://");
        JsonNode cluster = kind("FlinkDeployment").get(0).get("spec");
        config.checkpoints()
                .options()
                .forEach((option, value) -> assertThat(
                                cluster.at("/flinkConfiguration").path(option).asText())
                        .as(option)
                        .isEqualTo(value));
        JsonNode main = cluster.at("/podTemplate/spec/containers/0");
        String plugin = main.at("/env/0/value").asText();
        assertThat(kind("Job")).hasSize(2);
        for (JsonNode job : kind("Job")) {
            JsonNode spec = job.at("/spec/template/spec");
            JsonNode fetch = spec.at("/initContainers/0");
            assertThat(fetch.get("image")).isEqualTo(cluster.get("image"));
            assertThat(texts(fetch.get("command")).get(2)).contains("/opt/flink/opt/" + plugin + " /plugins/s3/");
            JsonNode submit = spec.at("/containers/0");
            assertThat(submit.at("/env/0/value").asText())
                    .isEqualTo(fetch.at("/volumeMounts/0/mountPath").asText());
            assertThat(submit.at("/envFrom/1")).isEqualTo(main.at("/envFrom/0"));
        }
    }
}
