package io.thalweg.pipelinetest;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.pipelinetest.IngestTest.Messages;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Runs an ingest test: once plainly, to compare the expectation, and once under each condition, which must make the same
 * rows.
 *
 * <p><b>Threads.</b> One.
 *
 * @param broker the broker for conditions on a topic
 * @param scratch a folder for messages and rows
 * @param recording whether expectations are recorded from the output instead of compared
 */
record IngestTestRun(IngestTest test, TestCluster cluster, TestBroker broker, Path scratch, boolean recording) {
    /** Subtasks share the work by files, so there are more files than subtasks, and some are left at the checkpoint. */
    private static final int PARTS = 4;

    private static final int SUBTASKS = 3;

    /**
     * Runs the test.
     *
     * @param failures receives lines that describe differences
     * @return the text of the new {@code expect}; null if it was not requested
     */
    @Nullable
    String run(List<String> failures) throws IOException, InterruptedException {
        RecordFiles files = files(1);
        IngestOutcome came =
                cluster.run(new IngestTestJob(test.plan(), files.files(), scratch.resolve("plain-run")), 1);
        IngestComparison comparison = new IngestComparison(came, files, test.explain());
        IngestTest.Expected expect = test.expect();
        if (expect != null && !recording) {
            failures.addAll(comparison.of(expect));
        }
        for (Condition condition : test.under()) {
            IngestPlan delivered = test.delivered().get(condition);
            failures.addAll(
                    condition == Condition.CLUSTER
                            ? comparison.ofRows(condition.text(), onFlink())
                            : delivered == null
                                    ? comparison.of(condition.text(), under(condition, came.records()))
                                    : delivered(delivered, condition, came.records()));
        }
        return recording ? new IngestRecording(test, came).text() : null;
    }

    /** Compares the content of the topic with and without a kill. */
    private List<String> delivered(IngestPlan plan, Condition condition, long records)
            throws IOException, InterruptedException {
        List<byte[]> expected = cluster.run(delivered(plan, condition + "-alone"), 2);
        List<byte[]> came = cluster.run(delivered(plan, condition + "-killed"), condition, records);
        return DeliveredRecords.differences(condition.text(), condition == Condition.EXACTLY_ONCE, expected, came);
    }

    private DeliveredIngestJob delivered(IngestPlan plan, String name) throws IOException {
        return new DeliveredIngestJob(
                plan, files(PARTS).files(), broker, broker.newTopic("ingested"), scratch.resolve(name));
    }

    /** Returns the outcome on a cluster, without the account, which the cluster counts. */
    private IngestOutcome onFlink() throws IOException, InterruptedException {
        Path folder = scratch.resolve(Condition.CLUSTER.text() + "-run");
        return cluster.runOnFlink(new IngestTestJob(test.plan(), files(PARTS).files(), folder));
    }

    private IngestOutcome under(Condition condition, long records) throws IOException, InterruptedException {
        Path folder = scratch.resolve(condition.text() + "-run");
        if (condition == Condition.SHUFFLE_PARTITIONS && test.messages() instanceof Messages.Inline inline) {
            List<byte[]> shuffled = new ArrayList<>(inline.records());
            Collections.shuffle(shuffled, new Random(test.name().hashCode()));
            RecordFiles parts = RecordFiles.write(shuffled, PARTS, scratch.resolve("shuffled"));
            return cluster.run(new IngestTestJob(test.plan(), parts.files(), folder), SUBTASKS);
        }
        return cluster.run(new IngestTestJob(test.plan(), files(PARTS).files(), folder), condition, records);
    }

    private RecordFiles files(int parts) throws IOException {
        return test.messages() instanceof Messages.Inline inline
                ? RecordFiles.write(inline.records(), parts, scratch.resolve("records-" + parts))
                : RecordFiles.of(((Messages.File) test.messages()).file());
    }
}
