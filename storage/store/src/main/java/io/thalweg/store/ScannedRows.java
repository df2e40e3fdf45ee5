package io.thalweg.store;

import io.thalweg.model.row.StoredRow;

/** Receives the rows that {@link OnlineStore#scan} finds, cell by cell, ascending. An exception ends the scan. */
public interface ScannedRows {
    /** Receives the row of a cell. */
    void row(long cell, StoredRow row);

    /** Reports that the value of a cell cannot be decoded. */
    void unreadable(long cell, String reason);
}
