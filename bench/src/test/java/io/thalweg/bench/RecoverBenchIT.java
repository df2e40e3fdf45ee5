package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("soak")
class RecoverBenchIT {
    @Test
    void recover_fewKeys_hasTheSameRowsAfterTheKill(@TempDir Path folder) throws Exception {
        JsonNode json = TestLauncher.bench(folder, "recover", "--keys", "20000", "--seconds", "5");

        JsonNode figures = json.get("results").get(0);
        assertThat(number(figures, "state_bytes")).isBetween(20_000 * 8.0, 20_000 * 500.0);
        assertThat(number(figures, "start_seconds")).isBetween(0.1, 300.0);
        assertThat(number(figures, "first_rows_seconds")).isBetween(0.1, number(figures, "caught_up_seconds"));
        assertThat(number(figures, "window_ends_compared")).isGreaterThan(10);
    }
}
