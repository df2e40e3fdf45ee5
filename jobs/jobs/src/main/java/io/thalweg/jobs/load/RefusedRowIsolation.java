package io.thalweg.jobs.load;

import io.thalweg.jobs.load.LoadItem.Rows;
import io.thalweg.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/**
 * Isolates the rows that a store refuses permanently, so that the others are written. A refused batch is split into halves until only
 * single rows are refused.
 */
public final class RefusedRowIsolation {
    private RefusedRowIsolation() {}

    /** Writes rows; either all or none count as written. */
    public interface Write {
        void rows(List<Rows> rows) throws InterruptedException;
    }

    /** Receives a single refused row. */
    public interface Refused {
        void row(Rows row, StoreException refusal);
    }

    /** Writes rows; a {@link StoreException} of a kind other than ROWS is rethrown. */
    public static void write(List<Rows> rows, Write write, Refused refused) throws InterruptedException {
        try {
            write.rows(rows);
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.ROWS) {
                throw e;
            }
            int count = count(rows);
            if (count == 1) {
                refused.row(rows.get(0), e);
                return;
            }
            for (List<Rows> half : cut(rows, count / 2)) {
                write(half, write, refused);
            }
        }
    }

    /** Returns the number of rows. */
    static int count(List<Rows> rows) {
        return rows.stream().mapToInt(each -> each.block().rows()).sum();
    }

    /** Returns the first {@code count} rows, and the rest. */
    static List<List<Rows>> cut(List<Rows> rows, int count) {
        List<Rows> before = new ArrayList<>();
        List<Rows> after = new ArrayList<>();
        int left = count;
        for (Rows each : rows) {
            int size = each.block().rows();
            int taken = Math.min(left, size);
            add(each, 0, taken, before);
            add(each, taken, size, after);
            left -= taken;
        }
        return List.of(before, after);
    }

    private static void add(Rows rows, int from, int to, List<Rows> into) {
        if (to - from == rows.block().rows()) {
            into.add(rows);
        } else if (to > from) {
            into.add(new Rows(rows.block().rows(from, to), rows.origin()));
        }
    }
}
