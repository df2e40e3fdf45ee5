package io.thalweg.live;

import io.grpc.Status;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.api.v1.ReadLiveRequest;
import io.thalweg.api.v1.ReadLiveResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request whose keys are answered in parts, one per task. A key that no task answers is NOT_HERE.
 *
 * <p><b>Threads.</b> The caller's thread prepares each part, and its task's thread reads it. The last task notifies the
 * caller, which chooses the thread that builds the response.
 */
final class LiveCall {
    /** The caller. */
    interface Caller {
        /** Whether the caller no longer waits for an answer. */
        boolean hasGone();

        /** Called on a task's thread. */
        void answer(Supplier<ReadLiveResponse> response);

        void refuse(Status status);
    }

    private interface Step {
        void take() throws Exception;
    }

    private static final LiveRow NOT_HERE =
            LiveRow.newBuilder().setStatus(LiveStatus.NOT_HERE).build();

    private final ReadLiveRequest request;
    private final Caller caller;
    private final List<Part> parts = new ArrayList<>();
    private final AtomicBoolean answered = new AtomicBoolean();
    /** The number of open parts, plus one until all are queued. */
    private final AtomicInteger open = new AtomicInteger(1);

    LiveCall(ReadLiveRequest request, Caller caller) {
        this.request = request;
        this.caller = caller;
    }

    Part newPart() {
        open.incrementAndGet();
        Part part = new Part();
        parts.add(part);
        return part;
    }

    void begin(Map<LiveTask, Part> byTask) {
        byTask.forEach((task, part) -> {
            if (!task.offer(part)) {
                fail(Status.RESOURCE_EXHAUSTED.withDescription("too many keys are waiting; try again later"));
            }
        });
        done();
    }

    private void done() {
        if (open.decrementAndGet() == 0 && answered.compareAndSet(false, true)) {
            caller.answer(this::response);
        }
    }

    private ReadLiveResponse response() {
        LiveRow[] rows = new LiveRow[request.getKeysCount()];
        Arrays.fill(rows, NOT_HERE);
        parts.forEach(part -> part.put(rows));
        return ReadLiveResponse.newBuilder().addAllRows(Arrays.asList(rows)).build();
    }

    private void fail(Status status) {
        if (answered.compareAndSet(false, true)) {
            caller.refuse(status);
        }
    }

    /** The keys of one task. */
    final class Part {
        private int[] indexes = new int[8];
        private int size;
        private LiveReads.@Nullable Reading reading;
        private boolean read;

        void add(int index) {
            if (size == indexes.length) {
                indexes = Arrays.copyOf(indexes, 2 * size);
            }
            indexes[size++] = index;
        }

        int size() {
            return size;
        }

        /** Prepares the part on the caller's thread; false if that fails. */
        boolean prepare(LiveReads reads) {
            return attempt(() -> reading = reads.prepare(
                    Arrays.stream(indexes, 0, size).mapToObj(request::getKeys).toList()));
        }

        /** Reads the part on the task's thread, unless the caller has gone or was answered. */
        void read() {
            LiveReads.Reading prepared = reading;
            if (prepared == null || answered.get() || caller.hasGone()) {
                return;
            }
            var unused = attempt(() -> {
                prepared.read();
                read = true;
                done();
            });
        }

        private boolean attempt(Step step) {
            try {
                step.take();
                return true;
            } catch (IllegalArgumentException e) {
                fail(Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
            } catch (Exception e) { // a failed read must not fail the task
                fail(Status.INTERNAL.withDescription(String.valueOf(e)).withCause(e));
            }
            return false;
        }

        private void put(LiveRow[] rows) {
            if (read && reading != null) {
                List<LiveRow> found = reading.rows();
                for (int i = 0; i < size; i++) {
                    rows[indexes[i]] = found.get(i);
                }
            }
        }

        /** Completes the part without reading its keys, which remain NOT_HERE. */
        void drop() {
            done();
        }
    }
}
