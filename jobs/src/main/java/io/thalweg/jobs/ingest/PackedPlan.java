package io.thalweg.jobs.ingest;

import io.thalweg.formats.SourceSchema;
import io.thalweg.jobs.function.FunctionJars;
import io.thalweg.model.Ingest;
import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A plan on its way to tasks, which may run where neither the schema's files nor the jars of a function are. The schema of messages
 * travels with the {@link RowForm}.
 *
 * @param schema with its text
 * @param function the jars of the function; null if there is none
 * @param table the columns that the job was started with
 */
record PackedPlan(
        Ingest ingest, SourceSchema schema, @Nullable FunctionJars function, Struct table) implements Serializable {
    /** Unpacks the plan where a task runs. */
    IngestPlan open() {
        return new IngestPlan(ingest, schema, function, table, null);
    }
}
