package io.thalweg.devkit.google;

import com.google.protobuf.DynamicMessage;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;

/**
 * A buffered stream: appended rows become visible when they are flushed.
 *
 * <p><b>Threads.</b> Safe.
 */
final class FakeStream {
    private final FakeTable table;
    private final List<Batch> batches = new ArrayList<>();
    private long appended;
    private long flushed;
    private boolean ended;

    FakeStream(FakeTable table) {
        this.table = table;
    }

    /**
     * The rows of one request.
     *
     * @param rows empty if the table only counts them
     * @param hashes the sum of their hashes, if the table only counts them
     * @param madeMs their creation times, if the table needs them
     */
    record Batch(List<DynamicMessage> rows, int size, long bytes, long hashes, long[] madeMs) {
        /** Creates a batch for a table that keeps its rows. */
        static Batch of(List<DynamicMessage> rows, long bytes) {
            return new Batch(rows, rows.size(), bytes, 0, new long[0]);
        }
    }

    FakeTable table() {
        return table;
    }

    /** Appends at an offset; below 0 = at the end. Returns the offset. */
    synchronized long append(Batch batch, long offset) {
        if (ended) {
            throw failure(Status.INVALID_ARGUMENT, "the stream is finalized");
        }
        if (offset >= 0 && offset < appended) {
            throw failure(Status.ALREADY_EXISTS, "offset %d, expected %d".formatted(offset, appended));
        }
        if (offset > appended) {
            throw failure(Status.OUT_OF_RANGE, "offset %d, expected %d".formatted(offset, appended));
        }
        long at = appended;
        batches.add(batch);
        appended += batch.size();
        return at;
    }

    /** Makes rows visible up to and including an offset; returns the last visible one. */
    synchronized long flush(long offset) {
        if (ended) {
            throw failure(Status.INVALID_ARGUMENT, "the stream is finalized");
        }
        if (offset >= appended) {
            throw failure(Status.OUT_OF_RANGE, "offset %d, the stream has %d rows".formatted(offset, appended));
        }
        while (flushed <= offset) {
            Batch batch = batches.remove(0);
            if (flushed + batch.size() - 1 > offset) {
                throw failure(Status.UNIMPLEMENTED, "this fake flushes whole requests only");
            }
            table.show(batch);
            flushed += batch.size();
        }
        return flushed - 1;
    }

    synchronized long end() {
        ended = true;
        return appended;
    }

    synchronized boolean isEnded() {
        return ended;
    }

    private static StatusRuntimeException failure(Status status, String why) {
        return status.withDescription(why).asRuntimeException();
    }
}
