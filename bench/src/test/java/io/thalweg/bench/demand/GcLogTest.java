package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcLogTest {
    @Test
    void read_logOfAJvm_findsItsPauses(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("gc.log");
        Files.writeString(file, """
                [2026-11-21T06:02:34.100+0000] Using Parallel
                [2026-11-21T06:02:38.158+0000] GC(27) Pause Young (Allocation Failure) 1918M->142M(1944M) 2.711ms
                [2026-11-21T06:02:41.182+0000] GC(28) Pause Full (Diagnostic Command) 1833M->90M(1905M) 103.317ms
                """);
        GcLog log = GcLog.read(file);
        assertThat(log.pauses()).hasSize(2);
        assertThat(log.heapPeakBytes()).isEqualTo(1_918L << 20);
        assertThat(log.pauses()).extracting(GcLog.Pause::asked).containsExactly(false, true);
        assertThat(log.pauses()).extracting(GcLog.Pause::full).containsExactly(false, true);
        assertThat(log.longestMillis()).as("of those that were needed").isEqualTo(2.711);
        assertThat(log.totalMillis()).isEqualTo(2.711);
        long betweenMs = Instant.parse("2026-11-21T06:02:40Z").toEpochMilli();
        assertThat(log.between(0, betweenMs).pauses()).hasSize(1);
        assertThat(log.between(betweenMs, Long.MAX_VALUE).pauses().get(0).heapAfterBytes())
                .isEqualTo(90L << 20);
    }
}
