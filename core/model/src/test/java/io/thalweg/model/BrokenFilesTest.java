package io.thalweg.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Every broken file has its messages next to it, and schema and code agree on it: both reject it or, if it begins with {@code #
 * semantic}, only the code. {@code -Dthalweg.golden=write} rewrites the messages.
 */
class BrokenFilesTest {
    private static final Path BROKEN = Path.of("src/test/resources/broken");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Schema> SCHEMAS = Map.of(
            "FeatureView",
            schema("feature-view"),
            "Materialization",
            schema("materialization"),
            "Ingest",
            schema("ingest"),
            "Source",
            schema("source"),
            "thalweg",
            schema("thalweg"));

    static Stream<String> definitions() throws IOException {
        return names(BROKEN);
    }

    static Stream<String> deploymentConfig() throws IOException {
        return names(BROKEN.resolve("deployment"));
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void load_brokenDefinition_saysWhatIsWrong(String name) throws IOException {
        String text = Files.readString(BROKEN.resolve(name + ".yaml"));
        DefinitionException e =
                catchThrowableOfType(DefinitionException.class, () -> Definitions.parse(text, name + ".yaml"));
        golden(BROKEN.resolve(name + ".txt"), e);
        assertThat(schemaAccepts(text, false)).as("the schema accepts it").isEqualTo(text.startsWith("# semantic"));
    }

    @ParameterizedTest
    @MethodSource("deploymentConfig")
    void load_brokenSurroundings_saysWhatIsWrong(String name) throws IOException {
        Path folder = BROKEN.resolve("deployment");
        String text = Files.readString(folder.resolve(name + ".yaml"));
        DefinitionException e = catchThrowableOfType(
                DefinitionException.class, () -> DeploymentConfig.parse(text, name + ".yaml", Map.of()));
        golden(folder.resolve(name + ".txt"), e);
        assertThat(schemaAccepts(text, true)).as("the schema accepts it").isEqualTo(text.startsWith("# semantic"));
    }

    @Test
    void schema_examples_areAccepted() throws IOException {
        for (String name : List.of("demand", "supply", "product_rides")) {
            assertThat(schemaAccepts(Files.readString(Views.EXAMPLES.resolve(name + ".yaml")), false))
                    .as(name)
                    .isTrue();
        }
        for (String name : List.of("driver_stats", "ride_events", "ride_events_topic")) {
            assertThat(schemaAccepts(Files.readString(Views.EXAMPLES.resolve(name + ".yaml")), false))
                    .as(name)
                    .isTrue();
        }
        for (String name : List.of("campaign_views", "every_measure")) {
            assertThat(schemaAccepts(KeyedViews.text(name + ".yaml"), false))
                    .as(name)
                    .isTrue();
        }
        assertThat(schemaAccepts(Files.readString(Views.EXAMPLES.resolve("thalweg.yaml")), true))
                .isTrue();
    }

    private static void golden(Path file, DefinitionException e) throws IOException {
        String found = e.getMessage() + "\n";
        if ("write".equals(System.getProperty("thalweg.golden"))) {
            Files.writeString(file, found);
        }
        assertThat(found).isEqualTo(Files.readString(file));
        assertThat(e.problems()).isNotEmpty();
    }

    /** Returns whether every document is YAML and matches the schema of its kind; an unknown kind never matches. */
    private static boolean schemaAccepts(String yaml, boolean deploymentConfig) {
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new CoreSchema())
                .setAllowDuplicateKeys(false)
                .build();
        boolean any = false;
        try {
            for (Object document : new Load(settings).loadAllFromString(yaml)) {
                Object kind = deploymentConfig ? "thalweg" : document instanceof Map<?, ?> map ? map.get("kind") : null;
                Schema schema = kind instanceof String known ? SCHEMAS.get(known) : null;
                if (schema == null
                        || !schema.validate(JSON.writeValueAsString(document), InputFormat.JSON)
                                .isEmpty()) {
                    return false;
                }
                any = true;
            }
        } catch (YamlEngineException | IOException e) {
            return false;
        }
        return any;
    }

    private static Schema schema(String name) {
        try {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(Files.readString(Checkout.file("docs/schema/" + name + ".json")), InputFormat.JSON);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Stream<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".yaml"))
                    .map(name -> name.substring(0, name.length() - 5))
                    .sorted()
                    .toList()
                    .stream();
        }
    }
}
