package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CompletionCommandTest {
    private final TestConsole console = new TestConsole();

    @TempDir
    Path folder;

    /** Returns the commands of the help. */
    private static Stream<String> commands() {
        return Main.commands(new TestConsole().console()).keySet().stream();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completion_ofBash_completesAWord(String shell) throws IOException {
        assertThat(console.run("completion", shell)).isZero();
        Path script = Files.writeString(folder.resolve("thalweg.bash"), console.out());

        String words =
                "source '%s'; COMP_WORDS=(thalweg val); COMP_CWORD=1; _complete_thalweg; echo \"${COMPREPLY[@]}\""
                        .formatted(script);
        try (Subprocess bash = Subprocess.start(folder, Map.of(), List.of("bash", "-c", words))) {
            assertThat(bash.awaitExit(Await.PATIENCE))
                    .as(() -> bash.stderr().toString())
                    .isZero();
            assertThat(bash.stdout()).containsExactly("validate");
        }
    }

    @Test
    void completion_ofFish_hasEveryCommandAndItsOptions() {
        assertThat(console.run("completion", "fish")).isZero();

        for (String command : commands().toList()) {
            assertThat(console.out()).contains("-n '__fish_use_subcommand' -f -a '" + command + "' -d '");
        }
        assertThat(console.out())
                .contains("-n '__fish_seen_subcommand_from get' -s e -l entity")
                .contains(
                        "-n '__fish_seen_subcommand_from store; and not __fish_seen_subcommand_from backup restore' -f -a 'backup'")
                .contains("'Hexagons that have a row at a window end, per group. Default: 100000.'");
    }

    @Test
    void commands_haveTheNamesOfTheirAnnotations() {
        Main.commands(new TestConsole().console())
                .forEach((name, command) ->
                        assertThat(of(command.get()).getCommandName()).isEqualTo(name));
    }

    private static CommandLine of(Object command) {
        return command instanceof CommandLine line ? line : new CommandLine(command);
    }
}
