package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.ResultFile;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that the files of {@code bench/results} are answers that a reader may quote. */
class ResultsTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final Path RESULTS = ROOT.resolve("bench/results");

    static Stream<Scenario> answered() {
        return Scenarios.all().stream().filter(scenario -> Files.exists(file(scenario)));
    }

    private static Path file(Scenario scenario) {
        return RESULTS.resolve(scenario.name() + ".json");
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answer_each_isOfCommittedCodeWithEqualRows(Scenario scenario) throws IOException {
        ResultFile answer = ResultFile.read(file(scenario));

        assertThat(answer.commit()).as("measure a commit, not a changed clone").matches("[0-9a-f]{7,}");
        assertThat(answer.date()).matches("20\\d\\d-\\d\\d-\\d\\d");
        assertThat(answer.machine()).isNotEqualTo("unknown");
        assertThat(answer.json().path("equal_results").asBoolean(true)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answer_each_hasAFigureOfItsQuestion(Scenario scenario) throws IOException {
        ResultFile answer = ResultFile.read(file(scenario));

        assertThat(scenario.figures())
                .anySatisfy(name -> assertThat(answer.figures(name)).isNotEmpty());
    }

    @Test
    void page_resultOfAnotherCommand_printsThatOne(@TempDir Path folder) throws IOException {
        Scenario scenario = new Scenario(
                "demand-full", "How?", List.of("demand", "--rounds", "5"), List.of("cores"), List.of(), List.of());
        Files.writeString(scenario.file(folder), """
                {"commit": "bbbbbbb", "date": "2026-11-29", "machine": "2 cores", "command": "thalweg bench demand --rounds 1",
                 "earlier": [{"commit": "aaaaaaa", "date": "2026-11-28", "machine": "4 cores", "command": "thalweg bench demand --rounds 2"}],
                 "results": [{"system": "thalweg", "variant": "full", "cores": 0.5, "rounds": {"cores": [0.25, 0.5, 1]}}], "ratios": {}}
                """);

        assertThat(ResultsPage.of(List.of(scenario), folder)).endsWith("""
                ## demand-full

                How?

                [demand-full.json](demand-full.json):

                - `./thalweg bench demand --rounds 2`, commit aaaaaaa, 2026-11-28, 4 cores
                - `./thalweg bench demand --rounds 1`, commit bbbbbbb, 2026-11-29, 2 cores

                | figure | load | median (range) | rounds |
                |---|---|---|---|
                | cores | full | thalweg 0.500 (0.250 to 1) | 3 |
                """);
    }

    @Test
    void files_all_answerAScenario() throws IOException {
        Set<String> expected = new HashSet<>(Set.of("README.md"));
        for (Scenario scenario : Scenarios.all()) {
            expected.addAll(List.of(scenario.name() + ".json", scenario.name() + ".svg"));
        }
        try (Stream<Path> files = Files.list(RESULTS)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .as("one file per scenario; history is in git")
                    .isSubsetOf(expected);
        }
    }

    @Test
    void page_committed_isThatOfTheFiles() throws IOException {
        assertThat(Files.readString(RESULTS.resolve("README.md")))
                .as("./thalweg bench list --markdown > bench/results/README.md")
                .isEqualTo(ResultsPage.of(Scenarios.all(), RESULTS));
    }

    @Test
    void sources_all_exist() throws IOException {
        Set<String> folders = new HashSet<>();
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            files.filter(file -> file.endsWith("src")).forEach(src -> {
                Path module = Objects.requireNonNull(src.getParent());
                folders.add(":(glob)**/" + module.getFileName() + "/src/main/**");
            });
        }
        assertThat(Scenarios.all())
                .allSatisfy(scenario -> assertThat(scenario.sources())
                        .allMatch(source -> folders.contains(source) || Files.exists(ROOT.resolve(source))));
    }

    @Test
    void names_all_differ() {
        assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
    }
}
