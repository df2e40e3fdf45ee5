package io.thalweg.google.bigquery;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import com.google.cloud.bigquery.storage.v1.Exceptions.AppendSerializationError;
import com.google.cloud.bigquery.storage.v1.ProtoRows;
import com.google.cloud.bigquery.storage.v1.StreamWriter;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Status;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.WarehouseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to its own stream with offsets, or to the default stream without.
 *
 * <p><b>Failures.</b> The service writes the requests of a stream in order: if one is not written, neither are those after it. After a
 * failure the stream waits for all requests in flight, and then resends the failed ones in order. A request whose outcome is unknown keeps
 * its rows and its offset, so the service recognizes it ({@code ALREADY_EXISTS}); without offsets its rows may be duplicated. If the
 * service refuses rows, it has written none of the request; the other rows are sent at the same offset, and the requests after it move up.
 */
final class StorageWriteStream implements RowStream {
    private static final Logger LOG = LoggerFactory.getLogger(StorageWriteStream.class);

    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Codes that a retry may cure. */
    private static final Map<Status.Code, RetryCause> PASSING = Map.of(
            Status.Code.RESOURCE_EXHAUSTED, RetryCause.QUOTA,
            Status.Code.UNAVAILABLE, RetryCause.UNAVAILABLE,
            Status.Code.CANCELLED, RetryCause.UNAVAILABLE,
            Status.Code.DEADLINE_EXCEEDED, RetryCause.UNAVAILABLE,
            Status.Code.ABORTED, RetryCause.INTERNAL,
            Status.Code.INTERNAL, RetryCause.INTERNAL,
            Status.Code.UNKNOWN, RetryCause.INTERNAL);

    private final BigQueryTable table;
    private final boolean exact;
    private final Consumer<RetryCause> retried;

    /** Guarded by this, as all fields below. */
    private final Set<Request> onTheirWay = new HashSet<>();

    private final List<Request> failed = new ArrayList<>();
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    /** Requests that will never be sent, and were not reported yet. */
    private final List<Request> lost = new ArrayList<>();

    private @Nullable String stream;
    private @Nullable StreamWriter writer;
    private volatile @Nullable WarehouseException broken;
    private boolean recovering;
    private int recoveries;
    private long troubleNanos;
    private long nextOffset;
    private long cutOffset;

    StorageWriteStream(BigQueryTable table, Consumer<RetryCause> retried) {
        this.table = table;
        this.retried = retried;
        exact = table.exactlyOnce();
    }

    /** Rows that are sent together. */
    private static final class Request extends PendingRows {
        private long offset = -1;
        /** The number of rows of the last attempt. */
        private int sent;

        private @Nullable Throwable failure;

        Request(EncodedRows rows, int from, int to) {
            super(rows, from, to);
        }

        ProtoRows message() {
            ProtoRows.Builder message = ProtoRows.newBuilder();
            for (int row : left) {
                ByteString bytes =
                        UnsafeByteOperations.unsafeWrap(rows.data(), rows.from(row), rows.bytes(row, row + 1));
                message.addSerializedRows(bytes);
            }
            return message.build();
        }
    }

