package io.thalweg.jobs.ingest;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.letters.DeadLetters;
import io.thalweg.model.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;

/**
 * Wires ingestion into a Flink job: source, translation and file writer are one chain per subtask, without an exchange.
 *
 * @param jobId names what this process shares with the job: counts
 * @param plan the definition and its schema
 * @param input where records come from
 * @param outputPrefix of the names of the files that the job writes
 * @param deadLetters take bad messages, as JSON
 */
public record IngestJob(
        String jobId, IngestPlan plan, RecordInput input, String outputPrefix, DeadLetters deadLetters) {
    private static final BlockType<ColumnBatch> ROWS = Chained.type(ColumnBatch.class);
    private static final long ROW_GROUP_BYTES = 64L << 20;

    /** The suffix of the files that a job writes. */
    public static final String SUFFIX = ".parquet";

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        Ingest ingest = plan.ingest();
        String id = ingest.qualifiedName();
        DataStream<ColumnBatch> rows = input.addTo(environment, ingest)
                .transform("translate " + id, ROWS, new IngestOperator(jobId, ingest, deadLetters))
                .uid(id + "/translate");
        if (ingest.sink() instanceof Ingest.ParquetSink parquet) {
            rows.sinkTo(files(parquet)).name("write " + id).uid(id + "/write");
        }
    }

    private FileSink<ColumnBatch> files(Ingest.ParquetSink sink) {
        ParquetFileBuilder.Compression compression =
                ParquetFileBuilder.Compression.valueOf(sink.compression().name());
        return FileSink.forBulkFormat(
                        new Path(sink.folder()), new ParquetBulk(plan.table(), compression, ROW_GROUP_BYTES))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(new RollAtSize(sink.targetFile()))
                .withOutputFileConfig(new OutputFileConfig(outputPrefix, SUFFIX))
                .build();
    }
}
