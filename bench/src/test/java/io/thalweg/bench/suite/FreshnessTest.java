package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Clone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results in a repository whose code changes. */
class FreshnessTest {
    private static final String TWO_ROUNDS = ", \"rounds\": {\"cores\": [1.0, 2.0]}";

    @TempDir
    private Path folder;

    private Scenario scenario = scenario("demand", "--scale", "full", "--rounds", "3");
    private String measured = "";

    private static Scenario scenario(String... arguments) {
        return new Scenario(
                "demand-full", "", List.of(arguments), List.of("cores"), List.of(), List.of("kernel/src/main"));
    }

    @BeforeEach
    void commitCode() throws Exception {
        git("init", "-q");
        change();
        measured = new Clone(folder).commit();
    }

    private void change() throws IOException, InterruptedException {
        Path code = folder.resolve("kernel/src/main/A.java");
        Files.createDirectories(code.getParent());
        Files.writeString(code, (Files.exists(code) ? Files.readString(code) : "") + "more\n");
        git("add", ".");
        git("commit", "-q", "-m", "change");
    }

    private void git(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("git", "-C", folder.toString(), "-c", "user.name=test", "-c", "user.email=test@example.com"));
        command.addAll(List.of(words));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    /** Writes a result of this machine. */
    private void keep(String command, String rounds, String ratios) throws IOException {
        String machine = "%d cores, 1 kB, %s %s, JDK %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
        Files.writeString(scenario.file(folder), """
                {"commit": "%s", "machine": "%s", "command": "thalweg bench %s", "round_seconds": 600,
                 "results": [{"system": "thalweg", "variant": "full", "cores": 1.5%s}],
                 "ratios": {%s}, "equal_results": true}
                """.formatted(measured, machine, command, rounds, ratios));
    }

    private Freshness freshness() throws IOException {
        return Freshness.of(scenario, folder, new Clone(folder));
    }

    @Test
    void of_noResult_isMeasuredInOneRun() throws Exception {
        assertThat(freshness()).isEqualTo(new Freshness("not measured", 3, false, Duration.ofMinutes(90)));
    }

    @Test
    void of_fewerRoundsOfThisCode_addsOne() throws Exception {
        keep("demand --scale full --rounds 1", TWO_ROUNDS, "");
        assertThat(freshness()).isEqualTo(new Freshness("incomplete: 2 of 3 rounds", 1, true, Duration.ofMinutes(10)));
    }

    @Test
    void of_fewerRoundsOfAContest_measuresAllAgain() throws Exception {
        keep("demand --scale full --rounds 2", TWO_ROUNDS, "\"thalweg_vs_flink\": 2.0");
        assertThat(freshness()).isEqualTo(new Freshness("stale: 2 of 3 rounds", 3, false, Duration.ofMinutes(30)));
    }

    @Test
    void of_allRoundsOfThisCode_isCurrent() throws Exception {
        scenario = scenario("demand", "--scale", "full", "--rounds", "2");
        keep("demand --scale full --rounds 1", TWO_ROUNDS, "");
        assertThat(freshness().isCurrent()).isTrue();
    }

    @Test
    void of_otherCode_beginsWithOneRound() throws Exception {
        keep("demand --scale full --rounds 3", TWO_ROUNDS, "");
        change();
        change();
        assertThat(freshness()).isEqualTo(new Freshness("stale: 2 commits behind", 1, false, Duration.ofMinutes(10)));
    }

    @Test
    void of_otherCommandOrUnknownCommit_isStale() throws Exception {
        keep("demand --scale medium --rounds 3", TWO_ROUNDS, "");
        assertThat(freshness().text()).isEqualTo("stale: measured by another command");
        measured = "abcdef1";
        keep("demand --scale full --rounds 3", TWO_ROUNDS, "");
        assertThat(freshness().text()).isEqualTo("stale: of an unknown commit");
    }

    @Test
    void assumedRound_ofASoak_hasItsHours() {
        assertThat(scenario("demand", "--hours", "2").assumedRound()).isEqualTo(Duration.ofMinutes(150));
    }
}
