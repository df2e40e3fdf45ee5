package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench advertising} as users start it, for a second each; both class paths are built by the package phase. */
@Tag("soak")
class AdvertisingBenchIT {
    @TempDir
    private Path folder;

    @Test
    void events_fromKafka_areCountedAlike() throws Exception {
        JsonNode all = run("--input", "kafka", "--seconds", "1", "--rounds", "2");
        figures(all, 0, "thalweg", "100_campaigns_from_kafka");
        figures(all, 1, "flink", "100_campaigns_from_kafka");
        figures(all, 2, "flink_combined", "100_campaigns_from_kafka");
        assertThat(all.path("ratios").path("thalweg_vs_flink").asDouble()).isPositive();
        assertThat(all.path("results").path(0).path("rounds").path("seconds")).hasSize(2);
    }

    @Test
    void keys_allOnceThenAtRandom_areCounted() throws Exception {
        JsonNode all = run("--keys", "300000", "--seconds", "2");
        JsonNode figures = figures(all, 0, "thalweg", "300000_keys");
        assertThat(number(figures, "rows")).isEqualTo(300_000);
        assertThat(number(figures, "checkpoint_bytes")).isBetween(16 * 300_000.0, 20 * 300_000.0);
    }

    @Test
    void liveReads_whileItCounts_areComparedAndFast() throws Exception {
        JsonNode all = run("--live-reads", "500", "--events", "20000000", "--seconds", "1");
        JsonNode figures = figures(all, 0, "thalweg", "100_campaigns");
        assertThat(number(figures, "live_reads_compared")).isPositive();
        assertThat(number(figures, "live_reads")).isGreaterThan(number(figures, "live_reads_compared"));
        assertThat(number(figures, "live_reads_failed")).isZero();
        assertThat(number(figures, "live_read_p50_ms")).isPositive();
    }

    private JsonNode run(String... arguments) throws Exception {
        return TestLauncher.bench(
                folder,
                Stream.concat(Stream.of("advertising"), Stream.of(arguments)).toArray(String[]::new));
    }

    private static JsonNode figures(JsonNode all, int place, String system, String variant) {
        JsonNode figures = all.path("results").path(place);
        assertThat(figures.path("system").asText()).isEqualTo(system);
        assertThat(figures.path("variant").asText()).isEqualTo(variant);
        assertThat(number(figures, "events_per_cpu_second")).isPositive();
        return figures;
    }
}
