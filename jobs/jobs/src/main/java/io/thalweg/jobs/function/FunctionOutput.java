package io.thalweg.jobs.function;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The answer of a function to one event. */
final class FunctionOutput implements Output {
    private static final int LONGEST = 1_000;

    private final RowShape table;
    private final Consumer<Row> rows;
    private int emitted;
    private boolean dropped;
    private @Nullable String rejected;
    /** The first failure of a call. It counts even if the function catches it. */
    private @Nullable Throwable failure;

    private boolean closed;

    FunctionOutput(RowShape table, Consumer<Row> rows) {
        this.table = table;
        this.rows = rows;
    }

    @Override
    public Row row() {
        return new Row(table);
    }

    @Override
    public void emit(Row row) {
        requireOpen();
        if (dropped) {
            throw contradiction("emit after drop");
        }
        try {
            rows.accept(row);
            emitted++;
        } catch (RuntimeException | Error e) {
            note(e);
            throw e;
        }
    }

    @Override
    public void drop() {
        requireOpen();
        if (emitted > 0) {
            throw contradiction("drop after emit");
        }
        dropped = true;
    }

    @Override
    public void reject(String why) {
        requireOpen();
        String text = String.valueOf(why);
        rejected = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the call is over; an event can be answered only during its call");
        }
    }

    private IllegalStateException contradiction(String what) {
        IllegalStateException e = new IllegalStateException(what + "; an event is either emitted or dropped");
        note(e);
        return e;
    }

    private void note(Throwable e) {
        failure = failure == null ? e : failure;
    }

    /**
     * Ends a call that has returned and returns the number of rows emitted.
     *
     * @throws BadRecordException if the event is rejected or the function has not answered
     * @throws Throwable the first failure of a call, even if the function has caught it
     */
    int finish() throws Throwable {
        if (failure != null) {
            throw failure;
        }
        if (rejected != null) {
            throw new BadRecordException(RecordFault.REJECTED, rejected);
        }
        if (emitted == 0 && !dropped) {
            throw new BadRecordException(
                    RecordFault.FAILED, "the function has not answered; it must emit, drop or reject each event");
        }
        return emitted;
    }

    /** Refuses further calls. */
    void close() {
        closed = true;
    }
}
