package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Wires ingestion into a Flink job: source, translation and file writer are one chain per subtask, without an exchange.
 *
 * @param jobId the key of the counts that this process shares with the job
 * @param plan the definition and its schema
 * @param input where records come from
 * @param output where rows go
 * @param deadLetters receive bad messages, as JSON
 */
public record IngestJob(String jobId, IngestPlan plan, RecordInput input, RowOutput output, DeadLetters deadLetters) {
    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        SingleOutputStreamOperator<RawRecords> records = input.addTo(environment, plan.ingest(), jobId);
        output.addTo(records, this);
    }

    /** Adds the translation of records to rows of a form. */
    <B> SingleOutputStreamOperator<B> rows(SingleOutputStreamOperator<RawRecords> records, RowForm<B> form) {
        String id = plan.ingest().qualifiedName();
        return records.transform("translate " + id, form.type(), new IngestOperator<>(this, form))
                .uid(translateUid(id));
    }

    static String translateUid(String ingest) {
        return ingest + "/translate";
    }
}
