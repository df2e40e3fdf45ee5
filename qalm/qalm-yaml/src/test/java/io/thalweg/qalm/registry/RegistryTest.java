package io.thalweg.qalm.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryTest {
    private final FakeClock clock = new FakeClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final List<Rules> received = new ArrayList<>();

    @TempDir
    Path folder;

    private Path file;
    private Path state;

    @BeforeEach
    void paths() {
        file = folder.resolve("qalm.yaml");
        state = folder.resolve("state");
    }

    private Registry open() {
        return Registry.open(RulesYaml.file(file, state), clock, received::add);
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    private static void pollTwice(Registry registry) {
        registry.poll();
        registry.poll();
    }

    @Test
    void open_nothingThere_startsWithoutRulesAndReportsIt() {
        Registry registry = open();
        assertThat(registry.rules()).isEqualTo(Rules.NONE);
        assertThat(registry.version()).isZero();
        assertThat(registry.problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("does not exist"));
        assertThat(received).containsExactly(Rules.NONE);
    }

    @Test
    void poll_fileChanges_takesEffectAndIsAudited() throws IOException {
        write("callers: {a: 1}");
        Registry registry = open();
        assertThat(registry.version()).isOne();
        write("callers: {a: 2, b: 3}");
        pollTwice(registry);
        assertThat(registry.version()).isEqualTo(2);
        assertThat(registry.problem()).isEmpty();
        assertThat(received).hasSize(3).last().isEqualTo(registry.rules());
        assertThat(registry.trail())
                .last()
                .isEqualTo(new Change(2, clock.instant(), "file", List.of("callers.a: 1 → 2", "callers.b: – → 3")));
    }

    @Test
    void poll_fileStillBeingWritten_waitsUntilTwoPollsReadTheSame() throws IOException {
        write("mode: on\ncallers: {a: 1}\n");
        Registry registry = open();
        write("mode: on\n");
        registry.poll();
        assertThat(registry.version()).as("a valid half of a file").isOne();
        write("mode: on\ncallers: {a: 3}\n");
        registry.poll();
        assertThat(registry.version()).isOne();
        registry.poll();
        assertThat(registry.version()).isEqualTo(2);
        assertThat(registry.rules().callers()).containsKey("a");
    }

    @Test
    void poll_fileBroken_changesNothingAndIsReportedUntilRepaired() throws IOException {
        write("callers: {a: 1}");
        Registry registry = open();
        write("callers: {a: 9}");
        pollTwice(registry);
        assertThat(registry.version()).isOne();
        assertThat(registry.rules().callers()).containsEntry("a", new CallerPolicy(Criticality.CORE));
        assertThat(registry.problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("qalm.yaml: callers.a must be 0", "was 9", "version 1 stays in force"));
        write("callers: {a: 2}");
        pollTwice(registry);
        assertThat(registry.problem()).isEmpty();
        assertThat(registry.version()).isEqualTo(2);
    }

    @Test
    void open_fileBrokenOrGoneAtRestart_goesOnWithTheLastGoodCopy() throws IOException {
        write("callers: {a: 1}");
        open();
        write("callers: {a:");
        Registry broken = open();
        assertThat(broken.rules().callers()).containsKey("a");
        assertThat(broken.problem()).isPresent();
        Files.delete(file);
        Registry gone = open();
        assertThat(gone.rules().callers()).containsKey("a");
        assertThat(gone.version()).isOne();
        assertThat(gone.trail()).hasSize(1);
    }

    @Test
    void change_byAnOperator_takesEffectAtOnceAndSurvivesARestart() throws IOException {
        write("callers: {a: 1}");
        Registry registry = open();
        long version = registry.change(
                1, "alice", rules -> rules.withCaller("read", "b", new CallerPolicy(Criticality.BACKGROUND)));
        assertThat(version).isEqualTo(2);
        assertThat(received).last().isEqualTo(registry.rules());

        Registry restarted = open();
        assertThat(restarted.rules()).isEqualTo(registry.rules());
        assertThat(restarted.trail()).extracting(Change::author).containsExactly("file", "alice");
        assertThat(restarted.trail())
                .last()
                .extracting(Change::details)
                .isEqualTo(List.of("endpoints.read.callers.b: – → 3"));
        pollTwice(restarted);
        assertThat(restarted.version()).as("the file has not changed since").isEqualTo(2);
    }

    @Test
    void poll_fileEditedAfterAChange_theLatestEditWins() throws IOException {
        write("callers: {a: 1}");
        Registry registry = open();
        registry.change(1, "alice", rules -> rules.withMode(Mode.OFF));
        write("callers: {a: 0}");
        pollTwice(registry);
        assertThat(registry.rules().mode()).isEqualTo(Mode.ON);
        assertThat(registry.version()).isEqualTo(3);
    }

    @Test
    void change_twoEditors_theSecondIsRefused() {
        Registry registry = open();
        registry.change(0, "alice", rules -> rules.withMode(Mode.SHADOW));
        assertThatThrownBy(() -> registry.change(0, "bob", rules -> rules.withMode(Mode.OFF)))
                .isInstanceOf(ConflictException.class)
                .hasMessage("the rules are at version 1, by alice, not at 0; read them again and repeat the change");
        assertThat(registry.rules().mode()).isEqualTo(Mode.SHADOW);
    }

    @Test
    void change_nothingInFact_isNoNewVersion() {
        Registry registry = open();
        assertThat(registry.change(0, "alice", rules -> rules.withMode(Mode.ON)))
                .isZero();
        assertThat(registry.trail()).isEmpty();
    }

    @Test
    void open_stateBroken_isReportedAndTheFileHolds() throws IOException {
        write("callers: {a: 1}");
        open();
        Files.writeString(state.resolve("rules-in-force.yaml"), "version: [");
        Files.delete(file);
        Registry registry = open();
        assertThat(registry.rules()).isEqualTo(Rules.NONE);
        assertThat(registry.problem()).isPresent();
    }
}
