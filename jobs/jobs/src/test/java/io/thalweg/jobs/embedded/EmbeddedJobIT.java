package io.thalweg.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.testing.Await;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a job that takes checkpoints only on request. */
@Tag("test")
@Timeout(Await.TIMEOUT_SECONDS)
class EmbeddedJobIT {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void checkpoint_noInterval_isTheOnlyOne() throws Exception {
        EmbeddedEnvironment environment = EmbeddedFlink.ending(2, StatePath.of(folder), null, null);
        environment.fromSequence(0, Long.MAX_VALUE).sinkTo(new DiscardingSink<>());
        JobClient client = environment.executeAsync();
        EmbeddedJob job = environment.job(client);

        StatePath taken = whenAllTasksRun(job);
        long interval = environment
                .cluster()
                .getExecutionGraphInfo(client.getJobID())
                .get()
                .getArchivedExecutionGraph()
                .getCheckpointCoordinatorConfiguration()
                .getCheckpointInterval();
        EmbeddedJob.Snapshot snapshot = Objects.requireNonNull(job.look());
        client.cancel().get();

        assertThat(interval)
                .as("hardly by itself")
                .isGreaterThanOrEqualTo(Duration.ofDays(1).toMillis());
        assertThat(snapshot.checkpoints().completed()).isEqualTo(1);
        assertThat(Path.of(URI.create(taken.uri())).resolve("_metadata")).isRegularFile();
        try (var runs = Files.walk(folder)) {
            assertThat(runs.filter(file -> file.endsWith("_metadata"))).hasSize(1);
        }
    }

    private static StatePath whenAllTasksRun(EmbeddedJob job) throws InterruptedException {
        while (true) {
            try {
                return job.checkpoint();
            } catch (ExecutionException e) {
                Thread.sleep(20); // not all tasks are running yet
            }
        }
    }
}
