package io.thalweg.jobs.lane;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.Lane;
import io.thalweg.warehouse.Lane.Refused;
import io.thalweg.warehouse.LaneCommit;
import io.thalweg.warehouse.LaneTable;
import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RetryCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Distributes the rows of one subtask over its lanes: each request is sent on the lane with the fewest bytes in flight. When all lanes
 * are full, the subtask blocks, which backpressures its source.
 *
 * <p><b>Memory.</b> At most {@value #SUBTASK_BYTES} bytes of rows are in flight.
 *
 * <p><b>State.</b> Counts and the last commit of each stream. A checkpoint waits until all rows before it are durable. A restored writer
 * writes to new streams and first checks that no rows are visible beyond the ends of the old ones. Streams that are no longer written to
 * are finalized; see {@link EndedStreams}.
 */
final class LaneWriter implements LaneSink.Writer {
    static final int REQUEST_BYTES = 1 << 20;
    static final int REQUEST_ROWS = 5_000;
    private static final int LANE_REQUESTS = 20;
    private static final long SUBTASK_BYTES = 64L << 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LaneTime time;
    private final int subtask;
    private final LaneAccount account;
    private final LaneTable table;
    private final Refusals.Writer refusals;
    private final LaneCount size;
    private final List<OpenLane> lanes = new ArrayList<>();
    /** Lanes that accept no more rows and are closed at the next checkpoint. */
    private final List<OpenLane> retired = new ArrayList<>();

    private final EndedStreams ended = new EndedStreams();
    private final List<Refusal> refused = new ArrayList<>();
    /** The retries of this attempt. */
    private final RetryCounts retries = new RetryCounts();

    private LaneCounts counts;
    private long onTheirWay;
    private @Nullable Throwable failure;
    private long lookedNanos;
    private long bytesAtLook;
    private long waitedNanos;

    LaneWriter(LaneSpec spec, int subtask, int subtasks, Collection<LaneState> restored, LaneTime time) {
        this.time = time;
        this.subtask = subtask;
        lookedNanos = time.nanos();
        counts = restored.stream().map(LaneState::counts).reduce(LaneCounts.NONE, LaneCounts::plus);
        bytesAtLook = counts.bytes();
        account = LaneAccount.of(spec.jobId());
        account.register(subtask, counts);
        table = spec.table().open(spec.rows());
        try {
            for (LaneState state : restored) {
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
        LaneSpec.Writers writers = spec.writers().of(subtask, subtasks);
        size = new LaneCount(writers.least(), writers.most());
    }

    /** A lane and its requests in flight; guarded by the writer. */
    private static final class OpenLane {
        private final Lane lane;
        private int requests;
        private long bytes;
        /** The total number of requests so far. */
        private long taken;

        private @Nullable LaneCommit end;

        OpenLane(Lane lane) {
            this.lane = lane;
        }

        /** Compares bytes in flight, then the number of requests so far, so that all lanes of a fixed number are used. */
        boolean isFreerThan(OpenLane other) {
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
        OpenLane lane = await(bytes);
        long begun = time.nanos();
        var unused = lane.lane.append(batch, from, to).whenComplete((rows, why) -> {
            account.appended((time.nanos() - begun) / 1e9);
            ended(lane, batch, bytes, to - from, rows, why);
        });
    }

    /** Waits until a lane has room and reserves the bytes on it. */
    private synchronized OpenLane await(long bytes) throws IOException, InterruptedException {
        while (true) {
            report();
            OpenLane free = freest();
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

    /** Returns the lane with the fewest bytes in flight that is not full, adding missing lanes first; null if all are full. */
    private @Nullable OpenLane freest() {
        while (lanes.size() < size.lanes()) {
            lanes.add(new OpenLane(table.lane(this::retried)));
        }
        OpenLane best = null;
        for (OpenLane lane : lanes) {
            if (lane.requests < LANE_REQUESTS && (best == null || lane.isFreerThan(best))) {
                best = lane;
            }
        }
        return best;
    }

    /** Called by lanes, possibly with their locks held, so it takes no lock of the writer. */
    private void retried(RetryCause cause) {
        retries.add(cause);
        account.retries().add(cause);
    }

    private synchronized void ended(
            OpenLane lane,
            EncodedRows batch,
            long bytes,
            int rows,
            @Nullable List<Refused> refusedRows,
            @Nullable Throwable why) {
        lane.requests--;
        lane.bytes -= bytes;
        onTheirWay -= bytes;
        if (refusedRows == null) {
            failure = failure == null ? why : failure;
        } else {
            long lost = 0;
            for (Refused each : refusedRows) {
                refused.add(new Refusal(batch, each));
                lost += batch.bytes(each.row(), each.row() + 1);
            }
            counts = counts.plus(new LaneCounts(rows - refusedRows.size(), refusedRows.size(), bytes - lost, 0));
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

    /** Adapts the number of lanes once a second. */
    private synchronized void look() {
        long now = time.nanos();
        long passed = now - lookedNanos;
        if (passed < LOOK_NANOS) {
            return;
        }
        double requests = lanes.stream().mapToInt(lane -> lane.requests).sum();
        double rate = (counts.bytes() - bytesAtLook) * 1e9 / passed;
        int wanted = size.next(new LaneCount.Look(
                Math.min(1, (double) waitedNanos / passed),
                requests / (LANE_REQUESTS * (double) Math.max(1, lanes.size())),
                rate));
        while (lanes.size() > wanted) {
            retired.add(lanes.remove(lanes.size() - 1));
        }
        lookedNanos = now;
        bytesAtLook = counts.bytes();
        waitedNanos = 0;
        publish();
    }

    private void publish() {
        account.update(subtask, snapshot(), lanes.size());
    }

    /** The counts so far, including those of previous runs. */
    synchronized LaneCounts counts() {
        return snapshot();
    }

    /** The requests that this attempt has retried. */
    RetryCounts retries() {
        return retries;
    }

    synchronized int openLanes() {
        return lanes.size();
    }

    private LaneCounts snapshot() {
        return counts.plus(new LaneCounts(0, 0, 0, retries.total()));
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
    public synchronized Collection<LaneCommit> prepareCommit() {
        List<LaneCommit> commits = new ArrayList<>();
        List<OpenLane> all = new ArrayList<>(lanes);
        all.addAll(retired);
        for (OpenLane lane : all) {
            lane.lane.cut().ifPresent(commit -> {
                lane.end = commit;
                commits.add(commit);
            });
        }
        if (!commits.isEmpty()) {
            commits.addAll(ended.next());
        }
        for (OpenLane lane : retired) {
            lane.lane.close();
            if (lane.end != null) {
                ended.add(lane.end);
            }
        }
        retired.clear();
        return commits;
    }

    @Override
    public synchronized List<LaneState> snapshotState(long checkpointId) {
        List<LaneCommit> ends = new ArrayList<>(ended.ends());
        for (OpenLane lane : lanes) {
            if (lane.end != null) {
                ends.add(lane.end);
            }
        }
        return List.of(new LaneState(snapshot(), ends));
    }

    @Override
    public void close() {
        List<OpenLane> all;
        synchronized (this) {
            all = new ArrayList<>(lanes);
            all.addAll(retired);
            lanes.clear();
            retired.clear();
        }
        try {
            for (OpenLane lane : all) {
                lane.lane.close();
            }
        } finally {
            table.close();
            refusals.close();
        }
    }
}
