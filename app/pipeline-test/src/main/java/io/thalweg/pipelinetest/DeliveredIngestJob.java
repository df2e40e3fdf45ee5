package io.thalweg.pipelinetest;

import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.IngestJob;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.jobs.ingest.RowOutput;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.sink.TopicWrite;
import io.thalweg.model.ingest.Ingest.TopicSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Runs an ingest over files into a topic, and then reads the values of the topic's records.
 *
 * @param plan the definition with its own sink, a topic, and the delivery to test
 * @param topic a topic that belongs to this job only
 * @param folder a folder of its own for dead letters
 */
record DeliveredIngestJob(IngestPlan plan, List<IngestFile> files, TestBroker broker, String topic, Path folder)
        implements TestCluster.Job<List<byte[]>> {
    private static final Duration CHECKPOINTS = Duration.ofMillis(100);

    @Override
    public Closeable open(String id) throws IOException {
        Files.createDirectories(folder);
        return () -> {};
    }

    @Override
    public void addTo(StreamExecutionEnvironment environment, String id) {
        TopicSink own = (TopicSink) plan.ingest().sink();
        TopicSink sink = new TopicSink(
                topic, own.kafka(), own.format(), own.schema(), own.exactlyOnce(), own.every(), own.linger());
        new IngestJob(
                        id,
                        plan,
                        new RecordInput.OfFiles(files),
                        new RowOutput.ToTopic(sink, new TopicWrite(topic, broker.properties()), "test-" + topic),
                        new FileDeadLetters(
                                folder.resolve("dead.jsonl").toAbsolutePath().toString()))
                .addTo(environment);
    }

    @Override
    public Duration checkpoints() {
        return CHECKPOINTS;
    }

    @Override
    public void settle() throws InterruptedException {
        broker.settle(topic);
    }

    @Override
    public List<byte[]> result(String id) {
        return broker.committedAtTheEnd(topic);
    }
}
