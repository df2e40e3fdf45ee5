package io.thalweg.tables;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Writes the rows of a view as a flat table, with the columns of {@link FlatRows}.
 *
 * <p><b>Errors.</b> As of {@link FlatRows#add}.
 *
 * <p><b>Memory.</b> Parquet: one row group. <b>Threads.</b> Safe; blocks are written whole.
 */
public final class RowTable {
    private static final int BATCH_ROWS = 4_096;

    private final FlatRows rows;
    private final FlatTable out;

    private RowTable(FlatRows rows, FlatTable out) {
        this.rows = rows;
        this.out = out;
    }

    /** The forms of a table, by the ending of a file's name. */
    public enum Form {
        PARQUET,
        CSV;

        /** Returns the form that the name of a file asks for; empty if it ends otherwise. */
        public static Optional<Form> ofName(String file) {
            String name = file.toLowerCase(Locale.ROOT);
            return name.endsWith(".parquet")
                    ? Optional.of(PARQUET)
                    : name.endsWith(".csv") ? Optional.of(CSV) : Optional.empty();
        }
    }

    /** Starts a table; the caller closes the stream after {@link #finish}. */
    public static RowTable open(Form form, FeatureView view, OutputStream out) throws IOException {
        return open(form, new FlatRows(view), out);
    }

    /**
     * Starts a table for Feast.
     *
     * @param readableAtMs as of {@link FlatRows#forFeast}
     */
    public static RowTable openForFeast(Form form, FeatureView view, LongUnaryOperator readableAtMs, OutputStream out)
            throws IOException {
        return open(form, FlatRows.forFeast(view, readableAtMs), out);
    }

    private static RowTable open(Form form, FlatRows rows, OutputStream out) throws IOException {
        return new RowTable(rows, FlatTable.open(form, rows.schema(), out));
    }

    /** Adds the rows of a block of this view. */
    public synchronized void add(RowBlock block) throws IOException {
        rows.add(block);
        if (rows.rows() >= BATCH_ROWS) {
            out.add(rows.take());
        }
    }

    /** Writes what is still in memory. */
    public synchronized void finish() throws IOException {
        out.add(rows.take());
        out.finish();
    }
}
