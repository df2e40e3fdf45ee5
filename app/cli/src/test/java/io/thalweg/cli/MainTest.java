package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    private final TestConsole console = new TestConsole();

    @Test
    void run_version_namesVersionAndPerhapsCommit() {
        assertThat(console.run("--version")).isZero();
        assertThat(console.out()).matches("thalweg \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?( \\([0-9a-f]{7,}\\))?\n");
    }

    @Test
    void run_help_listsEveryCommand() {
        assertThat(console.run("--help")).isZero();
        assertThat(console.out())
                .contains("demo", "run", "serve", "get", "scan", "validate", "explain", "views", "init", "verify");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "scan", "validate", "explain", "views", "init", "verify"})
    void run_helpOfACommand_hasAnExample(String command) {
        assertThat(console.run(command, "--help")).isZero();
        assertThat(console.out()).contains("Example").contains("  thalweg " + command + " ");
        TestConsole other = new TestConsole();
        assertThat(other.run("help", command)).isZero();
        assertThat(other.out()).isEqualTo(console.out());
    }

    @Test
    void run_noCommand_isWrongUse() {
        assertThat(console.run()).isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: name a command\n  hint: ");
    }

    @Test
    void run_unknownCommand_suggestsTheNearest() {
        assertThat(console.run("explan", "x")).isEqualTo(2);
        assertThat(console.err())
                .isEqualTo("thalweg: unknown command explan\n  hint: did you mean 'explain'? see thalweg --help\n");
    }

    @Test
    void run_wrongUseOnATerminal_isColouredUnlessNoColorIsSet() {
        assertThat(console.onATerminal().run("explan")).isEqualTo(2);
        assertThat(console.err()).startsWith("\u001b[1m\u001b[31mthalweg:").contains("\u001b[1mhint:");

        TestConsole plain = new TestConsole(Map.of("NO_COLOR", "1")).onATerminal();
        assertThat(plain.run("explan")).isEqualTo(2);
        assertThat(plain.err()).startsWith("thalweg: unknown command explan\n  hint: ");
    }

    @Test
    void run_unknownOption_suggestsTheNearest() {
        assertThat(console.run("explain", "demand.yaml", "--active-cell=5")).isEqualTo(2);
        assertThat(console.err()).isEqualTo("""
                        thalweg: unknown option --active-cell=5
                          hint: did you mean '--active-cells'? see thalweg explain --help
                        """);
    }

    @Test
    void run_optionOfAWrongType_isToldInOneLine() {
        assertThat(console.run("explain", "demand.yaml", "--groups", "six")).isEqualTo(2);
        assertThat(console.err())
                .startsWith("thalweg: Invalid value for option '--groups'")
                .hasLineCount(2);
    }

    @Test
    void run_missingArgument_isToldInOneLine() {
        assertThat(console.run("validate")).isEqualTo(2);
        assertThat(console.err())
                .isEqualTo("thalweg: Missing required parameter: 'FILE'\n  hint: see thalweg validate --help\n");
    }

    @Test
    void run_failureWithDebug_showsTheStackTrace() {
        assertThat(console.run("explain", "nowhere.yaml", "--debug")).isEqualTo(2);
        assertThat(console.err()).contains("nowhere.yaml: cannot be read: no such file", "\tat io.thalweg.");
    }
}
