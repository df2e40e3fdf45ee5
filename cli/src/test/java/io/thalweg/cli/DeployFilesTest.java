package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What is deployed beside Thalweg says nothing that Thalweg does not know. */
class DeployFilesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path ALERTS = ROOT.resolve("deploy/prometheus/qalm-alerts.yaml");
    private static final Path DASHBOARDS = ROOT.resolve("deploy/grafana");
    private static final Pattern METRIC = Pattern.compile("\\b(?:qos|thalweg)_[a-z_]+");

    private static Set<String> metrics(String text) {
        Set<String> found = new HashSet<>();
        Matcher matcher = METRIC.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group().replaceFirst("_(bucket|sum|count)$", ""));
        }
        return found;
    }

    private static Set<String> documented() throws IOException {
        return metrics(Files.readString(ROOT.resolve("docs/reference/metrics.md")));
    }

    private static List<JsonNode> rules() throws IOException {
        JsonNode file = new ObjectMapper()
                .valueToTree(new Load(LoadSettings.builder().build()).loadFromString(Files.readString(ALERTS)));
        List<JsonNode> rules = new ArrayList<>();
        file.path("groups").forEach(group -> group.path("rules").forEach(rules::add));
        return rules;
    }

    @Test
    void alerts_each_asksForMetricsThatThereAreAndSaysWhatToDo() throws IOException {
        Set<String> documented = documented();
        assertThat(rules()).hasSizeGreaterThan(5);
        for (JsonNode rule : rules()) {
            String name = rule.path("alert").asText();
            String expression = rule.path("expr").asText();
            assertThat(metrics(expression)).as(name).isNotEmpty().isSubsetOf(documented);
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
        assertThat(rules()).noneMatch(rule -> rule.path("expr").asText().contains("level=\"3\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"load-management.json", "ingest.json"})
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
                        .isSubsetOf(documented);
            }
        }
    }
}
