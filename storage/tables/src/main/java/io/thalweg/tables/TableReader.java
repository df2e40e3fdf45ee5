package io.thalweg.tables;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.TimeForm;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.source.Source;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a split of a table as rows of a view, a batch at a time.
 *
 * <p><b>Order.</b> Rows are read in the order of the file, the same each time, so a number of rows is a position.
 *
 * <p><b>Errors.</b> An unusable row is reported and skipped; a file that cannot be read is an {@link IOException} that
 * names it.
 *
 * <p><b>Threads.</b> One.
 */
public final class TableReader implements Closeable {
    private final TableSplit split;
    private final TableInput input;
    private final TableRows rows;
    private final EventColumns columns;
    private final List<Constant> constants;
    private long row;

    /** Receives the rows that are read. */
    public interface Output {
        /** Receives rows of one time. */
        void rows(KeyedRowBlock block);

        /**
         * Receives a row that cannot be used.
         *
         * @param detail names the field, the rule and the value
         * @param row its place in the split, from 0
         * @param raw the row in readable form
         */
        void bad(BadReason reason, String detail, long row, byte[] raw);
    }

    /** A column whose value is part of the path. */
    private record Constant(int column, byte @Nullable [] value) {
        void put(EventColumns into) {
            if (value == null) {
                into.put(column, FieldKind.NULL);
            } else {
                into.putBytes(column, value, 0, value.length);
            }
        }
    }

    private TableReader(
            TableSplit split,
            TableInput input,
            TableRows rows,
            EventColumns columns,
            List<Constant> constants,
            long row) {
        this.split = split;
        this.input = input;
        this.rows = rows;
        this.columns = columns;
        this.constants = constants;
        this.row = row;
    }

    /**
     * Opens a split.
     *
     * @param from how many of its rows to skip
     * @param loadMs the time of rows without a time of their own, epoch ms
     */
    public static TableReader open(Materialization spec, TableSplit split, long from, long loadMs) throws IOException {
        Table table = spec.table();
        boolean csv = table.format() == Table.Format.CSV;
        Projection projection = Projection.of(csv ? Source.Format.CSV : Source.Format.JSON, TableRows.columns(spec));
        Path path = Path.of(split.path());
        TableInput input = csv ? CsvRows.open(path, projection) : ParquetRows.open(path, split.rowGroup(), projection);
        try {
            input.skip(from);
            Source.EventTime time = table.eventTime();
            FieldPath field = time == null ? null : time.field();
            TimeForm timeForm = field == null || TableRows.isPartition(field, table)
                    ? TimeForm.UNTYPED
                    : input.timeForm(projection.column(field));
            return new TableReader(
                    split,
                    input,
                    new TableRows(spec, projection, csv, timeForm, loadMs),
                    new EventColumns(projection),
                    constants(table, split, projection),
                    from);
        } catch (IOException | RuntimeException e) {
            input.close();
            throw e;
        }
    }

    private static List<Constant> constants(Table table, TableSplit split, Projection projection) {
        List<Constant> constants = new ArrayList<>();
        for (int c = 0; c < projection.paths().size(); c++) {
            int partition = table.partitions().indexOf(projection.paths().get(c).column());
            if (partition >= 0) {
                String value = split.partitions().get(partition);
                constants.add(new Constant(c, value == null ? null : value.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return constants;
    }

    /**
     * Reads up to {@code most} rows and passes their results on.
     *
     * @return how many were read; 0 at the end
     */
    public int read(int most, Output out) throws IOException {
        columns.clear();
        int read = 0;
        while (read < most && input.read(1, columns) == 1) {
            if (columns.decodeReason(columns.size() - 1) == null) {
                for (Constant constant : constants) {
                    constant.put(columns);
                }
            }
            read++;
        }
        rows.read(columns, out);
        row += read;
        return read;
    }

    /** Returns how many rows of the split were read or skipped. */
    public long row() {
        return row;
    }

    /** Returns roughly how many bytes are left to read. */
    public long bytesLeft() {
        return Math.round(split.bytes() * (1 - input.done()));
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
