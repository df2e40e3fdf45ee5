package io.thalweg.bench.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreWaysTest {
    private static Result result(String system, String variant, double rate) {
        return new Result(system, variant, Map.of("rows_per_second", rate));
    }

    @Test
    void ratios_severalSettings_compareOneSubtaskWithTheDefaults() {
        List<Result> results = List.of(
                result("pipelined", "500 calls", 50),
                result("thalweg", "batch 1, parallelism 1", 10),
                result("thalweg", "batch 5000, parallelism 1", 100),
                result("thalweg", "batch 5000, parallelism 4", 400));

        assertThat(StoreWays.ratios(results)).isEqualTo(Map.of("thalweg_vs_pipelined", 2.0));
    }

    @Test
    void ratios_onlyOtherSettings_areNone() {
        List<Result> results =
                List.of(result("pipelined", "500 calls", 50), result("thalweg", "batch 5000, parallelism 4", 400));

        assertThat(StoreWays.ratios(results)).isEmpty();
    }
}
