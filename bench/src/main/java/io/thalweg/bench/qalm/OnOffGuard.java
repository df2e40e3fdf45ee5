package io.thalweg.bench.qalm;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Our interpretation of the published system, not its code: a queue for each method, whose smallest delay in 100 ms switches
 * overload on and off. During an overload, the most critical calls run first, and calls of levels 2 and 3 that have waited too
 * long are refused; levels 0 and 1 wait without limit. No gate, no deadlines. Each method has its share of the workers.
 */
final class OnOffGuard implements Guard {
    private static final int LEVELS = 4;
    private static final int FEATURE = 2;
    private static final long INTERVAL_NANOS = 100_000_000;
    private static final long DELAY_NANOS_MIN = 20_000_000;
    private static final long DELAY_NANOS_MAX = 100_000_000;

    private final Experiment experiment;
    private final Map<String, Queue> queues;

    OnOffGuard(Experiment experiment) {
        this.experiment = experiment;
        int part = Math.max(1, experiment.workers() / experiment.methods().size());
        queues = experiment.methods().stream()
                .collect(Collectors.toMap(
                        method -> Wire.SERVICE + "/" + method, method -> new Queue(part, delay(experiment, method))));
    }

    /** Returns half of the mean service time, which is 0.3 × its p90, the threshold that Thalweg would find. */
    private static long delay(Experiment experiment, String method) {
        double ms = experiment.streams().stream()
                .filter(stream -> stream.method().equals(method))
                .mapToDouble(Experiment.Stream::serviceMs)
                .max()
                .orElse(0);
        return Math.min(DELAY_NANOS_MAX, Math.max(DELAY_NANOS_MIN, (long) (ms / 2 * 1e6)));
    }

    @Override
    public void protect(ServerBuilder<?> server, Executor workers) {
        server.directExecutor().intercept(new ServerInterceptor() {
            @Override
            public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
                    ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
                Queue queue = Objects.requireNonNull(
                        queues.get(call.getMethodDescriptor().getFullMethodName()));
                String caller = headers.get(Wire.CALLER);
                int level = experiment.level(caller == null ? "unknown" : caller);
                return new Queued<>(next.startCall(call, headers), call, queue, level, workers);
            }
        });
    }

    /** A call; it joins the queue once it is complete. */
    private static final class Queued<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
        private final ServerCall<ReqT, ?> call;
        private final Queue queue;
        private final Executor workers;
        private final int level;
        private final long arrivalNanos = System.nanoTime();
        private volatile boolean cancelled;

        Queued(ServerCall.Listener<ReqT> listener, ServerCall<ReqT, ?> call, Queue queue, int level, Executor workers) {
            super(listener);
            this.call = call;
            this.queue = queue;
            this.level = level;
            this.workers = workers;
        }

        @Override
        public void onHalfClose() {
            queue.add(this);
        }

        @Override
        public void onCancel() {
            cancelled = true;
            super.onCancel();
        }

        void refuse() {
            call.close(Status.RESOURCE_EXHAUSTED.withDescription("overload"), new Metadata());
        }

        void work() {
            workers.execute(() -> {
                try {
                    if (!cancelled) {
                        super.onHalfClose();
                    }
                } finally {
                    queue.ended();
                }
            });
        }
    }

    /** The waiting calls of a method. Calls are run or refused outside the lock. */
    private static final class Queue {
        private final int part;
        private final long delayNanos;
        private final List<Deque<Queued<?>>> levels = new ArrayList<>();
        private int running;
        private boolean overloaded;
        private long intervalNanos = System.nanoTime();
        private long leastNanos = Long.MAX_VALUE;

        Queue(int part, long delayNanos) {
            this.part = part;
            this.delayNanos = delayNanos;
            for (int i = 0; i < LEVELS; i++) {
                levels.add(new ArrayDeque<>());
            }
        }

        void add(Queued<?> call) {
            synchronized (this) {
                levels.get(call.level).addLast(call);
            }
            serve();
        }

        void ended() {
            synchronized (this) {
                running--;
            }
            serve();
        }

        private void serve() {
            List<Queued<?>> refused = new ArrayList<>();
            List<Queued<?>> taken = new ArrayList<>();
            synchronized (this) {
                long now = System.nanoTime();
                look(now);
                if (overloaded) {
                    evict(now, refused);
                }
                for (Queued<?> next = next(); next != null; next = next()) {
                    levels.get(next.level).removeFirst();
                    leastNanos = Math.min(leastNanos, now - next.arrivalNanos);
                    running++;
                    taken.add(next);
                }
            }
            taken.forEach(Queued::work);
            refused.forEach(Queued::refuse);
        }

        /** Updates the state once in 100 ms; if no call has left the queue, the age of the oldest one counts. */
        private void look(long now) {
            if (now - intervalNanos < INTERVAL_NANOS) {
                return;
            }
            Queued<?> oldest = oldest();
            long least = leastNanos < Long.MAX_VALUE ? leastNanos : oldest == null ? 0 : now - oldest.arrivalNanos;
            overloaded = least > delayNanos;
            leastNanos = Long.MAX_VALUE;
            intervalNanos = now;
        }

        private void evict(long now, List<Queued<?>> refused) {
            for (int level = FEATURE; level < LEVELS; level++) {
                long most = (level == FEATURE ? 4 : 2) * delayNanos;
                Deque<Queued<?>> waiting = levels.get(level);
                while (!waiting.isEmpty() && now - waiting.getFirst().arrivalNanos > most) {
                    refused.add(waiting.removeFirst());
                }
            }
        }

        private @Nullable Queued<?> next() {
            if (running >= part) {
                return null;
            }
            return overloaded ? mostCritical() : oldest();
        }

        private @Nullable Queued<?> mostCritical() {
            for (Deque<Queued<?>> waiting : levels) {
                if (!waiting.isEmpty()) {
                    return waiting.getFirst();
                }
            }
            return null;
        }

        private @Nullable Queued<?> oldest() {
            Queued<?> oldest = null;
            for (Deque<Queued<?>> waiting : levels) {
                Queued<?> head = waiting.peekFirst();
                if (head != null && (oldest == null || head.arrivalNanos - oldest.arrivalNanos < 0)) {
                    oldest = head;
                }
            }
            return oldest;
        }
    }
}
