package io.thalweg.qalm.grpc;

import io.grpc.Context;
import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.WireCall;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC call in a lane, and the executor of all its tasks.
 *
 * <p>gRPC passes the tasks of a call to its executor one at a time. The first task starts the call; it is held back until the
 * lane decides. The tasks of an admitted call run on the workers. A refused call ends at once, on the thread that decided,
 * because workers are scarce. The interceptor, which runs within the first task, obtains the call from {@link #current}.
 */
final class GrpcCall extends WireCall implements Executor {
    private static final ThreadLocal<@Nullable GrpcCall> CURRENT = new ThreadLocal<>();

    private final Lane lane;
    private final Executor workers;
    private final Context context;
    /** The first task, until it runs. Written by the transport's thread before the call is submitted. */
    private @Nullable Runnable start;

    private boolean submitted;
    private volatile @Nullable Refusal reason;

    GrpcCall(
            CallHeaders headers,
            @Nullable String proven,
            long arrivalNanos,
            Lane lane,
            Executor workers,
            Context context) {
        super(headers, proven, arrivalNanos);
        this.lane = lane;
        this.workers = workers;
        this.context = context;
    }

    /** The call whose first task runs on this thread. */
    static @Nullable GrpcCall current() {
        return CURRENT.get();
    }

    Lane lane() {
        return lane;
    }

    @Nullable
    Refusal reason() {
        return reason;
    }

    @Override
    public void execute(Runnable task) {
        if (!submitted) {
            submitted = true;
            start = task;
            lane.submit(this);
            if (waiting()) {
                context.addListener(ended -> cancel(), Runnable::run);
            }
        } else if (reason != null) {
            task.run();
        } else {
            workers.execute(task);
        }
    }

    @Override
    protected void admitted() {
        workers.execute(this::begun);
    }

    private void begun() {
        begin();
        start();
    }

    @Override
    protected void refused(Refusal why) {
        reason = why;
        start();
    }

    private void start() {
        Runnable task = Objects.requireNonNull(start);
        start = null;
        GrpcCall outer = CURRENT.get(); // a call that starts may decide on others
        CURRENT.set(this);
        try {
            task.run();
        } finally {
            CURRENT.set(outer); // remove() would cost each call a new entry
        }
    }
}
