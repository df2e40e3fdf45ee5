package io.thalweg.google.bigquery;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.WarehouseException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends independent requests of {@code tabledata.insertAll}.
 *
 * <p><b>Failures.</b> A request whose outcome is unknown, or that the service does not accept now, is retried with the same ids. If the
 * service refuses rows, it has written none of the request; the other rows are sent again.
 */
final class InsertAllStream implements RowStream {
    private static final Logger LOG = LoggerFactory.getLogger(InsertAllStream.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final InsertAllTable table;
    private final AtomicInteger onTheirWay = new AtomicInteger();
    private final Consumer<RetryCause> retried;
    private volatile @Nullable WarehouseException broken;

    InsertAllStream(InsertAllTable table, Consumer<RetryCause> retried) {
        this.table = table;
        this.retried = retried;
    }

    /** Rows that are sent together; owned by one thread at a time. */
    private static final class Request extends PendingRows {
        private int attempts;
        private long troubleNanos;

        Request(EncodedRows rows, int from, int to) {
            super(rows, from, to);
        }
    }

    @Override
    public CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to) {
        Request request = new Request(rows, from, to);
        if (broken != null) {
            return CompletableFuture.failedFuture(broken);
        }
        if (request.left.isEmpty()) {
            return CompletableFuture.completedFuture(request.refused);
        }
        onTheirWay.incrementAndGet();
        send(request);
        return request.answer;
    }

    private void send(Request request) {
        var unused = table.send(InsertAllBody.of(request.rows, request.left)).whenComplete((response, failure) -> {
            try {
                answered(request, response, failure);
            } catch (RuntimeException e) {
                fail(request, "the answer cannot be read: " + e.getMessage(), e);
            }
        });
    }

    private void answered(Request request, @Nullable HttpResponse<String> response, @Nullable Throwable failure) {
        if (response == null) {
            retry(request, RetryCause.UNAVAILABLE, String.valueOf(failure), failure);
            return;
        }
        InsertAllAnswer answer = InsertAllAnswer.of(response.statusCode(), response.body());
        switch (answer.outcome()) {
            case WRITTEN -> end(request);
            case ROWS -> {
                request.refuse(answer.refused());
                if (request.left.isEmpty()) {
                    end(request);
                } else if (answer.refused().isEmpty()) {
                    retry(request, answer.cause(), answer.why(), null);
                } else {
                    again(request, answer.cause());
                }
            }
            case LATER -> retry(request, answer.cause(), answer.why(), null);
            case REFUSED -> fail(request, answer.why(), null);
        }
    }

    private void end(Request request) {
        onTheirWay.decrementAndGet();
        request.answer.complete(request.refused);
    }

    private void retry(Request request, RetryCause retry, String why, @Nullable Throwable cause) {
        if (request.attempts == 0) {
            request.troubleNanos = System.nanoTime();
        }
        if (broken != null || System.nanoTime() - request.troubleNanos > GIVE_UP_NANOS) {
            fail(request, why, cause);
            return;
        }
        long pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, request.attempts));
        request.attempts++;
        LOG.warn("Rows for {} are sent again in {} ms: {}", table.name(), pauseMs, why);
        try {
            var unused = table.timer().schedule(() -> again(request, retry), pauseMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            fail(request, why, e); // the table is closed
        }
    }

    private void again(Request request, RetryCause cause) {
        retried.accept(cause);
        send(request);
    }

    private void fail(Request request, String why, @Nullable Throwable cause) {
        WarehouseException failure =
                new WarehouseException("rows could not be inserted into %s: %s".formatted(table.name(), why), cause);
        broken = failure;
        onTheirWay.decrementAndGet();
        request.answer.completeExceptionally(failure);
    }

    @Override
    public Optional<StreamCommit> cut() {
        if (onTheirWay.get() > 0) {
            throw new IllegalStateException("rows are on their way to " + table.name());
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        broken = new WarehouseException("the stream to " + table.name() + " is closed", null);
    }
}
