package io.thalweg.model.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.thalweg.model.Views;
import io.thalweg.model.problem.DefinitionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code docs/schema/thalweg.json} contains exactly the keys that {@code thalweg.yaml} may contain. */
class DeploymentSchemaTest {
    /** Similar to no key, so the error names all keys of its mapping. */
    private static final String UNKNOWN = "unknownunknownunknown";

    private static final Pattern KNOWN = Pattern.compile(UNKNOWN + ": is not a known key; known: ([a-z_, ]+)");

    private static JsonNode schema = MissingNode.getInstance();

    @BeforeAll
    static void load() throws IOException {
        schema = new ObjectMapper()
                .readTree(Views.EXAMPLES
                        .resolveSibling("docs")
                        .resolve("schema/thalweg.json")
                        .toFile());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{%s}                                                    |",
                "kafka: {default: {%s}}                                  | /properties/kafka/additionalProperties",
                "redis: {default: {%s}}                                  | /properties/redis/additionalProperties",
                "redis: {default: {tls: {%s}}}                           | /properties/redis/additionalProperties/properties/tls",
                "redis: {default: {sentinel: {%s}}}                      | /properties/redis/additionalProperties/properties/sentinel",
                "catalogs: {lake: {rest: 'http://localhost:1', %s}}      | /properties/catalogs/additionalProperties",
                "schema_registry: {default: {%s}}                        | /properties/schema_registry/additionalProperties",
                "schema_registry: {default: {auth: {%s}}}                | /properties/schema_registry/additionalProperties/properties/auth",
                "google: {%s}                                            | /properties/google",
                "checkpoints: {%s}                                       | /properties/checkpoints",
                "load: {%s}                                              | /properties/load",
                "flink: {%s}                                             | /properties/flink",
                "flink: {tls: {%s}}                                      | /properties/flink/properties/tls",
                "server: {%s}                                            | /properties/server",
                "server: {tls: {%s}}                                     | /properties/server/properties/tls",
                "server: {auth: {%s}}                                    | /properties/server/properties/auth",
                "server: {auth: {oidc: {%s}}}                            | /properties/server/properties/auth/properties/oidc",
                "server: {tracing: {%s}}                                 | /properties/server/properties/tracing",
                "server: {serving_log: {%s}}                             | /properties/server/properties/serving_log",
                "server: {qalm: {%s}}                                    | /properties/server/properties/qalm",
                "store: {type: rocksdb, %s}                              | /properties/store/else/else",
                "store: {type: redis, %s}                                | /properties/store/then",
                "store: {type: redis, tls: {%s}}                         | /properties/store/then/properties/tls",
                "store: {type: redis, sentinel: {%s}}                    | /properties/store/then/properties/sentinel",
                "store: {type: cassandra, %s}                            | /properties/store/else/then",
                "store: {type: cassandra, tls: {%s}}                     | /properties/store/else/then/properties/tls",
            })
    void keys_eachMapping_areThoseOfTheReader(String yaml, String place) {
        List<String> properties = new ArrayList<>();
        schema.at(place == null ? "" : place).path("properties").fieldNames().forEachRemaining(properties::add);
        assertThat(properties).isNotEmpty();
        assertThat(new TreeSet<>(known(yaml.formatted(UNKNOWN + ": 1")))).isEqualTo(new TreeSet<>(properties));
    }

    private static List<String> known(String yaml) {
        try {
            DeploymentConfig.parse(yaml, "t.yaml", Map.of());
        } catch (DefinitionException e) {
            Matcher known = KNOWN.matcher(String.valueOf(e.getMessage()));
            assertThat(known.find()).as(e.getMessage()).isTrue();
            return List.of(known.group(1).strip().split(", "));
        }
        throw new AssertionError("the key " + UNKNOWN + " is accepted in " + yaml);
    }

    /** Checks that no mapping of the schema is missing above. */
    @Test
    void mappings_ofTheSchema_areThoseAbove() {
        assertThat(mappings(schema)).isEqualTo(26);
    }

    private static int mappings(JsonNode node) {
        int found = node.path("additionalProperties").isBoolean() ? 1 : 0;
        for (JsonNode child : node) {
            found += mappings(child);
        }
        return found;
    }
}
