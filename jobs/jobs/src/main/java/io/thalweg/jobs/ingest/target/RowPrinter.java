package io.thalweg.jobs.ingest.target;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.plan.OriginColumn;
import io.thalweg.records.DistinctKeys;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.write.JsonBytes;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prints the first rows as JSON for users. */
public final class RowPrinter {
    private final JsonBytes json;
    private final DistinctKeys keys;
    private final @Nullable OriginColumn origin;
    private final Consumer<byte[]> rows;
    private int left;

    public RowPrinter(IngestPlan plan, int most, Consumer<byte[]> rows) {
        json = JsonBytes.forPeople(plan.table());
        keys = new DistinctKeys(plan.table());
        origin = plan.origin();
        left = most;
        this.rows = rows;
    }

    public boolean wantsMore() {
        return left > 0;
    }

    /** Begins a row and returns the writer of its fields. */
    public RecordWriter begin() {
        json.begin();
        return keys.to(json);
    }

    /** Ends a row of a message: {@code index} in record {@code i}. */
    public void end(RawRecords records, int i, long index) {
        if (origin != null) {
            origin.write(json, records, i, index);
        }
        json.end();
        rows.accept(Arrays.copyOfRange(json.data(), json.from(), json.to()));
        left--;
    }
}
