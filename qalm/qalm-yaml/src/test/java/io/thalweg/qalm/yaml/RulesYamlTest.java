package io.thalweg.qalm.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.NeverDrop;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.registry.RulesException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesYamlTest {
    private static final String DOCUMENT = """
            mode: on
            callers:
              batch-reports: 3
              gateway: {criticality: 2, may_raise: true}
            endpoints:
              thalweg.v1.ServingService/ReadFeatures:
                criticality: core
                never_drop: strict
                deadline: 1s
                reserve: 2
                callers:
                  checkout: {criticality: 0, never_drop_per_second: 200}
                  "*": 3
              GET /v1/views:
                mode: shadow
                criticality: 3
            """;

    @Test
    void parse_document_readsEverything() {
        Rules rules = RulesYaml.parse("rules.yaml", DOCUMENT);
        Rules.Endpoint read = Objects.requireNonNull(rules.endpoints().get("thalweg.v1.ServingService/ReadFeatures"));
        assertThat(read.lane())
                .isEqualTo(LaneConfig.DEFAULT
                        .withNeverDrop(NeverDrop.STRICT)
                        .withDeadline(Duration.ofSeconds(1))
                        .withReserve(2));
        assertThat(read.callers()).containsEntry("checkout", new CallerPolicy(Criticality.INFRASTRUCTURE, 200, false));
        assertThat(rules.callers().get("gateway"))
                .isEqualTo(new CallerPolicy(Criticality.FEATURE, Double.POSITIVE_INFINITY, true));
    }

    @Test
    void parse_learnedBudget_isReadAndAnyOtherWordIsAProblem() {
        Rules rules = RulesYaml.parse("rules.yaml", "callers: {a: {criticality: 1, never_drop_per_second: learned}}");
        assertThat(rules.callers()).containsEntry("a", new CallerPolicy(Criticality.CORE, CallerPolicy.LEARNED, false));
        assertThatThrownBy(() ->
                        RulesYaml.parse("rules.yaml", "callers: {a: {criticality: 1, never_drop_per_second: guessed}}"))
                .hasMessageContaining("callers.a.never_drop_per_second must be a number or learned, was guessed");
    }

    @Test
    void parse_weight_isReadWithinItsBounds() {
        Rules rules = RulesYaml.parse("rules.yaml", "callers: {a: {criticality: 3, weight: 8}}");
        assertThat(rules.callers())
                .containsEntry("a", new CallerPolicy(Criticality.BACKGROUND, Double.POSITIVE_INFINITY, 8, false));
        assertThatThrownBy(() -> RulesYaml.parse("rules.yaml", "callers: {a: {criticality: 3, weight: 0}}"))
                .hasMessageContaining("weight must be 1 to 100, was 0; leave it out for ordinary calls");
    }

    @Test
    void endpoint_manyRules_theMostSpecificHolds() {
        Rules rules = RulesYaml.parse("rules.yaml", DOCUMENT);
        assertThat(level(rules, "thalweg.v1.ServingService/ReadFeatures", "checkout"))
                .isZero();
        assertThat(level(rules, "thalweg.v1.ServingService/ReadFeatures", "gateway"))
                .as("* of the endpoint before the caller's own")
                .isEqualTo(3);
        assertThat(level(rules, "GET /v1/views", "gateway")).isEqualTo(2);
        assertThat(level(rules, "GET /v1/views", "stranger")).isEqualTo(3);
        assertThat(level(rules, "unknown", "stranger")).isEqualTo(2);
        assertThat(level(rules, "unknown", "batch-reports")).isEqualTo(3);
    }

    private static int level(Rules rules, String endpoint, String caller) {
        return rules.endpoint(endpoint).callers().apply(caller).criticality().level();
    }

    @Test
    void mode_offForAll_isOffForEach() {
        Rules rules = RulesYaml.parse("rules.yaml", DOCUMENT);
        assertThat(rules.endpoint("GET /v1/views").lane().mode()).isEqualTo(Mode.SHADOW);
        assertThat(rules.withMode(Mode.OFF).endpoint("GET /v1/views").lane().mode())
                .isEqualTo(Mode.OFF);
        assertThat(rules.withMode(Mode.OFF).endpoint("unknown").lane().mode()).isEqualTo(Mode.OFF);
    }

    @Test
    void parse_manyProblems_reportsAllWithPathRuleAndRemedy() {
        String broken = """
                mode: yes
                caller: {a: 1}
                endpoints:
                  read:
                    limit: 0
                    never_drop: always
                    deadline: 1 second
                    callers: {checkout: 7, other: {criticality: 1, never_drop_per_second: many}}
                """;
        assertThatThrownBy(() -> RulesYaml.parse("rules.yaml", broken))
                .isInstanceOf(RulesException.class)
                .hasMessageContaining("rules.yaml: mode must be one of [off, shadow, on], was yes; for example on")
                .hasMessageContaining("caller is not a known key; known here: [callers, endpoints, mode]")
                .hasMessageContaining("endpoints.read: limit must be at least 1, was 0")
                .hasMessageContaining("endpoints.read.never_drop must be one of [strict, until_deadline], was always")
                .hasMessageContaining("endpoints.read.deadline must be a duration, was 1 second; for example 500ms")
                .hasMessageContaining("endpoints.read.callers.checkout must be 0 (infrastructure)")
                .hasMessageContaining("endpoints.read.callers.other.never_drop_per_second must be a number");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   \n",
                "[1, 2]",
                "text",
                "mode: [",
                "mode: on\nmode: off",
                "callers: 5",
                "endpoints: {a: 5}"
            })
    void parse_noDocument_isRefused(String text) {
        assertThatThrownBy(() -> RulesYaml.parse("rules.yaml", text)).isInstanceOf(RulesException.class);
    }

    @Test
    void parse_noYaml_saysWhereInItsOwnWords() {
        assertThatThrownBy(() -> RulesYaml.parse("rules.yaml", "a: 1\n  b: [\n"))
                .isInstanceOf(RulesException.class)
                .hasMessageContaining(
                        "is not YAML: line 2, column 4: check the indentation, quotes and brackets there");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_randomRules_readsBackTheSame(long seed) {
        Random random = new Random(seed);
        Map<String, Rules.Endpoint> endpoints = new LinkedHashMap<>();
        for (int i = 0; i < random.nextInt(5); i++) {
            endpoints.put(name(random), endpoint(random));
        }
        Rules rules = new Rules(any(random, Mode.OFF, Mode.SHADOW, Mode.ON), callers(random), endpoints);
        assertThat(RulesYaml.parse("written", RulesYaml.write(rules))).isEqualTo(rules);
    }

    private static Rules.Endpoint endpoint(Random random) {
        LaneConfig lane = LaneConfig.DEFAULT
                .withMode(any(random, Mode.OFF, Mode.SHADOW, Mode.ON))
                .withNeverDrop(any(random, NeverDrop.STRICT, NeverDrop.UNTIL_DEADLINE))
                .withDeadline(Duration.ofMillis(1 + random.nextInt(100_000)))
                .withLimit(random.nextBoolean() ? null : Integer.valueOf(1 + random.nextInt(100)))
                .withReserve(random.nextBoolean() ? null : Integer.valueOf(random.nextInt(10)))
                .withDelay(random.nextBoolean() ? null : Duration.ofMillis(1 + random.nextInt(5_000)))
                .withWaitingMax(1 + random.nextInt(1_000));
        Criticality level = random.nextBoolean() ? null : Criticality.ofLevel(random.nextInt(4));
        return new Rules.Endpoint(lane, level, callers(random));
    }

    private static Map<String, CallerPolicy> callers(Random random) {
        Map<String, CallerPolicy> callers = new LinkedHashMap<>();
        for (int i = 0; i < random.nextInt(6); i++) {
            double number = random.nextInt(1_000);
            double budget = any(random, Double.POSITIVE_INFINITY, CallerPolicy.LEARNED, number);
            callers.put(
                    name(random),
                    new CallerPolicy(
                            Criticality.ofLevel(random.nextInt(4)),
                            budget,
                            any(random, 1, 7, 100),
                            random.nextBoolean()));
        }
        return callers;
    }

    @SafeVarargs
    private static <T> T any(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private static String name(Random random) {
        String[] hard = {
            "*", "true", "42", "NO", "a: b", "#", "service/Method", "GET /x/{id}", "'", "\"", "~", "null", "ü"
        };
        return hard[random.nextInt(hard.length)] + (random.nextBoolean() ? "" : random.nextInt(9));
    }
}
