package io.thalweg.jobs.pubsub;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStream;
import io.thalweg.warehouse.PullStream.State;
import io.thalweg.warehouse.PulledMessages;
import io.thalweg.warehouse.PulledMessages.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Emits the messages of its streams and acknowledges them when a checkpoint that covers them completes. Checkpoints hold no messages,
 * because the service redelivers unacknowledged ones. They only record how long all streams of this subtask had been connected without
 * delivering anything, so that a process that starts the job on a cluster knows when to end it.
 *
 * <p><b>Metrics.</b> Of this subtask and attempt: {@code ingest_delivered}, {@code ingest_unacknowledged}, {@code ingest_source_retries}.
 *
 * <p><b>Threads.</b> The task thread; streams report arrivals on their own threads, and any thread may read the metrics.
 */
final class PullReader implements SourceReader<RawRecords, PullSplit> {
    private final PullAddress subscription;
    private final PullAccount account;
    private final int subtask;
    private final Counter delivered;
    private volatile List<PullStream> streams = List.of();
    /** Emitted since the last checkpoint began. */
    private List<Emitted> uncovered = new ArrayList<>();

    /** Emitted before each incomplete checkpoint. */
    private final NavigableMap<Long, List<Emitted>> covered = new TreeMap<>();

    private int turn;
    private volatile CompletableFuture<Void> arrival = new CompletableFuture<>();

    PullReader(PullAddress subscription, PullAccount account, int subtask, MetricGroup metrics) {
        this.subscription = subscription;
        this.account = account;
        this.subtask = subtask;
        delivered = metrics.counter("ingest_delivered");
        metrics.gauge("ingest_unacknowledged", () -> sum(State::messages));
        metrics.gauge("ingest_source_retries", () -> sum(State::retries));
    }

    private long sum(ToLongFunction<State> of) {
        return streams.stream().map(PullStream::state).mapToLong(of).sum();
    }

    private record Emitted(PullStream by, Receipt receipt) {}

    @Override
    public void start() {
        // The enumerator assigns streams without a request.
    }

    @Override
    public void addSplits(List<PullSplit> splits) {
        List<PullStream> open = new ArrayList<>(streams);
        for (PullSplit split : splits) {
            if (split.isStream()) {
                open.add(subscription.open(() -> arrival.complete(null)));
                streams = List.copyOf(open);
            }
        }
        account.register(subtask, streams);
        arrival.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        // A subscription has no end.
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecords> output) {
        if (emitNext(output)) {
            return InputStatus.MORE_AVAILABLE;
        }
        // Created before the second attempt, so that a message that arrives after it is not missed.
        arrival = new CompletableFuture<>();
        return emitNext(output) ? InputStatus.MORE_AVAILABLE : InputStatus.NOTHING_AVAILABLE;
    }

    private boolean emitNext(ReaderOutput<RawRecords> output) {
        for (int i = 0; i < streams.size(); i++) {
            PullStream stream = streams.get(turn++ % streams.size());
            PulledMessages messages = stream.poll();
            if (messages != null) {
                uncovered.add(new Emitted(stream, messages.receipt()));
                account.arrived(subtask, messages);
                delivered.inc(messages.messages().size());
                output.collect(new PulledRecords(subscription.name(), messages.messages()));
                return true;
            }
        }
        return false;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return arrival;
    }

    @Override
    public List<PullSplit> snapshotState(long checkpointId) {
        covered.put(checkpointId, uncovered);
        uncovered = new ArrayList<>();
        long quietNanos = streams.stream()
                .map(PullStream::state)
                .mapToLong(State::quietNanos)
                .min()
                .orElse(0);
        return List.of(PullSplit.quiet(TimeUnit.NANOSECONDS.toMillis(quietNanos)));
    }

    /** A checkpoint also covers earlier ones that failed or whose completion was not reported. */
    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        NavigableMap<Long, List<Emitted>> done = covered.headMap(checkpointId, true);
        done.values().forEach(some -> some.forEach(one -> one.by().acknowledge(one.receipt())));
        done.clear();
    }

    /** Closes all streams concurrently, because each may wait for the service. */
    @Override
    public void close() {
        if (streams.isEmpty()) {
            return;
        }
        ExecutorService closing = Executors.newFixedThreadPool(streams.size());
        try {
            for (Future<?> closed : closing.invokeAll(streams.stream()
                    .map(stream -> Executors.callable(stream::close))
                    .toList())) {
                closed.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "a stream of %s cannot be closed: %s".formatted(subscription.name(), e.getMessage()), e);
        } finally {
            closing.shutdownNow();
        }
    }
}
