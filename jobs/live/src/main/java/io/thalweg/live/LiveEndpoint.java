package io.thalweg.live;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveServiceGrpc;
import io.thalweg.api.v1.ReadLiveRequest;
import io.thalweg.api.v1.ReadLiveResponse;
import io.thalweg.model.row.Shard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers live reads of one job in one process, on a port that the system chooses. Tasks join when they start and leave when they
 * end; the port is open while any task is registered.
 *
 * <p>Callers of the same process need no network, see {@link #near}. The network's threads prepare keys and queue them for the
 * tasks that own them, see {@link LiveTask}; another thread builds the answers.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class LiveEndpoint {
    /** Keys of one request, and of one turn of a task. */
    public static final int MAX_KEYS = 1_000;

    private static final int ANSWERS_WAITING = 16;

    private static final Map<String, LiveEndpoint> BY_JOB = new HashMap<>();

    private final String job;
    private final Map<String, AtomicReferenceArray<@Nullable LiveTask>> tasks = new ConcurrentHashMap<>();
    private final List<LiveTask> members = new ArrayList<>();
    private final Server server;
    /** Builds the answers that are sent over the network; when it falls behind, tasks build theirs themselves. */
    private final ExecutorService answers;

    private LiveEndpoint(String job, LiveAddress address) {
        this.job = job;
        this.answers = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(ANSWERS_WAITING),
                work -> {
                    Thread thread = new Thread(work, "thalweg-live-answers");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.CallerRunsPolicy());
        try {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(address.bind(), 0))
                    .directExecutor()
                    .addService(new Service());
            if (address.tls() != null) {
                builder.sslContext(address.tls().server());
            }
            server = builder.build().start();
        } catch (IOException e) {
            throw new UncheckedIOException("live reads cannot listen on " + address.bind(), e);
        }
    }

    /**
     * Registers a task of this process, which answers for its shards until it is closed.
     *
     * @param job names the job; the same in all its processes
     * @param view qualified name
     * @param lastShard inclusive
     * @param address where to listen; the job's first task of this process decides
     * @param thread runs actions on the task's own thread, in order, soon
     * @param reads looks up keys, on that thread only
     */
    public static LiveTask join(
            String job,
            String view,
            int firstShard,
            int lastShard,
            LiveAddress address,
            Executor thread,
            LiveReads reads) {
        synchronized (BY_JOB) {
            LiveEndpoint endpoint = BY_JOB.computeIfAbsent(job, id -> new LiveEndpoint(id, address));
            LiveRoute route = new LiveRoute(
                    job, view, firstShard, lastShard, address.host(), endpoint.server.getPort(), address.tls() != null);
            LiveTask task = new LiveTask(route, thread, reads, endpoint::leave);
            endpoint.add(task);
            return task;
        }
    }

    /** Returns the routes to the tasks of this process. */
    public static List<LiveRoute> routes(String job) {
        synchronized (BY_JOB) {
            LiveEndpoint endpoint = BY_JOB.get(job);
            return endpoint == null
                    ? List.of()
                    : endpoint.members.stream().map(LiveTask::route).toList();
        }
    }

    private void add(LiveTask task) {
        members.add(task);
        AtomicReferenceArray<@Nullable LiveTask> byShard =
                tasks.computeIfAbsent(task.route().view(), view -> new AtomicReferenceArray<>(Shard.COUNT));
        for (int shard = task.route().firstShard(); shard <= task.route().lastShard(); shard++) {
            byShard.set(shard, task);
        }
    }

    private void leave(LiveTask task) {
        synchronized (BY_JOB) {
            if (!members.remove(task)) {
                return;
            }
            AtomicReferenceArray<@Nullable LiveTask> byShard =
                    tasks.get(task.route().view());
            for (int shard = 0; byShard != null && shard < Shard.COUNT; shard++) {
                byShard.compareAndSet(shard, task, null);
            }
            if (members.isEmpty()) {
                BY_JOB.remove(job);
                server.shutdownNow();
                answers.shutdown();
            }
        }
    }

    private @Nullable LiveTask owner(String view, LiveKey key) {
        AtomicReferenceArray<@Nullable LiveTask> byShard = tasks.get(view);
        return byShard == null || key.getShard() >= Shard.COUNT || key.getShard() < 0
                ? null
                : byShard.get(key.getShard());
    }

    /** Returns the endpoint of this process that a route leads to; null if it leads elsewhere. */
    static @Nullable LiveEndpoint near(LiveRoute route) {
        synchronized (BY_JOB) {
            LiveEndpoint endpoint = BY_JOB.get(route.job());
            boolean leadsHere = endpoint != null
                    && endpoint.members.stream().anyMatch(task -> task.route().equals(route));
            return leadsHere ? endpoint : null;
        }
    }

    /** Answers a caller of this process, which builds the answer itself and cancels the future if it no longer needs it. */
    Future<Supplier<ReadLiveResponse>> read(ReadLiveRequest request) {
        CompletableFuture<Supplier<ReadLiveResponse>> answer = new CompletableFuture<>();
        serve(request, new LiveCall.Caller() {
            @Override
            public boolean hasGone() {
                return answer.isDone();
            }

            @Override
            public void answer(Supplier<ReadLiveResponse> response) {
                answer.complete(response);
            }

            @Override
            public void refuse(Status status) {
                answer.completeExceptionally(status.asRuntimeException());
            }
        });
        return answer;
    }

    private void serve(ReadLiveRequest request, LiveCall.Caller caller) {
        if (request.getKeysCount() > MAX_KEYS) {
            caller.refuse(Status.INVALID_ARGUMENT.withDescription(
                    "keys: at most " + MAX_KEYS + ", was " + request.getKeysCount()));
            return;
        }
        LiveCall call = new LiveCall(request, caller);
        Map<LiveTask, LiveCall.Part> parts = new LinkedHashMap<>();
        for (int i = 0; i < request.getKeysCount(); i++) {
            LiveTask owner = request.getJob().equals(job) ? owner(request.getView(), request.getKeys(i)) : null;
            if (owner != null) {
                parts.computeIfAbsent(owner, task -> call.newPart()).add(i);
            }
        }
        call.begin(parts);
    }

    private static void send(Supplier<ReadLiveResponse> response, ServerCallStreamObserver<ReadLiveResponse> observer) {
        if (observer.isCancelled()) {
            return;
        }
        try {
            observer.onNext(response.get());
            observer.onCompleted();
        } catch (RuntimeException e) {
            observer.onError(Status.INTERNAL
                    .withDescription(String.valueOf(e))
                    .withCause(e)
                    .asRuntimeException());
        }
    }

    private final class Service extends LiveServiceGrpc.LiveServiceImplBase {
        @Override
        public void readLive(ReadLiveRequest request, StreamObserver<ReadLiveResponse> responses) {
            ServerCallStreamObserver<ReadLiveResponse> observer =
                    (ServerCallStreamObserver<ReadLiveResponse>) responses;
            observer.setOnCancelHandler(() -> {}); // otherwise cancellation would throw in the task
            serve(request, new LiveCall.Caller() {
                @Override
                public boolean hasGone() {
                    return observer.isCancelled();
                }

                @Override
                public void answer(Supplier<ReadLiveResponse> response) {
                    answers.execute(() -> send(response, observer));
                }

                @Override
                public void refuse(Status status) {
                    observer.onError(status.asRuntimeException());
                }
            });
        }
    }
}
