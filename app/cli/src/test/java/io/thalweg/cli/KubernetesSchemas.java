package io.thalweg.cli;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.annotations.SerializedName;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Checks objects of {@code deploy/kubernetes} against the schemas of their kinds. A field that the schema does not name is a
 * problem, as for {@code kubectl apply}.
 *
 * <p><b>Source.</b> For the kinds of Kubernetes, the classes of its Java client. They are generated from the OpenAPI of
 * Kubernetes and have the names, types and required fields. For {@code FlinkDeployment}, the definition that the operator
 * installs, without its list of Flink versions, because the definition may be older than the version that the cluster has.
 */
final class KubernetesSchemas {
    private static final Map<String, Class<?>> MODELS = Map.of(
            "v1 Service", V1Service.class,
            "v1 ServiceAccount", V1ServiceAccount.class,
            "apps/v1 Deployment", V1Deployment.class,
            "batch/v1 CronJob", V1CronJob.class,
            "batch/v1 Job", V1Job.class,
            "networking.k8s.io/v1 NetworkPolicy", V1NetworkPolicy.class,
            "policy/v1 PodDisruptionBudget", V1PodDisruptionBudget.class);

    private static final String FLINK_DEPLOYMENT = "flink.apache.org/v1beta1 FlinkDeployment";
    private static final String FLINK_DEFINITION = "/META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml";

    /** The types of fields whose class is not a model itself, as JSON Schema. */
    private static final Map<Type, Object> TYPES = Map.of(
            String.class, "string",
            OffsetDateTime.class, "string",
            byte[].class, "string",
            Boolean.class, "boolean",
            Integer.class, "integer",
            Long.class, "integer",
            Double.class, "number",
            IntOrString.class, List.of("integer", "string"),
            Quantity.class, List.of("number", "string"));

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    /** The schemas of the classes met so far, by simple name. */
    private final ObjectNode definitions = JSON.createObjectNode();

    private KubernetesSchemas() {}

    /**
     * Returns the problems of an object, each with its path; empty if the object is valid.
     *
     * @throws IllegalArgumentException if there is no schema for the kind and its version
     */
    static List<String> problems(JsonNode object) {
        String kind =
                object.path("apiVersion").asText() + " " + object.path("kind").asText();
        String schema = new KubernetesSchemas().schema(kind).toString();
        return REGISTRY.getSchema(schema, InputFormat.JSON).validate(object.toString(), InputFormat.JSON).stream()
                .map(Error::toString)
                .toList();
    }

    private ObjectNode schema(String kind) {
        Class<?> model = MODELS.get(kind);
        if (model == null && !kind.equals(FLINK_DEPLOYMENT)) {
            throw new IllegalArgumentException("no schema for " + kind + "; add the class of its model here");
        }
        ObjectNode schema = model == null ? flinkDeployment() : typed(model);
        schema.set("$defs", definitions);
        return schema;
    }

    private ObjectNode flinkDeployment() {
        JsonNode spec = flinkDefinition().at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
        ((ObjectNode) spec.at("/properties/flinkVersion")).remove("enum");
        close(spec);
        ObjectNode schema = JSON.createObjectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = schema.putObject("properties");
        properties.set("apiVersion", typed(String.class));
        properties.set("kind", typed(String.class));
        properties.set("metadata", typed(V1ObjectMeta.class));
        properties.set("spec", spec);
        schema.putArray("required").add("metadata").add("spec");
        return schema;
    }

    private static JsonNode flinkDefinition() {
        try (InputStream file = KubernetesSchemas.class.getResourceAsStream(FLINK_DEFINITION)) {
            return JSON.valueToTree(new Load(LoadSettings.builder().build())
                    .loadFromInputStream(requireNonNull(file, FLINK_DEFINITION)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the schema of a definition as strict as the API server: it also refuses fields that the schema does not name. */
    private static void close(JsonNode schema) {
        schema.forEach(KubernetesSchemas::close);
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            ObjectNode either = ((ObjectNode) schema).removeAll();
            either.set("type", JSON.valueToTree(TYPES.get(IntOrString.class)));
        }
        if (schema.path("properties").isObject()
                && !schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            ((ObjectNode) schema).put("additionalProperties", false);
        }
    }

    private ObjectNode typed(Type type) {
        ObjectNode schema = JSON.createObjectNode();
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            boolean map = generic.getRawType() == Map.class;
            schema.put("type", map ? "object" : "array");
            schema.set(map ? "additionalProperties" : "items", typed(arguments[arguments.length - 1]));
        } else if (TYPES.containsKey(type)) {
            schema.set("type", JSON.valueToTree(TYPES.get(type)));
        } else if (type != Object.class) {
            schema.put("$ref", "#/$defs/" + define((Class<?>) type));
        }
        return schema;
    }

    private String define(Class<?> model) {
        String name = model.getSimpleName();
        // Register the class before its fields, because it may contain itself.
        if (!definitions.has(name)) {
            ObjectNode schema =
                    definitions.putObject(name).put("type", "object").put("additionalProperties", false);
            ObjectNode properties = schema.putObject("properties");
            for (Field field : model.getDeclaredFields()) {
                SerializedName json = field.getAnnotation(SerializedName.class);
                if (json != null) {
                    properties.set(json.value(), typed(field.getGenericType()));
                }
            }
            schema.set("required", required(model));
        }
        return name;
    }

    private static JsonNode required(Class<?> model) {
        try {
            return JSON.valueToTree(model.getField("openapiRequiredFields").get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(model + " is not a model; add it to the types", e);
        }
    }
}
