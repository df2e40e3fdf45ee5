package io.thalweg.google.bigquery;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RowStream.Refused;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Rows that are sent together until each of them is written or refused.
 *
 * <p><b>Threads.</b> One at a time.
 */
class PendingRows {
    /** The service accepts requests of up to 10 MB; the rest is for the request around its rows. */
    private static final int LARGEST_ROW = 9_900_000;

    final EncodedRows rows;
    /** Numbers of the rows that the service has not refused. */
    final List<Integer> left = new ArrayList<>();

    final List<Refused> refused = new ArrayList<>();
    final CompletableFuture<List<Refused>> answer = new CompletableFuture<>();

    PendingRows(EncodedRows rows, int from, int to) {
        this.rows = rows;
        for (int row = from; row < to; row++) {
            int bytes = rows.bytes(row, row + 1);
            if (bytes > LARGEST_ROW) {
                refused.add(new Refused(
                        row, true, "a row must have at most %d bytes, was %d".formatted(LARGEST_ROW, bytes)));
            } else {
                left.add(row);
            }
        }
    }

    /** Drops the rows that the service names, by their number in the request. */
    final void refuse(Map<Integer, String> errors) {
        Set<Integer> gone = new HashSet<>();
        errors.forEach((i, why) -> {
            refused.add(new Refused(left.get(i), false, why));
            gone.add(left.get(i));
        });
        left.removeAll(gone);
    }
}
