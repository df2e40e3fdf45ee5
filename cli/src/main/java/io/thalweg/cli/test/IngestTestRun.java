package io.thalweg.cli.test;

import io.thalweg.cli.test.IngestTest.Messages;
import io.thalweg.cli.test.PipelineTest.Condition;
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
 * @param scratch a folder for messages and rows
 * @param recording whether expectations are written from what came out, instead of compared
 */
record IngestTestRun(IngestTest test, TestCluster cluster, Path scratch, boolean recording) {
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
            IngestOutcome others = under(condition, came.records());
            failures.addAll(comparison.of(condition.text(), others));
        }
        return recording ? new IngestRecording(test, came).text() : null;
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
