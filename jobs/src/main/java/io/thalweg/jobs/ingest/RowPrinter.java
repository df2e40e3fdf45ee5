package io.thalweg.jobs.ingest;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.JsonBytes;
import java.util.Arrays;
import java.util.function.Consumer;

/** Writes the first rows as JSON, for people. */
final class RowPrinter {
    private final JsonBytes json;
    private final Consumer<byte[]> rows;
    private int left;

    RowPrinter(Struct table, int most, Consumer<byte[]> rows) {
        json = new JsonBytes(table);
        left = most;
        this.rows = rows;
    }

    boolean wantsMore() {
        return left > 0;
    }

    /** Begins a row; the reader writes its fields to what is returned. */
    RecordWriter begin() {
        json.begin();
        return json;
    }

    void end() {
        json.end();
        rows.accept(Arrays.copyOfRange(json.data(), json.from(), json.to()));
        left--;
    }
}
