package io.thalweg.bench.qalm;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A rival's place: it is asked on the transport's thread, before any queue, which is the best that one could do for it; what it
 * admits goes to the workers' queue, whose delay is in the times that it sees. Refusals have the code that its own adapter gives.
 */
final class LimitingInterceptor implements ServerInterceptor {
    /** A rival. */
    interface Limiter {
        /** What is to be called when the call has ended; null = refused. */
        @Nullable
        Consumer<Status> acquire(String method, String caller);
    }

    private final Limiter limiter;
    private final Executor workers;

    private LimitingInterceptor(Limiter limiter, Executor workers) {
        this.limiter = limiter;
        this.workers = workers;
    }

    static Guard guard(Limiter limiter) {
        return (server, workers) -> server.directExecutor().intercept(new LimitingInterceptor(limiter, workers));
    }

    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
            ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        String caller = headers.get(Wire.CALLER);
        Consumer<Status> permit =
                limiter.acquire(call.getMethodDescriptor().getFullMethodName(), caller == null ? "unknown" : caller);
        if (permit == null) {
            call.close(Status.UNAVAILABLE, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        AtomicReference<@Nullable Consumer<Status>> held = new AtomicReference<>(permit);
        ServerCall<ReqT, RespT> watched = new SimpleForwardingServerCall<>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
                release(held, status);
                super.close(status, trailers);
            }
        };
        return new OnWorkers<>(next.startCall(watched, headers), held);
    }

    private static void release(AtomicReference<@Nullable Consumer<Status>> held, Status status) {
        Consumer<Status> permit = held.getAndSet(null);
        if (permit != null) {
            permit.accept(status);
        }
    }

    /** The service's code runs when all has arrived, on a worker. */
    private final class OnWorkers<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
        private final AtomicReference<@Nullable Consumer<Status>> held;
        private volatile boolean cancelled;
        private boolean whole;

        OnWorkers(ServerCall.Listener<ReqT> listener, AtomicReference<@Nullable Consumer<Status>> held) {
            super(listener);
            this.held = held;
        }

        @Override
        public void onHalfClose() {
            whole = true;
            workers.execute(() -> {
                try {
                    if (!cancelled) {
                        super.onHalfClose();
                    }
                } finally {
                    // A call whose caller gave up is not closed, not even by the service's code: its answer fails.
                    release(held, Status.CANCELLED);
                }
            });
        }

        /** Comes on the thread that {@link #onHalfClose} comes on. */
        @Override
        public void onCancel() {
            cancelled = true;
            if (!whole) {
                release(held, Status.CANCELLED);
            }
            super.onCancel();
        }
    }
}
