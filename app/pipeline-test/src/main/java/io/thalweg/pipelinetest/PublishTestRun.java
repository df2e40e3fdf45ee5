package io.thalweg.pipelinetest;

import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PipelineTest.Events;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRead;
import io.thalweg.pipelinetest.PipelineTest.ReadRow;
import io.thalweg.pipelinetest.PublishJob.Published;
import io.thalweg.pipelinetest.PublishTest.Expected;
import io.thalweg.pipelinetest.PublishTest.Input;
import io.thalweg.pipelinetest.PublishTest.TopicRecord;
import io.thalweg.pipelinetest.ViewReads.Answer;
import io.thalweg.runner.ConfiguredLookups;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test of publishing. Before each read, the job publishes the records up to that time into an embedded store, which a server reads.
 * Under a condition, the job is killed, and at the end all reads must return the same as without the kill.
 *
 * <p><b>Threads.</b> One.
 *
 * @param scratch a folder for events and stores
 * @param recording whether expectations are recorded from the output instead of compared
 */
record PublishTestRun(
        PublishTest test,
        ConfiguredLookups lookups,
        TestCluster cluster,
        TestBroker broker,
        Path scratch,
        boolean recording) {
    private static final int SHOWN = 3;
    private static final long LOOK_MS = 20;

    /**
     * Runs the test.
     *
     * @param failures receives lines that describe differences
     * @return the text of the new {@code expect}; null if it was not requested
     */
    @Nullable
    String run(List<String> failures) throws IOException, InterruptedException {
        Expected expect = test.expect();
        List<ExpectedRead> reads = expect == null ? List.of() : expect.reads();
        List<Answer> answers = new ArrayList<>();
        Published published;
        List<Answer> all;
        List<TopicRecord> records;
        try (ReadableStore store = ReadableStore.open(test.view(), scratch.resolve("store"))) {
            FeatureView view = toTopic();
            if (test.input() instanceof Input.Listed listed) {
                records = listed.records();
                publish(view, records, reads, store, answers);
            } else {
                publish(view, ((Input.OfView) test.input()).events(), reads, store, answers);
                records = broker.committedAtTheEnd(topic(view)).stream()
                        .map(value -> TopicRows.record(test.view(), value))
                        .toList();
            }
            long lastMs = lastMs(reads, records);
            store.moveTo(lastMs);
            published = cluster.run(new PublishJob(view, broker, store.folder(), lastMs, true), 1);
            all = allKeys(store, records, lastMs);
        }
        if (expect != null && !recording) {
            compare(expect, published, answers, failures);
        }
        for (Condition condition : test.under()) {
            failures.addAll(differences(condition, all, under(condition, reads, records)));
        }
        return recording ? text(published, answers) : null;
    }

    private void compare(Expected expect, Published published, List<Answer> answers, List<String> failures) {
        failures.addAll(expect.counts().differences(published.counts()));
        if (expect.letters() != null) {
            failures.addAll(DeadLetterKind.differences(expect.letters(), published.letters()));
        }
        failures.addAll(ViewReads.differences(test.view(), answers));
    }

    private FeatureView toTopic() {
        SinkSpec own = Objects.requireNonNull(test.view().sink(), "checked when the test was read");
        return test.view()
                .withSink(new SinkSpec(
                        broker.newTopic("rows"), own.kafka(), own.format(), SinkSpec.Delivery.AT_LEAST_ONCE));
    }

    private static String topic(FeatureView view) {
        return Objects.requireNonNull(view.sink()).topic();
    }

    /** Writes the records up to each read, publishes them and reads. */
    private void publish(
            FeatureView view,
            List<TopicRecord> records,
            List<ExpectedRead> reads,
            ReadableStore store,
            List<Answer> answers)
            throws IOException, InterruptedException {
        int written = 0;
        for (ExpectedRead read : reads) {
            int to = written;
            while (to < records.size() && records.get(to).atMs() <= read.atMs()) {
                to++;
            }
            broker.write(topic(view), records.subList(written, to));
            written = to;
            answers.add(answer(view, read, store));
        }
        broker.write(topic(view), records.subList(written, records.size()));
    }

    private Answer answer(FeatureView view, ExpectedRead read, ReadableStore store)
            throws IOException, InterruptedException {
        store.moveTo(read.atMs());
        cluster.run(new PublishJob(view, broker, store.folder(), read.atMs(), true), 1);
        return store.read(read);
    }

    /** Pauses the view's job after the events up to each read, and publishes what it has written. */
    private void publish(
            FeatureView view, Events events, List<ExpectedRead> reads, ReadableStore store, List<Answer> answers)
            throws IOException, InterruptedException {
        String file = events.file(scratch);
        CountedEvents counted = CountedEvents.read(test.view(), file, lookups);
        List<TestCluster.Pause> pauses = reads.stream()
                .map(read -> new TestCluster.Pause(
                        counted.before(read.atMs()),
                        () -> {},
                        () -> broker.committed(topic(view)).size(),
                        () -> answers.add(answer(view, read, store))))
                .toList();
        cluster.run(new DeliveredViewJob(view, file, lookups, broker, "test-" + topic(view)), pauses);
    }

    private static long lastMs(List<ExpectedRead> reads, List<TopicRecord> records) {
        long last = reads.stream().mapToLong(ExpectedRead::atMs).max().orElse(Long.MIN_VALUE);
        return Math.max(
                last, records.stream().mapToLong(TopicRecord::atMs).max().orElse(0));
    }

    /** Reads every key that has a row. */
    private List<Answer> allKeys(ReadableStore store, List<TopicRecord> records, long atMs)
            throws IOException, InterruptedException {
        List<ReadRow> keys = TopicRows.entities(test.view(), records).stream()
                .map(entities -> new ReadRow(entities, null, null, Map.of()))
                .toList();
        List<Answer> answers = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += ReadableStore.MOST_KEYS) {
            int to = Math.min(keys.size(), from + ReadableStore.MOST_KEYS);
            answers.add(store.read(new ExpectedRead(atMs, keys.subList(from, to))));
        }
        return answers;
    }

    /**
     * Publishes with a kill. The job reads half of the records and takes a checkpoint. It reads another quarter and is killed. Then it
     * resumes from the checkpoint with the rest.
     */
    private List<Answer> under(Condition condition, List<ExpectedRead> reads, List<TopicRecord> records)
            throws IOException, InterruptedException {
        int half = records.size() / 2;
        int lost = Math.min(records.size(), half + Math.max(1, records.size() / 4));
        long lastMs = lastMs(reads, records);
        FeatureView view = toTopic();
        try (ReadableStore store = ReadableStore.open(test.view(), scratch.resolve(condition.text() + "-store"))) {
            store.moveTo(lastMs);
            cluster.run(
                    new PublishJob(view, broker, store.folder(), lastMs, false),
                    condition,
                    ended -> give(view, records.subList(0, half), lastMs, ended),
                    ended -> give(view, records.subList(half, lost), lastMs, ended),
                    ended -> give(view, records.subList(lost, records.size()), lastMs, ended));
            return allKeys(store, records, lastMs);
        }
    }

    /** Writes records, and after them one that is not a row. When that is a dead letter, the job has read all records. */
    private void give(FeatureView view, List<TopicRecord> records, long lastMs, BooleanSupplier ended)
            throws InterruptedException {
        String end = "end " + UUID.randomUUID();
        broker.write(topic(view), records);
        broker.write(topic(view), List.of(new TopicRecord(lastMs, lastMs, end.getBytes(StandardCharsets.UTF_8))));
        while (!ended.getAsBoolean() && !broker.holds(view.deadLetterTopic(), end)) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    /** Returns how answers differ from those without a kill, in lines; empty if they do not. */
    private List<String> differences(Condition condition, List<Answer> expected, List<Answer> came) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            Answer answer = expected.get(i);
            for (int row = 0; row < answer.rows().size(); row++) {
                ViewReads.Row was = came.get(i).rows().get(row);
                if (!answer.rows().get(row).equals(was)) {
                    lines.add("under %s: a read of %s returns %s; without the kill it returns %s"
                            .formatted(
                                    condition.text(),
                                    Texts.of(
                                            test.view(),
                                            answer.read().rows().get(row).entities()),
                                    was.text(),
                                    answer.rows().get(row).text()));
                }
            }
        }
        return lines.stream().limit(SHOWN).toList();
    }

    private String text(Published published, List<Answer> answers) {
        Expected expect = test.expect();
        StringBuilder text = new StringBuilder("expect:\n");
        text.append("  counts: ").append(published.counts().yaml()).append('\n');
        text.append("  dead_letters: ")
                .append(DeadLetterKind.yaml(published.letters()))
                .append('\n');
        if (expect != null && !answers.isEmpty()) {
            ReadRecording reads = new ReadRecording(test.view(), test.date());
            text.append("  reads:\n");
            answers.forEach(answer -> text.append(reads.text(answer)));
        }
        return text.toString();
    }
}
