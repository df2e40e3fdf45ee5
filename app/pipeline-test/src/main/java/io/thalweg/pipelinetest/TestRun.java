package io.thalweg.pipelinetest;

import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs tests.
 *
 * <p><b>Threads.</b> One.
 *
 * @param cluster where the jobs of all tests run, one after the other, except those of the condition {@code cluster}
 * @param broker the broker of all tests
 * @param recording whether expectations are recorded from the output instead of compared
 */
record TestRun(TestTargets targets, EmbeddedCluster cluster, TestBroker broker, boolean recording) {
    /**
     * How a test ended.
     *
     * @param failures lines that describe differences; empty = none
     * @param recorded the text of the new {@code expect}; null if it was not requested
     */
    record Result(
            PipelineTest test,
            double seconds,
            List<String> failures,
            @Nullable String recorded) {
        Result {
            failures = List.copyOf(failures);
        }

        boolean passed() {
            return failures.isEmpty();
        }
    }

    /**
     * Runs a test.
     *
     * @param scratch a folder for events and checkpoints, which belongs to this test
     */
    Result run(PipelineTest test, Path scratch) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        List<String> failures = new ArrayList<>();
        String recorded = null;
        try {
            recorded = run(test, scratch, failures);
        } catch (UserError e) {
            failures.add(e.getMessage() + (e.hint().isEmpty() ? "" : "; " + e.hint()));
        }
        return new Result(test, (System.nanoTime() - begun) / 1e9, failures, recorded);
    }

    private @Nullable String run(PipelineTest test, Path scratch, List<String> failures)
            throws IOException, InterruptedException {
        TestCluster jobs = new TestCluster(cluster, targets.flink(), scratch);
        if (test instanceof PublishTest publish) {
            return new PublishTestRun(publish, targets.lookups(), jobs, broker, scratch, recording).run(failures);
        }
        return test instanceof ViewTest view
                ? new ViewTestRun(view, targets.lookups(), jobs, broker, scratch, recording).run(failures)
                : new IngestTestRun((IngestTest) test, jobs, broker, scratch, recording).run(failures);
    }
}
