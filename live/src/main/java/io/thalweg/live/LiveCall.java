package io.thalweg.live;

import io.grpc.Status;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.api.v1.ReadLiveRequest;
import io.thalweg.api.v1.ReadLiveResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A request whose keys several tasks answer, a part each. What nobody answers is NOT_HERE.
 *
 * <p><b>Threads.</b> Each part is one task's; whoever is last answers the caller.
 */
final class LiveCall {
    /** Who asks. */
    interface Caller {
        /** Whether an answer would be read by nobody. */
        boolean hasGone();

        void answer(ReadLiveResponse response);

        void refuse(Status status);
    }

    private static final LiveRow NOT_HERE =
            LiveRow.newBuilder().setStatus(LiveStatus.NOT_HERE).build();

    private final ReadLiveRequest request;
    private final Caller caller;
    private final LiveRow[] rows;
    private final AtomicBoolean answered = new AtomicBoolean();
    /** One more than there are parts, until all are handed over. */
    private final AtomicInteger open = new AtomicInteger(1);

    LiveCall(ReadLiveRequest request, Caller caller) {
        this.request = request;
        this.caller = caller;
        this.rows = new LiveRow[request.getKeysCount()];
        Arrays.fill(rows, NOT_HERE);
    }

    Part newPart() {
        open.incrementAndGet();
        return new Part();
    }

    void begin(Map<LiveTask, Part> parts) {
        parts.forEach((task, part) -> {
            if (!task.offer(part)) {
                fail(Status.RESOURCE_EXHAUSTED.withDescription("too many keys are waiting; try again later"));
            }
        });
        done();
    }

    private void done() {
        if (open.decrementAndGet() == 0 && answered.compareAndSet(false, true)) {
            caller.answer(ReadLiveResponse.newBuilder()
                    .addAllRows(Arrays.asList(rows))
                    .build());
        }
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

        void add(int index) {
            if (size == indexes.length) {
                indexes = Arrays.copyOf(indexes, 2 * size);
            }
            indexes[size++] = index;
        }

        int size() {
            return size;
        }

        /** Reads them, on the task's thread; not where the caller has gone or was answered. */
        void answer(LiveReads reads) {
            if (answered.get() || caller.hasGone()) {
                return;
            }
            try {
                for (int i = 0; i < size; i++) {
                    LiveKey key = request.getKeys(indexes[i]);
                    rows[indexes[i]] = reads.read(key);
                }
                done();
            } catch (IllegalArgumentException e) {
                fail(Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
            } catch (Exception e) { // a read that fails is not the task's failure
                fail(Status.INTERNAL.withDescription(String.valueOf(e)).withCause(e));
            }
        }

        /** Nobody will read them. */
        void drop() {
            done();
        }
    }
}
