package io.thalweg.cli.test;

import io.thalweg.cli.test.IngestTest.Messages;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.jobs.ingest.IngestPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test of an ingest: once plainly, for what it expects, and once under each condition, for the same rows.
 *
 * <p><b>Threads.</b> One.
 *
 * @param broker where conditions that are about a topic have it
 * @param scratch a folder for messages and rows
 * @param recording whether expectations are written from what came out, instead of compared
 */
record IngestTestRun(IngestTest test, TestCluster cluster, TestBroker broker, Path scratch, boolean recording) {
    /** Files are what subtasks share: more of them than subtasks, so that some are left at the checkpoint. */
    private static final int PARTS = 4;

    private static final int SUBTASKS = 3;

    /**
     * Runs the test.
     *
     * @param failures takes lines that say what differs
     * @return the text of the new {@code expect}; null if it was not asked for
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

    /** The topic holds the same with and without a kill. */
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

    /** What the job has made on a cluster, but for its account, which is counted there. */
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
