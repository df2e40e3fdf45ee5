package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Sets;
import io.thalweg.bench.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Checks that the files of {@code bench/results} are answers that a reader may quote. */
class ResultsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path RESULTS = ROOT.resolve("bench/results");
    private static final String PREFIX = "thalweg bench ";

    /** Measured before their scenarios had the present commands: with another load, other systems, or options that no longer exist. */
    private static final Set<String> OTHER_LOAD = Set.of(
            "demand-skew",
            "demand-soak",
            "ingest-json",
            "publish-cassandra",
            "publish-redis",
            "qalm-e1-rivals",
            "recover",
            "serve-history");

    /** Their commands give the seconds that each experiment takes by default. */
    private static final Set<String> SECONDS_NAMED = Set.of(
            "qalm-e1",
            "qalm-e2",
            "qalm-e4",
            "qalm-e5",
            "qalm-e6",
            "qalm-e7",
            "qalm-e8",
            "qalm-e9",
            "qalm-e10",
            "qalm-e11",
            "qalm-e12");

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
    void commands_all_areThoseOfTheirScenarios() {
        assertThat(answered().filter(scenario -> !isMeasured(scenario)).map(Scenario::name))
                .as("./thalweg bench run NAME; a scenario that was measured again leaves the lists")
                .containsExactlyInAnyOrderElementsOf(Sets.union(OTHER_LOAD, SECONDS_NAMED));
    }

    /** Whether the command of the kept result is equivalent to the scenario's, except for the number of rounds. */
    private static boolean isMeasured(Scenario scenario) {
        try {
            String command = Answer.of(scenario, RESULTS)
                    .orElseThrow()
                    .json()
                    .path("command")
                    .asText();
            return command.startsWith(PREFIX)
                    && values(command.substring(PREFIX.length())).equals(values(scenario.command()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ParameterException e) {
            return false; // of an option that no longer exists
        }
    }

    /** Returns the value of each option, or its default if it is not given. */
    private static Map<String, String> values(String command) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        ParseResult parsed = Main.commandLine(nowhere, nowhere)
                .parseArgs(command.split(" ", -1))
                .subcommand();
        Map<String, String> values =
                new TreeMap<>(Map.of("command", parsed.commandSpec().name()));
        for (ArgSpec arg : parsed.commandSpec().args()) {
            String name = arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
            if (!name.equals("--rounds")) {
                values.put(name, Objects.toString(arg.getValue()));
            }
        }
        return values;
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
