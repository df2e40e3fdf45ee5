package io.thalweg.jobs.ingest.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitLatencyTest {
    private final CommitLatency latency = new CommitLatency();
    private final List<Double> observed = new ArrayList<>();

    @Test
    void complete_observesTheOldestRecordOfEachCheckpoint() {
        latency.read(5_000);
        latency.read(3_000);
        latency.read(-1);
        latency.snapshot(1);
        latency.read(7_000);
        latency.snapshot(2);
        latency.snapshot(3);

        latency.complete(1, 10_000, observed::add);
        assertThat(observed).containsExactly(7.0);
        latency.complete(3, 12_500, observed::add);
        assertThat(observed).containsExactly(7.0, 5.5);
        latency.complete(4, 20_000, observed::add);
        assertThat(observed).hasSize(2);
    }

    @Test
    void complete_checkpointBeforeFailed_isCommittedWithTheNext() {
        latency.read(1_000);
        latency.snapshot(1);
        latency.read(2_000);
        latency.snapshot(2);

        latency.complete(2, 4_000, observed::add);

        assertThat(observed).containsExactly(3.0, 2.0);
    }
}
