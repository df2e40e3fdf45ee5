package io.thalweg.pipelinetest;

import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.pipelinetest.TestRun.Result;
import io.thalweg.runner.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs tests one after the other in one embedded cluster, which starts with the first of them, and with one Kafka broker, which starts
 * with the first that needs it.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class TestSession implements AutoCloseable {
    private final EmbeddedCluster cluster = new EmbeddedCluster();
    private final TestBroker broker = new TestBroker();
    private final Path scratch;
    private int tests;

    TestSession() throws IOException {
        scratch = Files.createTempDirectory("thalweg-test");
    }

    /**
     * Runs a test.
     *
     * @param recording whether expectations are recorded from the output instead of compared
     */
    Result run(PipelineTest test, TestTargets targets, boolean recording) throws IOException, InterruptedException {
        Path own = Files.createDirectory(scratch.resolve(String.valueOf(tests++)));
        try {
            return new TestRun(targets, cluster, broker, recording).run(test, own);
        } finally {
            Folders.deleteQuietly(own);
        }
    }

    /** Stops everything that was started and removes its files. */
    @Override
    public void close() {
        try (broker) {
            cluster.close();
        } finally {
            Folders.deleteQuietly(scratch);
        }
    }
}
