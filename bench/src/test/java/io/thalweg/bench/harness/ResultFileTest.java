package io.thalweg.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private ResultFile file(String commit, String results, String ratios, boolean equal) throws IOException {
        Path file = Files.createTempFile(folder, "kept", ".json");
        Files.writeString(file, """
                {"benchmark": "demand", "commit": "%s", "date": "2026-11-27", "machine": "%s", "step_ns": {"alone": 1.5, "together": 2.5}, "command": "thalweg bench demand",
                 "results": [%s], "ratios": {%s}, "equal_results": %s}
                """.formatted(commit, ResultFile.presentMachine(), results, ratios, equal));
        return ResultFile.read(file);
    }

    private static String result(String figures) {
        return "{\"system\": \"thalweg\", \"variant\": \"full\", \"rows\": 7, %s}".formatted(figures);
    }

    @Test
    void plus_oneRoundToTwo_keepsAllRoundsAndWhereTheyCameFrom() throws Exception {
        ResultFile first = file("aaaaaaa", result("\"cores\": 2.0, \"rounds\": {\"cores\": [1.0, 3.0]}"), "", true);
        ResultFile second = file("bbbbbbb", result("\"cores\": 2.5"), "", true);
        Path sum = folder.resolve("sum.json");

        first.plus(second).write(sum);
        ResultFile third = file("ccccccc", result("\"cores\": 9.0"), "", true);
        ResultFile.read(sum).plus(third).write(sum);

        ResultFile kept = ResultFile.read(sum);
        assertThat(kept.commit()).isEqualTo("ccccccc");
        assertThat(kept.json().path("earlier").findValuesAsText("commit")).containsExactly("aaaaaaa", "bbbbbbb");
        assertThat(kept.json()
                        .path("earlier")
                        .path(1)
                        .path("step_ns")
                        .path("together")
                        .asDouble())
                .isEqualTo(2.5);
        assertThat(kept.json().path("results").toString())
                .isEqualTo("["
                        + result("\"cores\": 2.75, \"rounds\": {\"cores\": [1.0, 3.0, 2.5, 9.0]}")
                                .replace(" ", "") + "]");
        assertThat(kept.refusal()).isEmpty();
    }

    @Test
    void refusal_contestOrOtherMachine_namesTheReason() throws Exception {
        assertThat(file("a", "", "\"thalweg_vs_flink\": 2.0", true).refusal()).contains("must take turns");
        ResultFile elsewhere = file("a", "", "", true);
        elsewhere.json().put("machine", "64 cores");
        assertThat(elsewhere.refusal()).contains("another machine (64 cores; this is " + ResultFile.presentMachine());
    }

    @Test
    void refusal_otherPatchOfTheJdkAndSomeMoreMemory_isEmpty() throws Exception {
        ResultFile kept = file("a", "", "", true);
        kept.json().put("machine", ResultFile.presentMachine().replaceAll("\\d+ kB", "1 kB") + ".99");
        assertThat(kept.refusal()).isEmpty();
    }

    @Test
    void refusal_rowsThatDiffered_namesThem() throws Exception {
        assertThat(file("a", "", "", false).refusal()).isEqualTo("its rows differed");
    }
}
