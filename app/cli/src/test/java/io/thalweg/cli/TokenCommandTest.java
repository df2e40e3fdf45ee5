package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.server.access.Callers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenCommandTest {
    @TempDir
    Path folder;

    private final TestConsole console = new TestConsole();

    @Test
    void token_intoAFile_addsItsHashOnly() throws Exception {
        Path file = folder.resolve("callers.yaml");

        assertThat(console.run("token", "checkout", "--callers", file.toString()))
                .isZero();
        assertThat(console.run("token", "alice", "--role", "operator", "--callers", file.toString()))
                .isZero();

        String[] tokens = console.out().split("\n");
        assertThat(tokens).hasSize(2).allMatch(token -> token.matches("twg_[A-Za-z0-9_-]{43}"));
        String text = Files.readString(file);
        assertThat(text).isEqualTo("""
                        callers:
                          - {name: "checkout", role: reader, token: "%s"}
                          - {name: "alice", role: operator, token: "%s"}
                        """.formatted(Callers.hash(tokens[0]), Callers.hash(tokens[1])));
        assertThat(Callers.parse(text, "callers.yaml")).isNotNull();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void token_withoutAFile_printsTheEntryApart() {
        assertThat(console.run("token", "checkout")).isZero();

        assertThat(console.out()).matches("twg_[A-Za-z0-9_-]{43}\n");
        assertThat(console.err())
                .contains("role: reader, token: \"" + Callers.hash(console.out().strip()))
                .doesNotContain(console.out().strip());
    }

    @Test
    void token_nameThatTheFileHas_changesNothing() throws Exception {
        Path file = folder.resolve("callers.yaml");
        assertThat(console.run("token", "checkout", "--callers", file.toString()))
                .isZero();
        String before = Files.readString(file);

        assertThat(console.run("token", "checkout", "--callers", file.toString()))
                .isEqualTo(2);
        assertThat(console.err()).contains(file + ":3: callers[1].name: is there twice");
        assertThat(Files.readString(file)).isEqualTo(before);
    }

    @Test
    void token_wrongRoleOrName_isRefused() {
        assertThat(console.run("token", "checkout", "--role", "admin")).isEqualTo(2);
        assertThat(console.run("token", "a b")).isEqualTo(2);
        assertThat(console.err())
                .contains("--role must be reader or operator, was 'admin'")
                .contains("a caller's name must be 1 to 100 letters")
                .doesNotContain("sha256");
        assertThat(console.out()).isEmpty();
    }
}
