package io.thalweg.bench.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.bench.ingest.CommitLatency.Commit;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CommitLatencyTest {
    /** A message a millisecond. */
    private static final long[] SENT_MS = LongStream.range(1_000, 1_400).toArray();

    @Test
    void of_commits_countFromTheTimeOfEachMessage() {
        // 100 messages are skipped; the next hundred wait 100 to 1 ms, those behind 200 to 101 ms; the last ones do not
        // count.
        assertThat(CommitLatency.of(
                        SENT_MS, List.of(new Commit(1_200, 200), new Commit(1_400, 100), new Commit(1_400, 100)), 100))
                .containsEntry("latency_p50_ms", 100L)
                .containsEntry("latency_p99_ms", 198L)
                .containsEntry("latency_max_ms", 200L);
    }

    @Test
    void of_emptyCommits_areNothing() {
        assertThat(CommitLatency.of(
                        SENT_MS, List.of(new Commit(1_100, 0), new Commit(1_500, 399), new Commit(1_600, 1)), 0))
                .containsEntry("latency_max_ms", 500L);
    }

    @Test
    void of_onlyTheEnd_fails() {
        assertThatThrownBy(() -> CommitLatency.of(SENT_MS, List.of(new Commit(1_500, 400)), 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("400");
    }
}
