package io.thalweg.jobs.stream;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.RetryAccount;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.RowStream.Refused;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Distributes the rows of one subtask over its streams: each request is sent on the stream with the fewest bytes in flight. When all streams
 * are full, the subtask blocks, which backpressures its source.
 *
 * <p><b>Memory.</b> At most {@value #SUBTASK_BYTES} bytes of rows are in flight.
 *
 * <p><b>State.</b> Counts and the last commit of each stream. A checkpoint waits until all rows before it are durable. A restored writer
 * writes to new streams and first checks that no rows are visible beyond the ends of the old ones. Streams that are no longer written to
 * are finalized; see {@link EndedStreams}.
 */
final class RowStreamWriter implements StreamSink.Writer {
    static final int REQUEST_BYTES = 1 << 20;
    static final int REQUEST_ROWS = 5_000;
    private static final int STREAM_REQUESTS = 20;
    private static final long SUBTASK_BYTES = 64L << 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StreamTime time;
    private final int subtask;
    private final StreamAccount account;
    private final StreamTable table;
    private final Refusals.Writer refusals;
    private final StreamCount size;
    private final List<OpenStream> streams = new ArrayList<>();
    /** Streams that accept no more rows and are closed at the next checkpoint. */
    private final List<OpenStream> retired = new ArrayList<>();

    private final EndedStreams ended = new EndedStreams();
    private final List<Refusal> refused = new ArrayList<>();
    /** The retries of this attempt. */
    private final RetryAccount retries = new RetryAccount();

    private StreamTotals counts;
    private long onTheirWay;
    private @Nullable Throwable failure;
    private long lookedNanos;
    private long bytesAtLook;
    private long waitedNanos;

    RowStreamWriter(StreamSpec spec, int subtask, int subtasks, Collection<StreamState> restored, StreamTime time) {
        this.time = time;
        this.subtask = subtask;
        lookedNanos = time.nanos();
        counts = restored.stream().map(StreamState::counts).reduce(StreamTotals.NONE, StreamTotals::plus);
        bytesAtLook = counts.bytes();
        account = StreamAccount.of(spec.jobId());
        account.register(subtask, counts);
        table = spec.table().open(spec.rows());
        try {
            for (StreamState state : restored) {
                state.ends().forEach(table::requireNothingBehind);
                state.ends().forEach(ended::add);
            }
        } catch (LostCommitException e) {
            table.close();
            throw new LostRowsException(e);
        } catch (RuntimeException e) {
            table.close();
            throw e;
        }
        refusals = spec.refusals().open(subtask);
        StreamSpec.Writers writers = spec.writers().of(subtask, subtasks);
        size = new StreamCount(writers.least(), writers.most());
    }

    /** A stream and its requests in flight; guarded by the writer. */
    private static final class OpenStream {
        private final RowStream stream;
        private int requests;
        private long bytes;
        /** The total number of requests so far. */
        private long taken;

        private @Nullable StreamCommit end;

        OpenStream(RowStream stream) {
            this.stream = stream;
        }

        /** Compares bytes in flight, then the number of requests so far, so that all streams of a fixed number are used. */
        boolean isFreerThan(OpenStream other) {
            return bytes == other.bytes ? taken < other.taken : bytes < other.bytes;
        }
    }

    private record Refusal(EncodedRows rows, Refused why) {}

    @Override
    public void write(EncodedRows batch, Context context) throws IOException, InterruptedException {
        int from = 0;
        while (from < batch.rows()) {
            int to = from + 1;
            while (to < batch.rows() && to - from < REQUEST_ROWS && batch.bytes(from, to + 1) <= REQUEST_BYTES) {
                to++;
            }
            append(batch, from, to);
            from = to;
        }
        look();
    }

    private void append(EncodedRows batch, int from, int to) throws IOException, InterruptedException {
        long bytes = batch.bytes(from, to);
        OpenStream stream = await(bytes);
        long begun = time.nanos();
        var unused = stream.stream.append(batch, from, to).whenComplete((rows, why) -> {
            account.appended((time.nanos() - begun) / 1e9);
            ended(stream, batch, bytes, to - from, rows, why);
        });
    }

    /** Waits until a stream has room and reserves the bytes on it. */
    private synchronized OpenStream await(long bytes) throws IOException, InterruptedException {
        while (true) {
            report();
            OpenStream free = freest();
            boolean fits = onTheirWay == 0 || onTheirWay + bytes <= SUBTASK_BYTES;
            if (free != null && fits) {
                free.requests++;
                free.taken++;
                free.bytes += bytes;
                onTheirWay += bytes;
                return free;
            }
            long begun = time.nanos();
            time.await(this);
            waitedNanos += time.nanos() - begun;
        }
    }

    /** Returns the stream with the fewest bytes in flight that is not full, adding missing streams first; null if all are full. */
    private @Nullable OpenStream freest() {
        while (streams.size() < size.streams()) {
            streams.add(new OpenStream(table.stream(this::retried)));
        }
        OpenStream best = null;
        for (OpenStream stream : streams) {
            if (stream.requests < STREAM_REQUESTS && (best == null || stream.isFreerThan(best))) {
                best = stream;
            }
        }
        return best;
    }

    /** Called by streams, possibly with their locks held, so it takes no lock of the writer. */
    private void retried(RetryCause cause) {
        retries.add(cause);
        account.retries().add(cause);
    }

    private synchronized void ended(
            OpenStream stream,
            EncodedRows batch,
            long bytes,
            int rows,
            @Nullable List<Refused> refusedRows,
            @Nullable Throwable why) {
        stream.requests--;
        stream.bytes -= bytes;
        onTheirWay -= bytes;
        if (refusedRows == null) {
            failure = failure == null ? why : failure;
        } else {
            long lost = 0;
            for (Refused each : refusedRows) {
                refused.add(new Refusal(batch, each));
                lost += batch.bytes(each.row(), each.row() + 1);
            }
            counts = counts.plus(new StreamTotals(rows - refusedRows.size(), refusedRows.size(), bytes - lost, 0));
        }
        notifyAll();
    }

    /** Throws the first failure, if any, and reports refused rows. */
    private void report() throws IOException {
        Throwable why = failure;
        if (why != null) {
            throw new IOException(why.getMessage(), why);
        }
        refused.forEach(each -> refusals.refused(each.rows(), each.why()));
        refused.clear();
    }

    /** Adapts the number of streams once a second. */
    private synchronized void look() {
        long now = time.nanos();
        long passed = now - lookedNanos;
        if (passed < LOOK_NANOS) {
            return;
        }
        double requests = streams.stream().mapToInt(stream -> stream.requests).sum();
        double rate = (counts.bytes() - bytesAtLook) * 1e9 / passed;
        int wanted = size.next(new StreamCount.Look(
                Math.min(1, (double) waitedNanos / passed),
                requests / (STREAM_REQUESTS * (double) Math.max(1, streams.size())),
                rate));
        while (streams.size() > wanted) {
            retired.add(streams.remove(streams.size() - 1));
        }
        lookedNanos = now;
        bytesAtLook = counts.bytes();
        waitedNanos = 0;
        publish();
    }

    private void publish() {
        account.update(subtask, snapshot(), streams.size());
    }

    /** The counts so far, including those of previous runs. */
    synchronized StreamTotals counts() {
        return snapshot();
    }

    /** The requests that this attempt has retried. */
    RetryAccount retries() {
        return retries;
    }

    synchronized int openStreams() {
        return streams.size();
    }

    private StreamTotals snapshot() {
        return counts.plus(new StreamTotals(0, 0, 0, retries.total()));
    }

    @Override
    public synchronized void flush(boolean endOfInput) throws IOException, InterruptedException {
        while (onTheirWay > 0 && failure == null) {
            time.await(this);
        }
        report();
        refusals.flush();
        publish();
    }

    @Override
    public synchronized Collection<StreamCommit> prepareCommit() {
        List<StreamCommit> commits = new ArrayList<>();
        List<OpenStream> all = new ArrayList<>(streams);
        all.addAll(retired);
        for (OpenStream stream : all) {
            stream.stream.cut().ifPresent(commit -> {
                stream.end = commit;
                commits.add(commit);
            });
        }
        if (!commits.isEmpty()) {
            commits.addAll(ended.next());
        }
        for (OpenStream stream : retired) {
            stream.stream.close();
            if (stream.end != null) {
                ended.add(stream.end);
            }
        }
        retired.clear();
        return commits;
    }

    @Override
    public synchronized List<StreamState> snapshotState(long checkpointId) {
        List<StreamCommit> ends = new ArrayList<>(ended.ends());
        for (OpenStream stream : streams) {
            if (stream.end != null) {
                ends.add(stream.end);
            }
        }
        return List.of(new StreamState(snapshot(), ends));
    }

    @Override
    public void close() {
        List<OpenStream> all;
        synchronized (this) {
            all = new ArrayList<>(streams);
            all.addAll(retired);
            streams.clear();
            retired.clear();
        }
        try {
            for (OpenStream stream : all) {
                stream.stream.close();
            }
        } finally {
            table.close();
            refusals.close();
        }
    }
}
