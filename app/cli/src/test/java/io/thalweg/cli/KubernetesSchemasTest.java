package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The schemas accept {@code deploy/kubernetes}, and report each mistake with its path. */
@SuppressWarnings("NullAway.Init")
class KubernetesSchemasTest {
    private static List<JsonNode> objects;

    @BeforeAll
    static void read() throws IOException {
        objects = DeployYaml.kubernetesObjects();
    }

    @Test
    void problems_manifests_none() {
        assertThat(objects).isNotEmpty();
        for (JsonNode object : objects) {
            assertThat(KubernetesSchemas.problems(object))
                    .as("%s %s", object.get("kind"), object.at("/metadata/name"))
                    .isEmpty();
        }
    }

    @Test
    void problems_misspeltField_namesIt() {
        JsonNode deployment = copy("Deployment");
        rename(fields(deployment, "/spec/template/spec/containers/0"), "readinessProbe", "readynessProbe");
        requireProblem(deployment, "/spec/template/spec/containers/0: property 'readynessProbe' is not defined");
    }

    @Test
    void problems_missingRequiredField_namesIt() {
        JsonNode deployment = copy("Deployment");
        fields(deployment, "/spec").remove("selector");
        requireProblem(deployment, "/spec: required property 'selector' not found");
    }

    @Test
    void problems_stringForNumber_nameItsPath() {
        JsonNode deployment = copy("Deployment");
        fields(deployment, "/spec").put("replicas", "2");
        requireProblem(deployment, "/spec/replicas: string found, integer expected");
    }

    @Test
    void problems_booleanForPort_nameItsPath() {
        JsonNode policy = copy("NetworkPolicy");
        fields(policy, "/spec/ingress/0/ports/0").put("port", true);
        requireProblem(policy, "/spec/ingress/0/ports/0/port: boolean found, [integer, string] expected");
    }

    @Test
    void problems_numberForLabel_nameItsPath() {
        JsonNode account = copy("ServiceAccount");
        fields(account, "/metadata").putObject("labels").put("tier", 1);
        requireProblem(account, "/metadata/labels/tier: integer found, string expected");
    }

    @Test
    void problems_misspeltFieldOfFlinkDeployment_nameIt() {
        JsonNode cluster = copy("FlinkDeployment");
        rename(fields(cluster, "/spec"), "jobManager", "jobmanager");
        requireProblem(cluster, "/spec: property 'jobmanager' is not defined");
    }

    @Test
    void problems_misspeltFieldInPodTemplateOfFlinkDeployment_nameIt() {
        JsonNode cluster = copy("FlinkDeployment");
        rename(fields(cluster, "/spec/podTemplate/spec/containers/0"), "envFrom", "envForm");
        requireProblem(cluster, "/spec/podTemplate/spec/containers/0: property 'envForm' is not defined");
    }

    @Test
    void problems_stringForNumberInFlinkDeployment_nameItsPath() {
        JsonNode cluster = copy("FlinkDeployment");
        fields(cluster, "/spec/taskManager/resource").put("cpu", "two");
        requireProblem(cluster, "/spec/taskManager/resource/cpu: string found, number expected");
    }

    @Test
    void problems_misspeltMetadataOfFlinkDeployment_nameIt() {
        JsonNode cluster = copy("FlinkDeployment");
        fields(cluster, "/metadata").putObject("label");
        requireProblem(cluster, "/metadata: property 'label' is not defined");
    }

    @Test
    void problems_versionThatKubernetesDropped_refused() {
        JsonNode deployment = copy("Deployment");
        fields(deployment, "").put("apiVersion", "extensions/v1beta1");
        assertThatThrownBy(() -> KubernetesSchemas.problems(deployment))
                .hasMessageStartingWith("no schema for extensions/v1beta1 Deployment");
    }

    private static void requireProblem(JsonNode object, String problem) {
        assertThat(KubernetesSchemas.problems(object))
                .singleElement()
                .asString()
                .startsWith(problem);
    }

    private static JsonNode copy(String kind) {
        return objects.stream()
                .filter(object -> object.get("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow()
                .deepCopy();
    }

    private static ObjectNode fields(JsonNode object, String path) {
        return (ObjectNode) object.at(path);
    }

    private static void rename(ObjectNode object, String from, String to) {
        object.set(to, object.remove(from));
    }
}
