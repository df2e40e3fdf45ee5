package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class MaterializeDryRunTest {
    @TempDir
    Path folder;

    private CommandRun dryRun(String csv) throws IOException {
        Files.writeString(folder.resolve("stats.csv"), csv);
        Path spec = Files.writeString(folder.resolve("stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: stats
                source: {csv: stats.csv}
                entities: [{name: driver, field: id, type: int64}]
                features: [{name: rating}]
                """);
        return CommandRun.of("materialize", spec, "--dry-run");
    }

    @Test
    void run_allRowsBad_failsAndNamesTheReasons() throws IOException {
        CommandRun run = dryRun("id,rating\n1,good\n2,bad\n");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("wrong_type 2, first in ").contains("rows=2 good=0 bad=2, nothing written");
        assertThat(run.failures()).containsExactly("thalweg: none of the 2 rows can be used");
    }

    @Test
    void run_someRowsBadOrNoRows_succeeds() throws IOException {
        assertThat(dryRun("id,rating\n1,4.5\n2,bad\n").exit()).isZero();
        assertThat(dryRun("id,rating\n").exit()).isZero();
    }
}
