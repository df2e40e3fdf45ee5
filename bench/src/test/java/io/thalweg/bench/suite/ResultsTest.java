package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files of {@code bench/results} are answers that a reader may quote. */
class ResultsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
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
        Answer answer = Answer.of(scenario, RESULTS).orElseThrow();

        assertThat(answer.commit()).as("measure a commit, not a changed clone").matches("[0-9a-f]{7,}");
        assertThat(answer.date()).matches("20\\d\\d-\\d\\d-\\d\\d");
        assertThat(answer.machine()).isNotEqualTo("unknown");
        assertThat(answer.json().path("equal_results").asBoolean(true)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answer_each_hasAFigureOfItsQuestion(Scenario scenario) throws IOException {
        Answer answer = Answer.of(scenario, RESULTS).orElseThrow();

        assertThat(scenario.figures())
                .anySatisfy(name -> assertThat(answer.figures(name)).isNotEmpty());
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
    void sources_all_exist() {
        assertThat(Scenarios.all())
                .allSatisfy(scenario -> assertThat(scenario.sources())
                        .allSatisfy(source -> assertThat(ROOT.resolve(source)).exists()));
    }

    @Test
    void names_all_differ() {
        assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
    }
}