    @Override
    public CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to) {
        Request request = new Request(rows, from, to);
        synchronized (this) {
            if (broken != null) {
                return CompletableFuture.failedFuture(broken);
            }
            if (request.left.isEmpty()) {
                return CompletableFuture.completedFuture(request.refused);
            }
            if (recovering) {
                waiting.add(request);
            } else {
                send(request);
            }
        }
        return request.answer;
    }

    /** Sends rows for the first time. */
    private void send(Request request) {
        if (exact) {
            request.offset = nextOffset;
            nextOffset += request.left.size();
        }
        transmit(request);
    }

    private void transmit(Request request) {
        request.failure = null;
        request.sent = request.left.size();
        StreamWriter to = writer();
        onTheirWay.add(request);
        ApiFutures.addCallback(
                exact ? to.append(request.message(), request.offset) : to.append(request.message()),
                new ApiFutureCallback<>() {
                    @Override
                    public void onSuccess(AppendRowsResponse response) {
                        ended(request, null);
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        boolean written = exact && codeOf(failure) == Status.Code.ALREADY_EXISTS;
                        ended(request, written ? null : failure);
                    }
                },
                MoreExecutors.directExecutor());
    }

    private StreamWriter writer() {
        String name = stream == null ? table.newStream() : stream;
        stream = name;
        StreamWriter open = writer;
        if (open == null || open.isClosed()) {
            if (open != null) {
                open.close();
            }
            open = table.connect(name);
            writer = open;
        }
        return open;
    }

    private void ended(Request request, @Nullable Throwable failure) {
        synchronized (this) {
            onTheirWay.remove(request);
            if (failure != null) {
                note(request, failure);
            } else if (failed.isEmpty()) {
                recoveries = 0;
            }
            if (!failed.isEmpty() && onTheirWay.isEmpty()) {
                planRecovery();
            }
        }
        if (failure == null) {
            request.answer.complete(request.refused);
        }
        answerLost();
    }

    private void note(Request request, Throwable failure) {
        if (failed.isEmpty() && recoveries == 0) {
            troubleNanos = System.nanoTime();
        }
        recovering = true;
        request.failure = failure;
        if (failure instanceof AppendSerializationError errors) {
            request.refuse(errors.getRowIndexToErrorMessage());
        }
        failed.add(request);
    }

    private void planRecovery() {
        failed.sort(Comparator.comparingLong(request -> request.offset));
        Request first = failed.get(0);
        boolean refusals = first.left.size() < first.sent;
        Throwable fatal = refusals ? null : fatal();
        if (fatal != null) {
            breakDown(fatal);
            return;
        }
        long pauseMs = refusals ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, recoveries));
        if (!refusals) {
            LOG.warn("Rows for {} are sent again in {} ms: {}", table.name(), pauseMs, String.valueOf(first.failure));
        }
        recoveries++;
        var unused = table.timer().schedule(this::recover, pauseMs, TimeUnit.MILLISECONDS);
    }

    /** Returns the failure that a retry cannot cure; null if there is none. With offsets, the first failure causes the others. */
    private @Nullable Throwable fatal() {
        boolean tooLong = System.nanoTime() - troubleNanos > GIVE_UP_NANOS;
        for (Request request : exact ? failed.subList(0, 1) : failed) {
            Throwable failure = Objects.requireNonNull(request.failure);
            boolean passes = failure instanceof AppendSerializationError || PASSING.containsKey(codeOf(failure));
            if (!passes || tooLong) {
                return failure;
            }
        }
        return null;
    }

    /** Returns why a request is retried. With offsets, the failure of the first request causes the others. */
    private RetryCause causeOf(Request request, Request first) {
        Throwable failure = Objects.requireNonNull((exact ? first : request).failure);
        return failure instanceof AppendSerializationError
                ? RetryCause.REFUSED_ROWS
                : Objects.requireNonNull(PASSING.get(codeOf(failure)));
    }

    private static Status.Code codeOf(Throwable failure) {
        return Status.fromThrowable(failure).getCode();
    }

    private void breakDown(Throwable cause) {
        WarehouseException why = new WarehouseException(
                "rows could not be appended to %s: %s".formatted(table.name(), cause.getMessage()), cause);
        broken = why;
        lost.addAll(failed);
        lost.addAll(waiting);
        failed.clear();
        waiting.clear();
    }

    /** Fails the lost requests. Not under the lock, because the receiver may hold a lock of its own. */
    private void answerLost() {
        List<Request> now;
        synchronized (this) {
            now = List.copyOf(lost);
            lost.clear();
        }
        now.forEach(request -> request.answer.completeExceptionally(Objects.requireNonNull(broken)));
    }

    /** Resends the failed requests. Rows after refused ones move up. */
    private void recover() {
        List<Request> done = new ArrayList<>();
        synchronized (this) {
            List<Request> again = List.copyOf(failed);
            List<RetryCause> causes = again.stream()
                    .map(request -> causeOf(request, again.get(0)))
                    .toList();
            failed.clear();
            recovering = false;
            long shift = 0;
            for (Request request : again) {
                request.offset -= shift;
                shift += exact ? request.sent - request.left.size() : 0;
                if (request.left.isEmpty()) {
                    done.add(request);
                }
            }
            nextOffset -= shift;
            try {
                for (int i = 0; i < again.size(); i++) {
                    if (!again.get(i).left.isEmpty()) {
                        retried.accept(causes.get(i));
                        transmit(again.get(i));
                    }
                }
                while (!waiting.isEmpty()) {
                    send(waiting.remove());
                }
            } catch (WarehouseException e) {
                lost.addAll(again);
                breakDown(e);
            }
        }
        done.forEach(request -> request.answer.complete(request.refused));
        answerLost();
    }

    @Override
    public synchronized Optional<StreamCommit> cut() {
        if (!onTheirWay.isEmpty() || !failed.isEmpty() || !waiting.isEmpty()) {
            throw new IllegalStateException("rows are on their way to " + table.name());
        }
        if (!exact || nextOffset == cutOffset) {
            return Optional.empty();
        }
        cutOffset = nextOffset;
        return Optional.of(new StreamCommit(Objects.requireNonNull(stream), nextOffset - 1));
    }

    @Override
    public void close() {
        StreamWriter open;
        synchronized (this) {
            open = writer;
            writer = null;
            broken = new WarehouseException("the stream to " + table.name() + " is closed", null);
        }
        if (open != null) {
            open.close();
        }
    }
}
