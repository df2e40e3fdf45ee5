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
        return CommandRun.of("materialize", spec("stats", csv), "--dry-run");
    }

    private Path spec(String name, String csv) throws IOException {
        Files.writeString(folder.resolve(name + ".csv"), csv);
        return Files.writeString(folder.resolve(name + ".yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: %s
                source: {csv: %s.csv}
                entities: [{name: driver, field: id, type: int64}]
                features: [{name: rating}]
                """.formatted(name, name));
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
        CommandRun none = dryRun("id,rating\n");
        assertThat(none.exit()).isZero();
        assertThat(none.err()).isEqualTo("""
                        stats: skipped 1 file without rows: %s
                        stats: no rows to load
                        stats: files=0 rows=0 good=0 bad=0, nothing written
                        """.formatted(folder.resolve("stats.csv")));
    }

    @Test
    void run_oneOfSeveralTablesBroken_readsTheOthersAndFails() throws IOException {
        Path good = spec("good", "id,rating\n1,4.5\n");
        Path unfit = spec("unfit", "id,stars\n1,4.5\n");
        Path bad = spec("bad", "id,rating\n1,many\n");
        Path last = spec("last", "id,rating\n2,3.5\n");

        CommandRun run = CommandRun.of("materialize", good, unfit, bad, last, "--dry-run");

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.out()).contains("\"view\":\"good\"", "\"view\":\"last\"");
        assertThat(run.failures())
                .containsExactly(
                        "thalweg: features[0]: no file of %s has a column rating; known: id, stars"
                                .formatted(folder.resolve("unfit.csv")),
                        "thalweg: none of the 1 rows can be used",
                        "thalweg: 2 of 4 loads failed: unfit, bad");
        assertThat(CommandRun.of("materialize", bad, good, "--dry-run").exit()).isEqualTo(1);
    }
}
