package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SubprocessTest {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String TRAPS = "trap 'exit 7' INT; trap 'exit 8' TERM; echo up; while :; do sleep 0.05; done";

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
    void signal_termAndKill_endTheProcess() {
        for (Subprocess.Signal signal : new Subprocess.Signal[] {Subprocess.Signal.TERM, Subprocess.Signal.KILL}) {
            try (Subprocess shell = Subprocess.start("sh", "-c", "echo up; exec sleep 600")) {
                shell.awaitLine("up", PATIENCE);
                shell.signal(signal);
                assertThat(shell.awaitExit(PATIENCE)).isEqualTo(128 + (signal == Subprocess.Signal.KILL ? 9 : 15));
            }
        }
    }

    /** Whatever the shell that started the build ignores. */
    @Test
    void interrupt_childCatchesInterrupts_getsOne() {
        assumeTrue(setsSignals(), "this env cannot set signals");
        try (Subprocess shell = Subprocess.start("env", "--default-signal=INT", "sh", "-c", TRAPS)) {
            shell.awaitLine("up", PATIENCE);
            shell.interrupt();
            assertThat(shell.awaitExit(PATIENCE)).isEqualTo(7);
        }
    }

    /** As under {@code trap '' INT; ./mvnw verify}, or in a job that a script started with {@code &}. */
    @Test
    void interrupt_childIgnoresInterrupts_isTerminated() {
        assumeTrue(setsSignals(), "this env cannot set signals");
        try (Subprocess shell = Subprocess.start("env", "--ignore-signal=INT", "sh", "-c", TRAPS)) {
            shell.awaitLine("up", PATIENCE);
            shell.interrupt();
            assertThat(shell.awaitExit(PATIENCE)).isEqualTo(8);
        }
    }

    private static boolean setsSignals() {
        try (Subprocess env = Subprocess.start("env", "--default-signal=INT", "true")) {
            return env.awaitExit(PATIENCE) == 0;
        }
    }

    @Test
    void close_running_kills() {
        Subprocess shell = Subprocess.start("sleep", "600");
        shell.close();
        assertThat(shell.awaitExit(PATIENCE)).isNotZero();
        assertThat(shell.isAlive()).isFalse();
    }
}
