package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.function.OpenFunction;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.row.Row;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.values.RowReader;
import io.thalweg.records.values.RowWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The function of the user decides which rows a message becomes. */
final class FunctionRows implements MessageRows {
    private final OpenFunction function;
    private final RowWriter events;
    private final RowReader values;
    private final RowTarget<?> target;
    private final @Nullable RowPrinter printer;
    /** The message of {@link #events}. */
    private @Nullable RawRecords records;

    private int record;
    private long index;

    FunctionRows(OpenFunction function, Struct event, RowTarget<?> target, @Nullable RowPrinter printer) {
        this.function = function;
        this.target = target;
        this.printer = printer;
        events = new RowWriter(event, function.eventShape());
        values = new RowReader(function.table());
    }

    @Override
    public RecordWriter begin(RawRecords block, int i, long indexInRecord) {
        records = block;
        record = i;
        index = indexInRecord;
        events.begin();
        return events;
    }

    @Override
    public int end() {
        target.beginMessage(Objects.requireNonNull(records, "begin comes first"), record, index);
        try {
            return function.apply(events.row(), this::write);
        } catch (BadRecordException e) {
            target.rollback();
            throw e;
        }
    }

    private void write(Row row) {
        values.read(row, target.beginRow());
        target.end();
        if (printer != null && printer.wantsMore()) {
            values.read(row, printer.begin());
            printer.end(Objects.requireNonNull(records), record, index);
        }
    }

    @Override
    public void rollback() {
        // Rows are not written before the message has been read.
    }

    @Override
    public void close() {
        function.close();
    }
}
