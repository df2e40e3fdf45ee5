package io.thalweg.jobs.ingest;

import io.thalweg.jobs.function.OpenFunction;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.row.Row;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.values.RowReader;
import io.thalweg.records.values.RowWriter;
import org.jspecify.annotations.Nullable;

/** The function of the user decides which rows a message becomes. */
final class FunctionRows implements MessageRows {
    private final OpenFunction function;
    private final RowWriter events;
    private final RowReader values;
    private final ColumnWriter columns;
    private final @Nullable RowPrinter printer;
    private boolean another;

    FunctionRows(OpenFunction function, Struct event, ColumnWriter columns, @Nullable RowPrinter printer) {
        this.function = function;
        this.columns = columns;
        this.printer = printer;
        events = new RowWriter(event, function.eventShape());
        values = new RowReader(function.table());
    }

    @Override
    public RecordWriter begin() {
        events.begin();
        return events;
    }

    @Override
    public int end() {
        columns.begin();
        another = false;
        try {
            return function.apply(events.row(), this::write);
        } catch (BadRecordException e) {
            columns.rollback();
            throw e;
        }
    }

    private void write(Row row) {
        if (another) {
            columns.beginAnother();
        }
        another = true;
        values.read(row, columns);
        columns.end();
        if (printer != null && printer.wantsMore()) {
            values.read(row, printer.begin());
            printer.end();
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
