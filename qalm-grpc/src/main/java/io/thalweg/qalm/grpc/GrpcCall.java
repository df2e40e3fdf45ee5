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
 * A gRPC call's place in a lane, and the executor of everything that happens in the call.
 *
 * <p>gRPC hands the executor of a call one task at a time. The first starts the call: it is held back until the lane has decided.
 * An admitted call goes on with the workers; a refused one ends at once, on the thread that decided, for workers are what is
 * short. The interceptor, which runs inside of the first task, finds the call in {@link #current}.
 */
final class GrpcCall extends WireCall implements Executor {
    private static final ThreadLocal<@Nullable GrpcCall> CURRENT = new ThreadLocal<>();

    private final Lane lane;
    private final Executor workers;
    private final Context context;
    /** The first task, until it is run. Written by the transport's thread before the lane knows of the call. */
    private @Nullable Runnable start;

    private boolean submitted;
    private volatile @Nullable Refusal reason;

    GrpcCall(
            CallHeaders said,
            @Nullable String proven,
            long arrivalNanos,
            Lane lane,
            Executor workers,
            Context context) {
        super(said, proven, arrivalNanos);
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
        CURRENT.set(this);
        try {
            task.run();
        } finally {
            CURRENT.set(null); // to remove it would cost each call a new entry
        }
    }
}
