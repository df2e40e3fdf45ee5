package io.thalweg.bench.publish;

import io.thalweg.formats.BadReason;
import io.thalweg.model.Materialization;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TableReader;
import io.thalweg.tables.TableSplit;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads the rows of a table in one thread. */
final class TableRows implements TableReader.Output {
    private static final int BATCH = 1_024;

    /** Takes a block of rows. */
    interface Blocks {
        void accept(KeyedRowBlock block) throws IOException;
    }

    private final Blocks blocks;
    private long rows;

    private TableRows(Blocks blocks) {
        this.blocks = blocks;
    }

    /** Reads the first {@code most} rows, and returns how many they were. */
    static long read(Materialization spec, TableFiles files, long most, Blocks to) throws IOException {
        TableRows reading = new TableRows(to);
        for (TableSplit split : files.splits()) {
            try (TableReader reader = TableReader.open(spec, split, 0, 0)) {
                int read;
                do {
                    read = reader.read((int) Math.min(BATCH, most - reading.rows), reading);
                } while (read > 0 && reading.rows < most);
            }
            if (reading.rows >= most) {
                break;
            }
        }
        return reading.rows;
    }

    @Override
    public void rows(KeyedRowBlock block) {
        rows += block.rows();
        try {
            blocks.accept(block);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void bad(BadReason reason, String detail, long row, byte[] raw) {
        throw new UncheckedIOException(new IOException("row " + row + " is bad: " + detail));
    }
}
