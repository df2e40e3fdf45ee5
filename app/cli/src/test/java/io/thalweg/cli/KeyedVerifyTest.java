package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.runner.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verify} of a keyed view, against rows that were computed by hand. */
final class KeyedVerifyTest {
    private static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: spending
            source: {topic: clicks, event_time: {field: ts}, max_out_of_orderness: 10s}
            entities: [{name: campaign, field: campaign_id}]
            measures:
              - {name: views, count: all}
              - {name: cost, sum: cost}
              - {name: most, max: cost}
            windows: {sizes: [1m], every: 1m}
            online: {ttl: 10m}
            """;

    @TempDir
    private Path folder = Path.of("");

    private Path view = Path.of("");
    private Path input = Path.of("");
    private final TestConsole console = new TestConsole();

    @BeforeEach
    void write() throws IOException {
        view = Files.writeString(folder.resolve("spending.yaml"), VIEW);
        input = Samples.write(
                folder.resolve("events.jsonl"),
                List.of(event("a", 10, "1.5"), event("a", 20, "2"), event("b", 65, "1e-1"), event("a", 5, "\"x\"")));
    }

    private static String event(String campaign, int second, String cost) {
        return "{\"campaign_id\":\"%s\",\"ts\":%d,\"cost\":%s}"
                .formatted(campaign, Samples.START_MS + second * 1_000L, cost);
    }

    private static String row(String campaign, int minute, String features) {
        return "{\"view\":\"spending\",\"campaign\":\"%s\",\"window_end\":\"2026-01-01T18:0%d:00Z\",\"finality\":\"FINAL\",\"features\":{%s}}"
                .formatted(campaign, minute, features);
    }

    private static List<String> rows() {
        return new ArrayList<>(List.of(
                row("b", 2, "\"views_1m\":1,\"cost_1m\":0.1,\"most_1m\":0.1"),
                row("a", 1, "\"views_1m\":2,\"cost_1m\":3.5,\"most_1m\":2.0"),
                row("a", 2, "\"views_1m\":0,\"cost_1m\":0.0,\"most_1m\":null"),
                row("b", 3, "\"views_1m\":0,\"cost_1m\":0.0,\"most_1m\":null")));
    }

    /** -0.0 is less than 0.0, in whatever order they arrive; a sum that is zero is 0.0. */
    @Test
    void verify_negativeZero_isTheLesserZero() throws IOException {
        Files.writeString(view, VIEW.replace("max: cost", "max: cost}\n  - {name: least, min: cost"));
        input = Samples.write(
                folder.resolve("events.jsonl"),
                List.of(
                        event("a", 10, "0"),
                        event("a", 20, "-0"),
                        event("b", 10, "-0"),
                        event("b", 20, "0.0"),
                        event("c", 10, "-0"),
                        event("c", 11, "-0.0")));
        String zero = "\"views_1m\":2,\"cost_1m\":0.0,\"most_1m\":0.0,\"least_1m\":-0.0";
        String none = "\"views_1m\":0,\"cost_1m\":0.0,\"most_1m\":null,\"least_1m\":null";

        int code = verify(List.of(
                row("a", 1, zero),
                row("b", 1, zero),
                row("c", 1, zero.replace("\"most_1m\":0.0", "\"most_1m\":-0.0")),
                row("a", 2, none),
                row("b", 2, none),
                row("c", 2, none)));

        assertThat(code).as(console.out()).isZero();
    }

    private int verify(List<String> rows) throws IOException {
        Path file = Samples.write(folder.resolve("rows.jsonl"), rows);
        return console.run("verify", view.toString(), "--input", input.toString(), "--rows", file.toString());
    }

    @Test
    void verify_rowsOfTheDefinition_areEqual() throws IOException {
        assertThat(verify(rows())).as(console.out()).isZero();
        assertThat(console.out()).isEqualTo("verify: 4 rows equal\n");
    }

    @Test
    void verify_lastBitOfASumChanged_isDifferent() throws IOException {
        List<String> rows = rows();
        rows.set(0, rows.get(0).replace("\"cost_1m\":0.1", "\"cost_1m\":" + Math.nextUp(0.1)));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out())
                .contains(
                        "0 missing, 0 unexpected, 1 different, 0 repeated",
                        "different: campaign=b window_end=2026-01-01T18:02:00Z");
    }

    @Test
    void verify_zeroInsteadOfNothing_isDifferent() throws IOException {
        List<String> rows = rows();
        rows.set(2, rows.get(2).replace("null", "0.0"));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("1 different");
    }

    @Test
    void verify_rowsLeftOutAndAdded_areNamed() throws IOException {
        List<String> rows = rows();
        rows.remove(3);
        rows.add(rows.get(0).replace("\"b\"", "\"c\""));
        rows.add(rows.get(1));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out())
                .contains(
                        "1 missing, 1 unexpected, 0 different, 1 repeated",
                        "missing: campaign=b window_end=2026-01-01T18:03:00Z");
    }

    @Test
    void verify_earlyRow_isDifferent() throws IOException {
        List<String> rows = rows();
        rows.set(0, rows.get(0).replace("\"FINAL\"", "\"PARTIAL\",\"sequence\":7"));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("1 different");
    }
}
