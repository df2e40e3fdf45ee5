package io.thalweg.jobs.kafka;

import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Emits fetched blocks, and keeps the position of each partition.
 *
 * <p><b>Threads.</b> The task's thread, except for {@link #onReport}.
 *
 * @param <B> a block of records, which is read before {@link #emit} returns
 * @param <T> the element that a block becomes
 */
abstract class KafkaBlockReader<B, T> implements SourceReader<T, KafkaSplit> {
    private final KafkaFetcher<B> fetcher;
    private final Map<TopicPartition, LogPosition> positions = new LinkedHashMap<>();
    private final TreeMap<Long, Map<TopicPartition, OffsetAndMetadata>> uncommitted = new TreeMap<>();
    private final Object lock = new Object();
    private CompletableFuture<Void> available = new CompletableFuture<>();

    /** Creates a reader without partitions. */
    KafkaBlockReader(KafkaFetcher<B> fetcher) {
        this.fetcher = fetcher;
    }

    /** Called before a partition is read. */
    void begin(KafkaSplit split) {}

    /** Emits records. */
    abstract void emit(KafkaFetcher.Fetched<B> fetched, ReaderOutput<T> output);

    /** Emits that records are lost, or throws if that is a failure. */
    abstract void emit(KafkaFetcher.Lost<B> lost, ReaderOutput<T> output);

    /** Handles the broker's answer about quiet partitions. */
    void note(KafkaFetcher.Quiet<B> quiet) {}

    /** Called after each report, and when there may be work without one. */
    void advance(ReaderOutput<T> output) {}

    /** Returns the state of a partition for a checkpoint. */
    abstract KafkaSplit split(TopicPartition partition, LogPosition position);

    @Override
    public void start() {
        fetcher.start(this::onReport);
        onReport();
    }

    final void onReport() {
        synchronized (lock) {
            available.complete(null);
        }
    }

    @Override
    public final CompletableFuture<Void> isAvailable() {
        synchronized (lock) {
            if (fetcher.hasReport()) {
                return CompletableFuture.completedFuture(null);
            }
            if (available.isDone()) {
                available = new CompletableFuture<>();
            }
            return available;
        }
    }

    @Override
    public final InputStatus pollNext(ReaderOutput<T> output) {
        KafkaFetcher.Report<B> report = fetcher.poll();
        if (report instanceof KafkaFetcher.Fetched<B> fetched) {
            emit(fetched, output);
            positions.put(fetched.partition(), fetched.behind());
            fetcher.giveBack(fetched);
        } else if (report instanceof KafkaFetcher.Lost<B> lost) {
            emit(lost, output);
            positions.put(lost.partition(), lost.behind());
        } else if (report instanceof KafkaFetcher.Quiet<B> quiet) {
            quiet.atEnd()
                    .forEach((at, end) -> positions.computeIfPresent(
                            at, (same, position) -> end.offset() >= position.offset() ? end : position));
            note(quiet);
        }
        advance(output);
        return fetcher.hasReport() ? InputStatus.MORE_AVAILABLE : InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public final void addSplits(List<KafkaSplit> splits) {
        Map<TopicPartition, LogPosition> from = new HashMap<>();
        for (KafkaSplit split : splits) {
            begin(split);
            from.put(split.topicPartition(), split.position());
        }
        positions.putAll(from);
        fetcher.add(from);
        onReport();
    }

    @Override
    public final List<KafkaSplit> snapshotState(long checkpointId) {
        List<KafkaSplit> splits = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        positions.forEach((at, position) -> {
            splits.add(split(at, position));
            offsets.put(at, new OffsetAndMetadata(position.offset()));
        });
        uncommitted.put(checkpointId, offsets);
        return splits;
    }

    @Override
    public final void notifyCheckpointComplete(long checkpointId) {
        Map<TopicPartition, OffsetAndMetadata> offsets = uncommitted.get(checkpointId);
        uncommitted.headMap(checkpointId, true).clear();
        if (offsets != null && !offsets.isEmpty()) {
            fetcher.commit(offsets);
        }
    }

    @Override
    public final void notifyNoMoreSplits() {
        // There may always be more, because partitions are discovered while the job runs.
    }

    @Override
    public void close() {
        fetcher.close();
    }
}
