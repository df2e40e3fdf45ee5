package io.thalweg.store;

import io.thalweg.model.row.StoredRow;

/** Takes the rows that {@link OnlineStore#scan} finds, cell by cell, ascending. What it throws ends the scan. */
public interface ScannedRows {
    /** The row of a cell. */
    void row(long cell, StoredRow row);

    /** A cell has a value that cannot be decoded. */
    void unreadable(long cell, String reason);
}
