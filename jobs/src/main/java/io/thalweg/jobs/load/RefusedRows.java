package io.thalweg.jobs.load;

import io.thalweg.jobs.load.LoadItem.Rows;
import io.thalweg.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the rows that a store refuses for good, so that the others are written: rows of which some are refused are written as two
 * halves, and so on down to the rows at fault.
 */
public final class RefusedRows {
    private RefusedRows() {}

    /** Writes rows, all or none of which count as written. */
    public interface Write {
        void rows(List<Rows> rows) throws InterruptedException;
    }

    /** Takes a single row that is refused. */
    public interface Refused {
        void row(Rows row, StoreException refusal);
    }

    /** Writes rows; a {@link StoreException} of another kind than ROWS passes through. */
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

    /** How many rows there are. */
    static int count(List<Rows> rows) {
        return rows.stream().mapToInt(each -> each.block().rows()).sum();
    }

    /** The first {@code count} rows, and the rest. */
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
