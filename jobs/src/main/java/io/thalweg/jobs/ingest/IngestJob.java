package io.thalweg.jobs.ingest;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.letters.DeadLetters;
import io.thalweg.model.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Wires ingestion into a Flink job: source, translation and file writer are one chain per subtask, without an exchange.
 *
 * @param jobId names what this process shares with the job: counts
 * @param plan the definition and its schema
 * @param input where records come from
 * @param output where rows go
 * @param deadLetters take bad messages, as JSON
 */
public record IngestJob(String jobId, IngestPlan plan, RecordInput input, RowOutput output, DeadLetters deadLetters) {
    private static final BlockType<ColumnBatch> ROWS = Chained.type(ColumnBatch.class);

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        Ingest ingest = plan.ingest();
        String id = ingest.qualifiedName();
        DataStream<ColumnBatch> rows = input.addTo(environment, ingest)
                .transform(
                        "translate " + id,
                        ROWS,
                        new IngestOperator(jobId, ingest, plan.table(), input.isLetters(), deadLetters))
                .uid(id + "/translate");
        output.addTo(rows, plan);
    }
}
