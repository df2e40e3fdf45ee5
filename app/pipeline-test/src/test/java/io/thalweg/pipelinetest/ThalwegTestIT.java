package io.thalweg.pipelinetest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.thalweg.model.problem.DefinitionException;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Definitions of {@code kind: Test} as dynamic tests of JUnit. */
@Timeout(Await.TIMEOUT_SECONDS)
public class ThalwegTestIT {
    private static final Path EXAMPLES = Checkout.file("examples");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Tag("soak")
    @TestFactory
    Stream<DynamicTest> examples() {
        return ThalwegTest.in(EXAMPLES.resolve("tests"))
                .map(test -> dynamicTest(test.name(), test.source(), test::run));
    }

    @Tag("test")
    @Test
    void run_wrongExpectation_throwsWhatDiffers() throws IOException {
        Path tests = Files.createDirectory(folder.resolve("tests"));
        Files.copy(EXAMPLES.resolve("ride_events.yaml"), folder.resolve("ride_events.yaml"));
        Files.copy(EXAMPLES.resolve("rides.thrift"), folder.resolve("rides.thrift"));
        Path file = tests.resolve("rides.yaml");
        Files.writeString(
                file,
                Files.readString(EXAMPLES.resolve("tests").resolve("ride_events.yaml"))
                        .replace("fare_cents: 1250, surcharges: {airport: 2.5}, pickup", "fare_cents: 1300, pickup")
                        .replace("under: [", "under: [] # ["));

        try (Stream<ThalwegTest> stream = ThalwegTest.in(file)) {
            List<ThalwegTest> found = stream.toList();
            assertThat(found)
                    .extracting(ThalwegTest::name)
                    .containsExactly("ride_events_drops_tests_and_keeps_the_rest");
            assertThat(found.get(0).source()).hasToString(file.toUri() + "?line=3");
            assertThatThrownBy(found.get(0)::run)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("ride_events_drops_tests_and_keeps_the_rest (" + file + ":3)")
                    .hasMessageContaining("fare_cents: expected 1300, was 1250");
        }
    }

    @Tag("test")
    @Test
    void in_brokenDefinition_throwsItsProblems() throws IOException {
        Path file =
                Files.writeString(folder.resolve("test.yaml"), "apiVersion: thalweg/v1\nkind: Test\nname: sample\n");

        assertThatThrownBy(() -> ThalwegTest.in(file))
                .isInstanceOf(DefinitionException.class)
                .hasMessageContaining("view: is required");
    }
}
