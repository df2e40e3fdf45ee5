package io.thalweg.pipelinetest;

import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRead;
import io.thalweg.pipelinetest.PipelineTest.ReadRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The reads that a test expects. The job writes into an embedded store and pauses at the time of each read, after the events up to that
 * time.
 *
 * <p><b>Threads.</b> One.
 *
 * @param reads in the order of their moments
 * @param folder of the store
 */
record ViewReads(FeatureView view, List<ExpectedRead> reads, Path folder) {
    /** The answer of a read. */
    record Answer(ExpectedRead read, List<Row> rows) {}

    /**
     * The answer of a read for a key.
     *
     * @param windowEndMs null = the row has none
     * @param features those without a value are null
     */
    record Row(ReadStatus status, @Nullable Long windowEndMs, Map<String, @Nullable Number> features) {
        /** For people. */
        String text() {
            return status + (windowEndMs == null ? "" : " window_end=" + time(windowEndMs)) + " " + features;
        }
    }

    /**
     * Runs a job and reads while it waits.
     *
     * @param job writes into a store in this folder
     * @param events of the job
     */
    List<Answer> answers(TestCluster cluster, Function<Path, ViewJob> job, CountedEvents events)
            throws IOException, InterruptedException {
        List<Answer> answers = new ArrayList<>();
        try (ReadableStore store = ReadableStore.open(view, folder)) {
            List<TestCluster.Pause> pauses = reads.stream()
                    .map(read -> new TestCluster.Pause(
                            events.before(read.atMs()),
                            () -> store.moveTo(read.atMs()),
                            store::watermark,
                            () -> answers.add(store.read(read))))
                    .toList();
            cluster.run(job.apply(folder), pauses);
        }
        return answers;
    }

    /** Returns how answers differ from the expected ones, in lines; empty if they do not. */
    static List<String> differences(FeatureView view, List<Answer> answers) {
        List<String> lines = new ArrayList<>();
        for (Answer answer : answers) {
            for (int i = 0; i < answer.rows().size(); i++) {
                compare(
                        view,
                        answer.read(),
                        answer.read().rows().get(i),
                        answer.rows().get(i),
                        lines);
            }
        }
        return lines;
    }

    private static void compare(FeatureView view, ExpectedRead read, ReadRow expected, Row was, List<String> lines) {
        List<String> differences = new ArrayList<>();
        if (expected.status() != was.status()) {
            differences.add("  status: expected %s, was %s".formatted(expected.status(), was.status()));
        }
        if (expected.windowEndMs() != null && !expected.windowEndMs().equals(was.windowEndMs())) {
            differences.add("  window_end: expected %s, was %s"
                    .formatted(
                            time(expected.windowEndMs()), was.windowEndMs() == null ? null : time(was.windowEndMs())));
        }
        expected.features().forEach((name, value) -> {
            if (!value.matches(was.features().get(name))) {
                differences.add("  %s: expected %s, was %s"
                        .formatted(name, value.text(), was.features().get(name)));
            }
        });
        if (!differences.isEmpty()) {
            lines.add("read at %s of %s differs:".formatted(time(read.atMs()), Texts.of(view, expected.entities())));
            lines.addAll(differences);
        }
    }

    private static String time(long ms) {
        return Instant.ofEpochMilli(ms).toString();
    }
}
