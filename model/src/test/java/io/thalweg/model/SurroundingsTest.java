package io.thalweg.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SurroundingsTest {
    @Test
    void load_example_saysTheDefaults() {
        Surroundings example = Surroundings.load(Views.EXAMPLES.resolve("thalweg.yaml"), Map.of());
        Surroundings defaults = Surroundings.defaults();
        assertThat(example.deployment()).isEqualTo(defaults.deployment());
        assertThat(example.kafka()).isEqualTo(defaults.kafka());
        assertThat(example.server()).isEqualTo(defaults.server());
        assertThat(example.checkpoints().dir().normalize())
                .isEqualTo(defaults.checkpoints().dir());
        assertThat(example.checkpoints().every())
                .isEqualTo(defaults.checkpoints().every());
        assertThat(example.store().path().normalize())
                .isEqualTo(defaults.store().path());
        assertThat(example.views()).isEqualTo(List.of(Path.of("examples")));
    }

    @Test
    void parse_variables_areSubstituted() {
        Surroundings read = Surroundings.parse("""
                deployment: ${NAME}
                kafka:
                  default: {bootstrap: "${HOST:-broker}:${PORT:-9092}", properties: {a: "$${x} ${NAME}", linger.ms: 5}}
                """, "t.yaml", Map.of("NAME", "prod", "PORT", ""));
        assertThat(read.deployment()).isEqualTo("prod");
        assertThat(read.kafka())
                .isEqualTo(Map.of(
                        "default", new Surroundings.Kafka("broker:9092", Map.of("a", "${x} prod", "linger.ms", "5"))));
    }

    @Test
    void parse_unsetVariable_namesIt() {
        assertThatThrownBy(() -> Surroundings.parse("deployment: ${NOWHERE}", "t.yaml", Map.of()))
                .hasMessage("t.yaml:1: deployment: the environment variable NOWHERE is not set;"
                        + " set it, or write ${NOWHERE:-default}");
    }

    @Test
    void describe_secrets_areStars() {
        Surroundings read = Surroundings.parse("""
                deployment: ${NAME}
                kafka:
                  default:
                    bootstrap: "b:1"
                    properties: {sasl.jaas.config: plain1, ssl.key.password: plain2, url: "http://u:plain3@host/x", acks: all}
                """, "t.yaml", Map.of("NAME", "plain4"));
        assertThat(read.describe())
                .contains("kafka.default.properties.sasl.jaas.config = ***")
                .contains("http://***@host/x")
                .contains("acks = all")
                .doesNotContain("plain");
        assertThat(read.toString()).doesNotContain("plain");
        assertThat(read.kafka().toString()).doesNotContain("plain");
    }

    @Test
    void parse_loopbackBinds_areAccepted() {
        for (String bind : List.of("localhost", "127.0.0.1", "127.1.2.3", "\"::1\"")) {
            assertThat(Surroundings.parse("server: {bind: " + bind + "}", "t.yaml", Map.of())
                            .server()
                            .port())
                    .isEqualTo(8080);
        }
    }
}
