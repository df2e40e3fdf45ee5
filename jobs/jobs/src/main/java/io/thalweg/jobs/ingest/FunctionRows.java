package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.function.CallWatch;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.function.HungFunctionException;
import io.thalweg.jobs.function.OpenFunction;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowPrinter;
import io.thalweg.jobs.ingest.target.RowTarget;
import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.DistinctKeys;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.row.Row;
import io.thalweg.records.values.RowFieldReader;
import io.thalweg.records.values.RowWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Calls the user function, which maps a message to rows. */
final class FunctionRows implements MessageRows {
    private final String ingest;
    private final Transform transform;
    private final OpenFunction function;
    private final FunctionHost host;
    private final RowWriter events;
    private final RowFieldReader values;
    private final DistinctKeys eventKeys;
    private final DistinctKeys rowKeys;
    private final RowTarget<?> target;
    private final @Nullable RowPrinter printer;
    private final CallWatch watch;
    /** The message of {@link #events}. */
    private @Nullable RawRecords records;

    private int record;
    private long index;

    /**
     * Opens the function of a definition.
     *
     * @param printer prints the first rows; null = none
     */
    FunctionRows(
            IngestPlan plan,
            Transform transform,
            FunctionHost host,
            RowTarget<?> target,
            @Nullable RowPrinter printer) {
        ingest = plan.ingest().qualifiedName();
        this.transform = transform;
        this.host = host;
        this.target = target;
        this.printer = printer;
        function = Objects.requireNonNull(plan.openFunction(host.job()), "the definition has one");
        events = new RowWriter(plan.event(), function.eventShape());
        values = new RowFieldReader(function.table());
        eventKeys = new DistinctKeys(plan.event());
        rowKeys = new DistinctKeys(function.table());
        watch = CallWatch.start(transform.timeout().duration(), new Overdue());
    }

    /** The message of the current call is visible to the watch thread. */
    private final class Overdue implements CallWatch.Overdue {
        @Override
        public void late() {
            host.late(hung());
        }

        @Override
        public void stuck() {
            host.stuck(hung());
        }

        private HungFunctionException hung() {
            return new HungFunctionException(
                    ingest, transform, IngestDeadLetter.origin(Objects.requireNonNull(records), record, index));
        }
    }

    @Override
    public RecordWriter begin(RawRecords block, int i, long indexInRecord) {
        records = block;
        record = i;
        index = indexInRecord;
        events.begin();
        return eventKeys.to(events);
    }

    @Override
    public int end() {
        target.beginMessage(Objects.requireNonNull(records, "begin comes first"), record, index);
        watch.begin();
        try {
            return function.apply(events.row(), this::write, host::isCancelled);
        } catch (BadRecordException e) {
            target.rollback();
            throw e;
        } finally {
            watch.end();
        }
    }

    private void write(Row row) {
        values.read(row, rowKeys.to(target.beginRow()));
        target.end();
        if (printer != null && printer.wantsMore()) {
            values.read(row, printer.begin());
            printer.end(Objects.requireNonNull(records), record, index);
        }
    }

    @Override
    public void rollback() {
        // No row is written before the message has been read.
    }

    @Override
    public void close() {
        watch.close();
        function.close();
    }
}
