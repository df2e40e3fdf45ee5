package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who used the processors, as Linux reports it of the processes of this very test. */
class ProcessorTimeTest {
    private static final long SELF = ProcessHandle.current().pid();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static void work(long nanos) {
        long end = THREADS.getCurrentThreadCpuTime() + nanos;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void of_busyProcess_growsByWhatItUsed() {
        ProcessorTime before = ProcessorTime.of(SELF);
        work(60_000_000);
        ProcessorTime used = ProcessorTime.of(SELF).minus(before);
        assertThat(used.used()).isBetween(50_000_000L, 5_000_000_000L);
        assertThat(used.compilers()).isBetween(0L, used.used());
        assertThat(ProcessorTime.of(Long.MAX_VALUE)).isEqualTo(ProcessorTime.NONE);
    }

    @Test
    void machine_besideABusyProcess_writesWhoUsedIt(@TempDir Path folder) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/stat")));
        Path log = folder.resolve("machine.csv");
        Process idle = new ProcessBuilder("sleep", "30").start();
        try (Machine machine = Machine.watch(SELF, idle.pid(), 0, log)) {
            while (Files.readAllLines(log).size() < 3) {
                work(20_000_000);
            }
            assertThat(machine.worst().cores())
                    .isBetween(0.0, 1.1 * Runtime.getRuntime().availableProcessors());
        } finally {
            idle.destroy();
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines.get(1)).startsWith("second,service,");
        String[] values = lines.get(2).split(",", -1);
        assertThat(values).hasSameSizeAs(lines.get(1).split(",", -1));
        assertThat(Double.parseDouble(values[1])).as("this process").isGreaterThan(0.1);
        assertThat(Double.parseDouble(values[4])).as("one that sleeps").isLessThan(0.1);
    }

    @Test
    void turns_ofTwo_goForthAndBack() {
        TurnSchedule turns = new TurnSchedule(2, 2);
        assertThat(IntStream.range(0, 8).map(turns::ofTurn)).containsExactly(0, 1, 1, 0, 0, 1, 1, 0);
        assertThat(turns.at(3.9)).isEqualTo(1);
        assertThat(turns.at(-0.1)).as("in the warm-up").isEqualTo(-1);
        assertThat(turns.system(-0.1)).isZero();
    }
}
