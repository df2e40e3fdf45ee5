package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {
    /** More than a block. */
    private static final int PORTS = 120;

    /** Prints ports, one a line, and keeps its reservations until its input ends. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < PORTS; i++) {
                System.out.println(FreePorts.next());
            }
            System.out.println("done");
            int unused = System.in.read();
        }
    }

    @Test
    void next_inTwoProcesses_isNeverTheSame() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (Subprocess other = Subprocess.start(
                java,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                OtherProcess.class.getName())) {
            other.awaitLine("done", Duration.ofMinutes(5));
            List<String> ports = new ArrayList<>(other.stdout());
            ports.remove("done");
            for (int i = 0; i < PORTS; i++) {
                ports.add(String.valueOf(FreePorts.next()));
            }

            assertThat(ports).hasSize(2 * PORTS).doesNotHaveDuplicates();
            assertThat(ports)
                    .allSatisfy(port -> assertThat(Integer.parseInt(port)).isBetween(12_000, 32_767));
        }
    }
}
