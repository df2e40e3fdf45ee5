package io.thalweg.live;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveServiceGrpc;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.api.v1.ReadLiveRequest;
import io.thalweg.api.v1.ReadLiveResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the current counts of a running job.
 *
 * <p>Routes are looked up when they are first needed, and again when one turns out wrong: when no task listens there, or the
 * shard has moved.
 *
 * <p>Tasks in the same process are read without the network.
 *
 * <p><b>Errors.</b> {@link LiveUnavailableException} while the job does not run, restarts or is overloaded.
 *
 * <p><b>Threads.</b> Safe. A read blocks for at most three attempts, each limited by the timeout.
 */
public final class LiveClient implements AutoCloseable {
    private static final int ATTEMPTS = 3;
    /** The least time between two lookups of routes, so that reads of a restarting job do not each request them. */
    private static final long REFRESH_NANOS = 200_000_000;

    private final LiveRoutes routes;
    private final Duration timeout;
    private final @Nullable LiveTls tls;
    private final boolean overNetwork;
    private final Map<String, ManagedChannel> channels = new ConcurrentHashMap<>();

    private volatile List<LiveRoute> known = List.of();
    private long refreshedNanos = System.nanoTime() - REFRESH_NANOS;

    /**
     * Creates a client of the job that the routes lead to.
     *
     * @param timeout for an answer to one attempt
     */
    public LiveClient(LiveRoutes routes, Duration timeout) {
        this(routes, timeout, null);
    }

    /**
     * Creates a client of the job that the routes lead to.
     *
     * @param timeout for an answer to one attempt
     * @param tls mutual authentication with the processes that are read over the network; null = none, and only processes that do not
     *   require it are read
     */
    public LiveClient(LiveRoutes routes, Duration timeout, @Nullable LiveTls tls) {
        this(routes, timeout, tls, false);
    }

    /** Creates a client that, if requested, uses the network even where it is not needed. */
    LiveClient(LiveRoutes routes, Duration timeout, @Nullable LiveTls tls, boolean overNetwork) {
        this.routes = routes;
        this.timeout = timeout;
        this.tls = tls;
        this.overNetwork = overNetwork;
    }

    /**
     * Reads keys of one view.
     *
     * @return one per key, in their order; each is FOUND or EMPTY
     * @throws IllegalArgumentException if the job cannot read a key
     */
    public List<LiveRow> read(LiveView view, List<LiveKey> keys) {
        Reading reading = new Reading(view, keys);
        for (int attempt = 1; attempt <= ATTEMPTS && reading.left > 0; attempt++) {
            List<LiveRoute> used = known;
            if (used.isEmpty() || attempt > 1) {
                used = refresh(used);
            }
            reading.attempt(used);
        }
        return reading.rows();
    }

    /** Looks up the routes, unless another thread has done so since. */
    private synchronized List<LiveRoute> refresh(List<LiveRoute> stale) {
        if (known == stale) {
            try {
                TimeUnit.NANOSECONDS.sleep(refreshedNanos + REFRESH_NANOS - System.nanoTime());
                known = List.copyOf(routes.find());
            } catch (IOException e) {
                throw new LiveUnavailableException("where the job counts cannot be found: " + e.getMessage(), false, e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            } finally {
                refreshedNanos = System.nanoTime();
            }
            forgetChannels();
        }
        return known;
    }

    private static LiveUnavailableException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LiveUnavailableException("interrupted while reading", false, e);
    }

    private void forgetChannels() {
        List<String> used = known.stream().map(LiveRoute::address).toList();
        channels.forEach((address, channel) -> {
            if (!used.contains(address) && channels.remove(address, channel)) {
                channel.shutdown();
            }
        });
    }

    private ManagedChannel channel(LiveRoute route) {
        requireSameTls(route);
        return channels.computeIfAbsent(route.address(), address -> {
            NettyChannelBuilder channel = NettyChannelBuilder.forAddress(route.host(), route.port())
                    .directExecutor(); // answers only complete a future: one thread fewer to wait for
            return (tls == null ? channel.usePlaintext() : channel.sslContext(tls.client())).build();
        });
    }

    private void requireSameTls(LiveRoute route) {
        if (route.tls() && tls == null) {
            throw new LiveUnavailableException(
                    "the job's processes demand a certificate of those who read from them; set flink.tls in thalweg.yaml",
                    false,
                    null);
        }
        if (!route.tls() && tls != null) {
            throw new LiveUnavailableException(
                    "the job's processes at " + route.address()
                            + " do not encrypt live reads, which flink.tls demands; set security.ssl.internal.enabled for the cluster, or remove flink.tls",
                    false,
                    null);
        }
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }

    /** One read in progress. */
    private final class Reading {
        private final LiveView view;
        private final List<LiveKey> keys;
        private final @Nullable LiveRow[] rows;
        private final Set<LiveRoute> failed = new HashSet<>();
        private int left;
        private @Nullable Throwable trouble;
        private String asked = "";

