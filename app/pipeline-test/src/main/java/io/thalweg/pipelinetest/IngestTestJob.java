package io.thalweg.pipelinetest;

import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.IngestJob;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.jobs.ingest.RowOutput;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest.ParquetSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Runs an ingest over files through the job that {@code ingest --input} runs, into Parquet files.
 *
 * @param folder a folder of its own for the files and the dead letters
 */
record IngestTestJob(IngestPlan plan, List<IngestFile> files, Path folder) implements TestCluster.Job<IngestOutcome> {
    /** The last files are completed with a checkpoint after the last message. */
    private static final Duration CHECKPOINTS = Duration.ofMillis(100);

    @Override
    public Closeable open(String id) throws IOException {
        Files.createDirectories(folder);
        return () -> {};
    }

    @Override
    public void addTo(StreamExecutionEnvironment environment, String id) {
        ParquetSink sink = (ParquetSink) plan.ingest().sink();
        new IngestJob(
                        id,
                        plan,
                        new RecordInput.OfFiles(files),
                        new RowOutput.ToFiles(new ParquetSink(table().toString(), sink.every(), sink.files()), "test"),
                        new FileDeadLetters(letters().toString()))
                .addTo(environment);
    }

    private Path table() {
        return folder.resolve("table").toAbsolutePath();
    }

    private Path letters() {
        return folder.resolve("dead.jsonl").toAbsolutePath();
    }

    @Override
    public Duration checkpoints() {
        return CHECKPOINTS;
    }

    @Override
    public IngestOutcome result(String id) throws IOException {
        return IngestOutcome.read(
                plan, table(), letters(), IngestJobAccount.of(id).total());
    }
}
