package io.thalweg.jobs.ingest.plan;

import io.thalweg.formats.SourceSchema;
import io.thalweg.jobs.function.FunctionJars;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The serializable form of a plan, for tasks that run where neither the schema's files nor the function's jars exist. The schema of
 * messages is part of the form of its rows.
 *
 * @param schema the schema with its text
 * @param function the jars of the function; null if there is none
 * @param table the columns that the job was started with
 */
public record PackedPlan(
        Ingest ingest, SourceSchema schema, @Nullable FunctionJars function, Struct table) implements Serializable {
    /** Opens the plan in a task. */
    public IngestPlan open() {
        return new IngestPlan(ingest, schema, function, table, null);
    }
}