        Reading(LiveView view, List<LiveKey> keys) {
            this.view = view;
            this.keys = keys;
            this.rows = new LiveRow[keys.size()];
            this.left = keys.size();
        }

        /** Requests the remaining keys; keys without an answer remain open. */
        void attempt(List<LiveRoute> routes) {
            List<Question> questions = new ArrayList<>();
            long untilNanos = System.nanoTime() + timeout.toNanos();
            routed(routes).forEach((route, indexes) -> {
                for (int from = 0; from < indexes.size(); from += LiveEndpoint.MAX_KEYS) {
                    questions.add(ask(
                            route, indexes.subList(from, Math.min(from + LiveEndpoint.MAX_KEYS, indexes.size()))));
                }
            });
            questions.forEach(question -> take(question, untilNanos));
        }

        private Map<LiveRoute, List<Integer>> routed(List<LiveRoute> routes) {
            Map<LiveRoute, List<Integer>> indexes = new LinkedHashMap<>();
            for (int i = 0; i < rows.length; i++) {
                LiveRoute route = route(routes, keys.get(i).getShard());
                if (rows[i] == null && route != null) {
                    indexes.computeIfAbsent(route, r -> new ArrayList<>()).add(i);
                }
            }
            return indexes;
        }

        /**
         * Returns the last, which is the newest, of the routes that have not failed: after a task has moved, its old address is
         * reported beside the new one until Flink forgets it.
         */
        private @Nullable LiveRoute route(List<LiveRoute> routes, int shard) {
            LiveRoute found = null;
            for (LiveRoute route : routes) {
                boolean better = found == null || failed.contains(found) || !failed.contains(route);
                found = better && route.leadsTo(view.name(), shard) ? route : found;
            }
            return found;
        }

        private Question ask(LiveRoute route, List<Integer> indexes) {
            ReadLiveRequest.Builder request =
                    ReadLiveRequest.newBuilder().setJob(route.job()).setView(view.name());
            indexes.forEach(index -> request.addKeys(keys.get(index)));
            LiveEndpoint near = overNetwork ? null : LiveEndpoint.near(route);
            if (near != null) {
                Future<Supplier<ReadLiveResponse>> answer = near.read(request.build());
                return new Question(route, indexes, answer, nanos -> made(answer.get(nanos, TimeUnit.NANOSECONDS)));
            }
            Future<ReadLiveResponse> answer = LiveServiceGrpc.newFutureStub(channel(route))
                    .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .readLive(request.build());
            return new Question(route, indexes, answer, nanos -> answer.get(nanos, TimeUnit.NANOSECONDS));
        }

        /** Converts a failure to the one that the network would report. */
        private static ReadLiveResponse made(Supplier<ReadLiveResponse> answer) throws ExecutionException {
            try {
                return answer.get();
            } catch (RuntimeException e) {
                throw new ExecutionException(Status.INTERNAL
                        .withDescription(String.valueOf(e))
                        .withCause(e)
                        .asRuntimeException());
            }
        }

        private void take(Question question, long untilNanos) {
            try {
                long leftNanos = Math.max(0, untilNanos - System.nanoTime());
                List<LiveRow> answer = question.answer.within(leftNanos).getRowsList();
                for (int i = 0; i < answer.size(); i++) {
                    if (answer.get(i).getStatus() == LiveStatus.NOT_HERE) {
                        failed.add(question.route);
                    } else {
                        rows[question.indexes.get(i)] = answer.get(i);
                        left--;
                    }
                }
            } catch (ExecutionException e) {
                trouble = e.getCause();
                failed.add(question.route);
                asked = question.route.address();
                Status status = Status.fromThrowable(e);
                if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
                    throw new LiveUnavailableException(
                            "the job has too many live reads waiting; try again later", true, e);
                }
                if (status.getCode() == Status.Code.INVALID_ARGUMENT) {
                    throw new IllegalArgumentException(status.getDescription(), e);
                }
            } catch (TimeoutException e) {
                question.sent.cancel(true);
                trouble = new TimeoutException("no answer within " + timeout.toMillis() + " ms");
                asked = question.route.address();
            } catch (InterruptedException e) {
                question.sent.cancel(true);
                throw interrupted(e);
            }
        }

        List<LiveRow> rows() {
            if (left > 0) {
                String reason = trouble == null
                        ? "no task of the job has said that it counts them"
                        : asked + ": " + trouble.getMessage();
                throw new LiveUnavailableException(
                        "%d of %d keys of view %s were not answered (%s); the job is starting, restarting or not running"
                                .formatted(left, rows.length, view.name(), reason),
                        false,
                        trouble);
            }
            return Arrays.stream(rows).map(Objects::requireNonNull).toList();
        }
    }

    private interface Answer {
        ReadLiveResponse within(long nanos) throws InterruptedException, ExecutionException, TimeoutException;
    }

    private record Question(LiveRoute route, List<Integer> indexes, Future<?> sent, Answer answer) {}
}
