package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SubprocessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void awaitLine_bothStreams_findsEach() {
        try (Subprocess shell = Subprocess.start("sh", "-c", "echo port=17; echo trouble >&2; exit 3")) {
            assertThat(shell.awaitLine("port=\\d+", PATIENCE)).isEqualTo("port=17");
            assertThat(shell.awaitLine("trouble", PATIENCE)).isEqualTo("trouble");
            assertThat(shell.awaitExit(PATIENCE)).isEqualTo(3);
            assertThat(shell.stdout()).containsExactly("port=17");
            assertThat(shell.stderr()).containsExactly("trouble");
        }
    }

    @Test
    void awaitLine_neverComes_showsWhatCame() {
        try (Subprocess shell = Subprocess.start("sh", "-c", "echo something else")) {
            assertThatThrownBy(() -> shell.awaitLine("port", PATIENCE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("something else");
        }
    }

    @Test
    void signal_eachKind_isWhatTheProcessGets() {
        for (Subprocess.Signal signal : new Subprocess.Signal[] {Subprocess.Signal.TERM, Subprocess.Signal.KILL}) {
            try (Subprocess shell = Subprocess.start("sh", "-c", "echo up; exec sleep 60")) {
                shell.awaitLine("up", PATIENCE);
                shell.signal(signal);
                assertThat(shell.awaitExit(PATIENCE)).isEqualTo(128 + (signal == Subprocess.Signal.KILL ? 9 : 15));
            }
        }
        try (Subprocess shell =
                Subprocess.start("sh", "-c", "trap 'exit 7' INT; echo up; while :; do sleep 0.05; done")) {
            shell.awaitLine("up", PATIENCE);
            shell.signal(Subprocess.Signal.INT);
            assertThat(shell.awaitExit(PATIENCE)).isEqualTo(7);
        }
    }

    @Test
    void close_running_kills() {
        Subprocess shell = Subprocess.start("sleep", "60");
        shell.close();
        assertThat(shell.awaitExit(PATIENCE)).isNotZero();
        assertThat(shell.isAlive()).isFalse();
    }
}
