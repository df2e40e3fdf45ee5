package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.runner.Samples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code validate}, {@code views}, {@code explain} and {@code init}. */
final class DefinitionCommandsTest {
    private static final String VALID = "small: valid; entities cell (h3 9), product (string);"
            + " features 4 (2 rings × 2 windows); source taps, json\n";

    @TempDir
    private Path folder = Path.of("");

    private final TestConsole console = new TestConsole();

    @Test
    void validate_validFile_saysWhatItDefines() throws IOException {
        assertThat(console.run("validate", Samples.view(folder).toString())).isZero();
        assertThat(console.out()).isEqualTo(VALID);
    }

    private Path keyedView() throws IOException {
        return Files.writeString(folder.resolve("campaign_views.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: campaign_views
                source: {topic: ad-events, event_time: {field: ts}}
                entities: [{name: campaign, field: campaign_id}]
                measures:
                  - {name: views, count: all}
                  - {name: spend, sum: cost, where: {billed: true}}
                windows: {sizes: [10s, 1m], every: 10s}
                emit: {early: 1s}
                """);
    }

    @Test
    void validate_keyedViewWithASample_addsUp() throws IOException {
        console.in("""
                {"ts":1767290400000,"campaign_id":"a","billed":true,"cost":2.5}
                {"ts":1767290400000,"campaign_id":"a","billed":false}
                {"ts":1767290400000,"campaign_id":"a","billed":true,"cost":"much"}
                """);
        assertThat(console.run("validate", keyedView().toString(), "--sample", "-"))
                .isZero();
        assertThat(console.out())
                .startsWith("campaign_views: valid; entities campaign (string); features 4 (2 measures × 2 windows)")
                .contains("  events 3 = accepted 2 + skipped 0 + bad 1 + late 0\n")
                .containsPattern("  wrong_type 1, first in line 3: 'cost' must be a number.*\n");
    }

    @Test
    void explain_keyedView_printsGraphStateAndRates() throws IOException {
        assertThat(console.run("explain", keyedView().toString(), "--active-keys", "1000000"))
                .isZero();
        assertThat(console.out())
                .contains(
                        "only ts, campaign_id, billed, cost",
                        "campaign (string) → one of 256 shards",
                        "views: events per key and pane of 10s",
                        "spend: sum of cost per key and pane of 10s",
                        "4 (2 measures × 2 windows) features at every window end, views_10s … spend_1m",
                        "every 1s a PARTIAL row")
                .containsPattern("panes +[0-9.]+ [kM]B +8 panes × 10 k keys")
                .containsPattern("per window end +1 M ")
                .containsPattern("per second +100 k ");
        TestConsole avro = new TestConsole();
        assertThat(avro.run("explain", keyedView().toString(), "--avro-schema")).isEqualTo(2);
        assertThat(avro.err()).contains("json or packed");
        TestConsole none = new TestConsole();
        assertThat(none.run("explain", keyedView().toString(), "--active-keys", "0"))
                .isEqualTo(2);
        assertThat(none.err()).isEqualTo("thalweg: --active-keys must be at least 1, was 0\n");
    }

    @Test
    void validate_sample_addsUpAndShowsTheFirstBadEventOfEachReason() throws IOException {
        String good = Samples.events(1, 1).get(0);
        List<String> events = List.of(
                good,
                good.replace("\"tap\"", "\"swipe\""),
                "not json",
                good.replace("40.7", "140.7"),
                good.replace("-73.9", "-273.9"),
                Samples.events(1, 30).get(29),
                good);
        console.in(String.join("\n", events));
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", "-"))
                .isZero();
        assertThat(console.out())
                .startsWith(VALID + "  events 7 = accepted 2 + skipped 1 + bad 3 + late 1\n")
                .containsPattern("  undecodable 1, first in line 3: .+\n")
                .containsPattern("  coordinate 2, first in line 4: .*140.7.*\n")
                .containsPattern("  late 1, first in line 7: .+\n");
    }

    @Test
    void validate_whereOnAnArray_isABadEvent() throws IOException {
        console.in(Samples.events(1, 1).get(0).replace("\"tap\"", "[\"tap\"]"));
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", "-"))
                .isEqualTo(1);
        assertThat(console.out())
                .contains("events 1 = accepted 0 + skipped 0 + bad 1 + late 0")
                .contains("  wrong_type 1, first in line 1: where: 'kind' must be text, a number, true or false");
    }

    @Test
    void validate_compressedSample_isRead() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(String.join("\n", Samples.events(1, 9)).getBytes(StandardCharsets.UTF_8));
        }
        Path file = Files.write(folder.resolve("events.jsonl.gz"), bytes.toByteArray());
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", file.toString()))
                .isZero();
        assertThat(console.out()).contains("events 9 = accepted 9 + skipped 0 + bad 0 + late 0");
    }

    @Test
    void validate_nothingKept_saysSo() throws IOException {
        console.in("{\"kind\":\"swipe\",\"ts\":" + Samples.START_MS + "}");
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", "-"))
                .isZero();
        assertThat(console.out()).contains("events 1 = accepted 0 + skipped 1", "no event is kept");
    }

    @Test
    void validate_everyEventIsBad_fails() throws IOException {
        console.in("{\"kind\":\"tap\",\"ts\":\"soon\"}\n{\"kind\":\"tap\",\"ts\":\"later\"}");
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", "-"))
                .isEqualTo(1);
        assertThat(console.out()).contains("events 2 = accepted 0 + skipped 0 + bad 2");
    }

    @Test
    void validate_twoDefinitionsOfAName_namesBothFiles() throws IOException {
        Path first = Files.writeString(folder.resolve("a.yaml"), Samples.VIEW);
        Path second = Files.writeString(folder.resolve("b.yaml"), Samples.VIEW);
        assertThat(console.run("validate", folder.toString())).isEqualTo(2);
        assertThat(console.err()).contains(first + ":", second + ":").hasLineCount(1);
    }

    @Test
    void validate_severalProblems_tellsEachInALine() throws IOException {
        Path file = Files.writeString(
                folder.resolve("broken.yaml"),
                Samples.VIEW.replace("rings:", "rigns:").replace("resolution: 9", "resolution: 99"));
        assertThat(console.run("validate", file.toString())).isEqualTo(2);
        assertThat(console.out()).isEmpty();
        assertThat(console.err().lines())
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(line -> line.startsWith("thalweg: " + file + ":"));
        assertThat(console.err()).contains("did you mean 'rings'?");
    }

    @Test
    void validate_notYaml_isOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("broken.yaml"), "a: [1,\n");
        assertThat(console.run("validate", file.toString())).isEqualTo(2);
        assertThat(console.err()).hasLineCount(1).contains("is not YAML");
    }

    @Test
    void validate_sampleIsAFolder_isWrongUse() throws IOException {
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", folder.toString()))
                .isEqualTo(2);
        assertThat(console.err()).isEqualTo("thalweg: " + folder + ": it is a folder\n  hint: name a file in it\n");
    }

    @Test
    void validate_sampleAbsent_isWrongUse() throws IOException {
        assertThat(console.run("validate", Samples.view(folder).toString(), "--sample", "nowhere"))
                .isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: nowhere: no such file\n");
    }

    @Test
    void views_file_listsItsViews() throws IOException {
        assertThat(console.run("views", Samples.view(folder).toString())).isZero();
        assertThat(console.out()).isEqualTo("""
                        NAME   VERSION  ENTITIES                       FEATURES                 SOURCE      ROWS TO
                        small  1        cell (h3 9), product (string)  4 (2 rings × 2 windows)  taps, json  small-features
                        """);
    }

    @Test
    void views_namesOfTheConfig_areFound() throws IOException {
        Samples.view(folder);
        Path config = Files.writeString(folder.resolve("thalweg.yaml"), "views: [" + folder + "]\n");
        assertThat(console.run("views", "--config", config.toString())).isZero();
        assertThat(console.out()).contains("\nsmall ");
        TestConsole misspelt = new TestConsole();
        assertThat(misspelt.run("explain", "smal", "--config", config.toString()))
                .isEqualTo(2);
        assertThat(misspelt.err()).isEqualTo("thalweg: no view is named smal\n  hint: did you mean 'small'?\n");
    }

    @Test
    void views_configAbsent_isWrongUse() {
        assertThat(console.run("views", "--config", "nowhere.yaml")).isEqualTo(2);
        assertThat(console.err()).isEqualTo("thalweg: nowhere.yaml: cannot be read: no such file\n");
    }

    @Test
    void explain_numbersGiven_printsGraphStateAndRates() throws IOException {
        int code = console.run(
                "explain",
                Samples.view(folder).toString(),
                "--active-cells",
                "5000000",
                "--groups",
                "6",
                "--events-per-second",
                "120000");
        assertThat(code).isZero();
        assertThat(console.out())
                .contains(
                        "only ts, kind, lat, lng, product, who",
                        "topic taps-dead",
                        "topic small-features",
                        "distinct who")
                .containsPattern("per window end +30 M ")
                .containsPattern("per second +500 k ");
    }

    @Test
    void explain_viewWithALog_printsItsBytesPerDay() throws IOException {
        Path view = Files.writeString(folder.resolve("small.yaml"), Samples.VIEW + "offline: {keep: 30d}\n");

        assertThat(console.run("explain", view.toString(), "--active-cells", "1000"))
                .isZero();

        assertThat(console.out()).containsPattern("\n  feature log +[0-9.]+ MB/day +kept for 30d\n");
    }

    @Test
    void explain_avroSchema_printsItAlone() throws IOException {
        assertThat(console.run("explain", Samples.view(folder).toString(), "--avro-schema"))
                .isZero();
        JsonNode schema = new ObjectMapper().readTree(console.out());
        assertThat(schema.get("name").asText()).isEqualTo("small");
        assertThat(schema.get("fields").findValuesAsText("name"))
                .startsWith("cell", "product", "window_end")
                .contains("k2_2m");
    }

    @Test
    void explain_noCells_isWrongUse() throws IOException {
        assertThat(console.run("explain", Samples.view(folder).toString(), "--active-cells", "0"))
                .isEqualTo(2);
        assertThat(console.err()).isEqualTo("thalweg: --active-cells must be at least 1, was 0\n");
    }

    @Test
    void init_emptyFolder_writesWhatValidatesAndNeverOverwrites() throws IOException {
        Path target = folder.resolve("market");
        assertThat(console.run("init", target.toString())).isZero();
        assertThat(console.out()).contains("wrote " + target.resolve("thalweg.yaml"), "next:");
        Path view = target.resolve("views").resolve("demand.yaml");
        assertThat(new TestConsole().run("validate", view.toString())).isZero();

        Files.writeString(view, "mine");
        TestConsole again = new TestConsole();
        assertThat(again.run("init", target.toString())).isZero();
        assertThat(again.out()).contains("demand.yaml is there already").doesNotContain("wrote");
        assertThat(view).hasContent("mine");
    }

    @Test
    void init_config_loads() {
        assertThat(console.run("init", folder.toString())).isZero();
        TestConsole views = new TestConsole();
        assertThat(views.run(
                        "views",
                        folder.resolve("views").toString(),
                        "--config",
                        folder.resolve("thalweg.yaml").toString()))
                .isZero();
        assertThat(views.out()).contains("demand");
    }

    @Test
    void init_sampleWithNumbersAsText_proposesAViewThatKeepsEachEvent() throws IOException {
        Path events = Files.write(
                folder.resolve("payments.jsonl"),
                List.of(
                        "{\"at\":\"1767290400\",\"user_id\":\"007\",\"price\":\"11.50\"}",
                        "{\"at\":\"1767290401\",\"user_id\":\"007\",\"price\":\"3\"}"));

        assertThat(console.run("init", "--sample", events.toString(), folder.toString()))
                .isZero();

        assertThat(console.out()).contains("events 2 = accepted 2 + skipped 0 + bad 0 + late 0");
    }

    @Test
    void init_sampleOfAvro_proposesAViewWithItsSchema() throws IOException {
        Path events = AvroOrders.write(folder.resolve("orders.avro"), 40);

        assertThat(console.run("init", "--sample", events.toString(), folder.toString()))
                .isZero();

        assertThat(console.out())
                .contains(
                        "wrote " + folder.resolve("orders.avsc"),
                        "wrote " + folder.resolve("orders.yaml"),
                        "events 40 = accepted 40 + skipped 0 + bad 0 + late 0");
        assertThat(folder.resolve("orders.yaml"))
                .content()
                .contains(
                        "schema: {file: orders.avsc}",
                        "event_time: {field: at}",
                        "{name: customer, field: customer.id, type: string}",
                        "sum: amount")
                .doesNotContain("delivered", "tags");
        TestConsole validate = new TestConsole();
        assertThat(validate.run("validate", folder.resolve("orders.yaml").toString()))
                .isZero();
        assertThat(validate.out()).contains("source orders, avro");
    }

    @Test
    void init_file_isWrongUse() throws IOException {
        assertThat(console.run("init", Samples.view(folder).toString())).isEqualTo(2);
        assertThat(console.err()).contains("it is a file");
    }
}
