package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.bench.harness.ProcessorTime;
import io.thalweg.bench.qalm.TurnMeter.TurnSchedule;
import io.thalweg.testing.Await;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The CPU time of processes, as Linux reports it for those of this test. */
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
        assertThat(ProcessorTime.of(Long.MAX_VALUE).used()).isZero();
    }

    @Test
    void machine_besideABusyProcess_seesWhatOthersUse() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/stat")));
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try (Machine machine = new Machine(List.of(SELF), () -> true)) {
            Await.until("the busy process is seen", () -> machine.othersCoresMax() > 0);
            assertThat(machine.othersCoresMax())
                    .isBetween(0.1, 1.1 * Runtime.getRuntime().availableProcessors());
        } finally {
            busy.destroy();
        }
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
