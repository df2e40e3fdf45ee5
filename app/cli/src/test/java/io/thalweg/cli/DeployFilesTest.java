package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Exposition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files for systems around Thalweg refer only to names that Thalweg defines. */
class DeployFilesTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final Path ALERTS = ROOT.resolve("deploy/prometheus");
    private static final Path DASHBOARDS = ROOT.resolve("deploy/grafana");
    private static final Pattern METRIC = Pattern.compile("\\b(?:qos|thalweg|jvm|process|flink)_[a-zA-Z_]+");
    /** Names in the code; those that end with _ are prefixes. */
    private static final Pattern REGISTERED = Pattern.compile("\"((?:qos|thalweg)_[a-z_]+)\"");

    private static final List<String> MODULES =
            List.of("serving/server", "app/runner", "qalm/qalm", "qalm/qalm-armeria");

    private static final Set<String> REGISTERED_NAMES = registered();
    /**
     * The names of Flink's metrics, and of those that jobs add, as its Prometheus reporter writes them. ClusterIT checks them on
     * a cluster.
     */
    private static final Set<String> FLINK_METRICS = ClusterMetrics.prometheusNames();

    private static Set<String> metrics(String text) {
        Set<String> found = new HashSet<>();
        Matcher matcher = METRIC.matcher(text);
        while (matcher.find()) {
            found.add(family(matcher.group()));
        }
        return found;
    }

    private static String family(String series) {
        return series.replaceFirst("_(bucket|sum|count)$", "");
    }

    /** Whether a process of Thalweg or a task of Flink has series of this name. */
    private static boolean isExported(String name) {
        return name.startsWith("flink_")
                ? FLINK_METRICS.contains(name)
                : REGISTERED_NAMES.stream()
                        .anyMatch(each -> each.endsWith("_") ? name.startsWith(each) : each.equals(name));
    }

    private static Set<String> registered() {
        Set<String> names = new HashSet<>();
        for (String module : MODULES) {
            try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path source : sources.filter(Files::isRegularFile).toList()) {
                    REGISTERED.matcher(Files.readString(source)).results().forEach(name -> names.add(name.group(1)));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        Metrics process = new Metrics();
        process.process();
        Exposition.of(process.expose()).series().keySet().stream()
                .map(series -> family(series.replaceFirst("\\{.*", "")))
                .forEach(names::add);
        return names;
    }

    private static Set<String> documented() throws IOException {
        return metrics(Files.readString(ROOT.resolve("docs/reference/metrics.md")));
    }

    private static List<JsonNode> rules(String file) throws IOException {
        JsonNode document = DeployYaml.document(ALERTS.resolve(file));
        List<JsonNode> rules = new ArrayList<>();
        document.path("groups").forEach(group -> group.path("rules").forEach(rules::add));
        return rules;
    }

    @ParameterizedTest
    @ValueSource(strings = {"qalm-alerts.yaml", "pipeline-alerts.yaml", "cluster-alerts.yaml"})
    void alerts_each_asksForMetricsThatThereAreAndSaysWhatToDo(String file) throws IOException {
        Set<String> documented = documented();
        assertThat(rules(file)).hasSizeGreaterThan(5);
        for (JsonNode rule : rules(file)) {
            String name = rule.path("alert").asText();
            String expression = rule.path("expr").asText();
            assertThat(metrics(expression))
                    .as(name)
                    .isNotEmpty()
                    .allMatch(DeployFilesTest::isExported)
                    .isSubsetOf(documented);
            assertThat(expression.chars().filter(c -> c == '(').count())
                    .as(name)
                    .isEqualTo(expression.chars().filter(c -> c == ')').count());
            assertThat(rule.path("for").asText()).matches("\\d+[sm]");
            assertThat(rule.path("labels").path("severity").asText()).isIn("page", "ticket");
            String[] runbook = rule.path("annotations").path("runbook").asText().split("#", -1);
            assertThat(Files.readString(ROOT.resolve(runbook[0])))
                    .as(name)
                    .contains("<a name=\"" + runbook[1] + "\"></a>\n## " + name);
        }
    }

    @Test
    void alerts_level3_neverAlerts() throws IOException {
        assertThat(rules("qalm-alerts.yaml"))
                .noneMatch(rule -> rule.path("expr").asText().contains("level=\"3\""));
    }

    /** Checks that every rule has a test. Prometheus' own tool runs these tests. */
    @ParameterizedTest
    @ValueSource(strings = {"qalm-alerts", "pipeline-alerts", "cluster-alerts"})
    void alerts_each_firesInTheTestOfTheRules(String file) throws IOException {
        Set<String> firing = new HashSet<>();
        DeployYaml.document(ALERTS.resolve(file + ".test.yaml"))
                .path("tests")
                .forEach(test -> test.path("alert_rule_test").forEach(expected -> {
                    if (!expected.path("exp_alerts").isEmpty()) {
                        firing.add(expected.path("alertname").asText());
                    }
                }));
        assertThat(rules(file + ".yaml"))
                .extracting(rule -> rule.path("alert").asText())
                .containsExactlyInAnyOrderElementsOf(firing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"qalm-alerts", "pipeline-alerts", "cluster-alerts"})
    void alerts_promtool_passesTheirTest(String file) throws Exception {
        Process promtool;
        try {
            promtool = new ProcessBuilder("promtool", "test", "rules", file + ".test.yaml")
                    .directory(ALERTS.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            abort("promtool is not installed; it is part of Prometheus");
            return;
        }
        String out = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor()).as(out).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"load-management.json", "ingest.json", "pipeline.json", "cluster.json"})
    void dashboard_eachPanel_asksForMetricsThatThereAre(String file) throws IOException {
        JsonNode dashboard =
                new ObjectMapper().readTree(DASHBOARDS.resolve(file).toFile());
        Set<String> documented = documented();
        Set<Integer> ids = new HashSet<>();
        Set<String> places = new HashSet<>();
        assertThat(dashboard.get("panels")).hasSizeGreaterThan(5);
        for (JsonNode panel : dashboard.get("panels")) {
            String title = panel.get("title").asText();
            assertThat(ids.add(panel.get("id").asInt())).as(title).isTrue();
            assertThat(places.add(panel.get("gridPos").get("x") + " "
                            + panel.get("gridPos").get("y")))
                    .as(title)
                    .isTrue();
            assertThat(panel.get("targets")).as(title).isNotEmpty();
            for (JsonNode target : panel.get("targets")) {
                assertThat(metrics(target.get("expr").asText()))
                        .as(title)
                        .isNotEmpty()
                        .allMatch(DeployFilesTest::isExported)
                        .isSubsetOf(documented);
            }
        }
    }
}
