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
 * Calls a rival on the transport's thread, before any queue, which is the best place for it. Admitted calls are put into the
 * workers' queue, whose delay is part of the times that the rival sees. Refusals have the code of the rival's own adapter.
 */
record LimitingInterceptor(LimitingInterceptor.Limiter limiter, Executor workers) implements ServerInterceptor {
    /** A rival. */
    interface Limiter {
        /** Returns the callback for the end of the call; null = refused. */
        @Nullable
        Consumer<Status> acquire(String method, String caller);
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

    /** Runs the service's code on a worker once the request is complete. */
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
                    // A cancelled call is not closed, not even by the service's code: its answer fails.
                    release(held, Status.CANCELLED);
                }
            });
        }

        /** Runs on the thread of {@link #onHalfClose}. */
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
