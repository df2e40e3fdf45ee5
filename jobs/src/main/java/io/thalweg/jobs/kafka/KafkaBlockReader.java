package io.thalweg.jobs.kafka;

import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Times what the fetcher brings, keeps each partition's clock, and sends the watermark.
 *
 * <p><b>Watermark.</b> The smallest clock of the partitions that are not idle. Where all are, or there is none, it is what
 * the enumerator allows, which knows the other readers ({@link IdleClock}). It is a promise: what comes later and lies behind
 * it is sent on marked as such. Hence no reader ever stands aside, as Flink's own idleness would have it: it would not know
 * what the others have promised meanwhile.
 *
 * <p><b>Drift.</b> A partition that runs more than two panes ahead of this reader's slowest is paused until the others
 * catch up.
 *
 * <p><b>Threads.</b> The task's own, but for {@link #onReport}.
 */
final class KafkaBlockReader implements SourceReader<DecodedBlock, KafkaSplit> {
    /** One partition as this reader knows it. */
    private static final class Partition {
        final KafkaSplit begun;
        final PartitionClock clock;
        LogPosition position;
        /** Since when, by {@code now}, it is known to have had nothing new; MAX while that is not known. */
        long quietSinceMs = Long.MAX_VALUE;
        /** When the broker last said that there is nothing new; means something while idle. */
        long quietUntilMs;

        boolean idle;

        Partition(KafkaSplit split, long maxOutOfOrdernessMs) {
            begun = split;
            position = split.position();
            clock = PartitionClock.restore(maxOutOfOrdernessMs, split.maxEventTimeMs());
        }

        KafkaSplit split(long promisedMs) {
            return new KafkaSplit(
                    begun.topic(), begun.partition(), position, clock.maxEventTimeMs(), promisedMs(promisedMs));
        }

        long promisedMs(long readersMs) {
            return Math.max(begun.promisedMs(), readersMs);
        }
    }

    private final SourceReaderContext context;
    private final Source source;
    private final KafkaFetcher fetcher;
    private final LookupTables tables;
    private final BlockTimer timer;
    private final long outOfOrderMs;
    private final long idleAfterMs;
    private final long silenceMs;
    private final long stepMs;
    private final long maxDriftMs;
    private final Map<TopicPartition, Partition> partitions = new LinkedHashMap<>();
    private final TreeMap<Long, Map<TopicPartition, OffsetAndMetadata>> uncommitted = new TreeMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private final Object lock = new Object();
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private long promisedMs = Long.MIN_VALUE;
    private long allowedMs = Long.MIN_VALUE;
    private long restoredMs = ReaderClock.NONE;
    private @Nullable ReaderClock reported;

    KafkaBlockReader(
            SourceReaderContext context,
            Source source,
            BlockTimer timer,
            LookupTables tables,
            long stepMs,
            long maxDriftMs,
            KafkaFetcher fetcher) {
        this.context = context;
        this.source = source;
        this.fetcher = fetcher;
        this.tables = tables;
        this.timer = timer;
        this.stepMs = stepMs;
        this.maxDriftMs = maxDriftMs;
        this.outOfOrderMs = source.maxOutOfOrderness().millis();
        this.idleAfterMs = source.idleAfter().millis();
        this.silenceMs = KafkaBlockSource.silenceMs(source);
    }

    @Override
    public void start() {
        fetcher.start("kafka-fetcher " + source.topics(), this::onReport);
        // The enumerator waits to hear from every reader, also from one that will never have anything to read.
        onReport();
    }

    private void onReport() {
        synchronized (lock) {
            available.complete(null);
        }
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
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
    public InputStatus pollNext(ReaderOutput<DecodedBlock> output) {
        KafkaFetcher.Report report = fetcher.poll();
        if (report instanceof KafkaFetcher.Fetched fetched) {
            emit(fetched, output);
            fetcher.giveBack(fetched);
        } else if (report instanceof KafkaFetcher.Quiet quiet) {
            note(quiet);
        }
        sendWatermark(output);
        return fetcher.hasReport() ? InputStatus.MORE_AVAILABLE : InputStatus.NOTHING_AVAILABLE;
    }

    private void emit(KafkaFetcher.Fetched fetched, ReaderOutput<DecodedBlock> output) {
        Partition partition = partitions.get(fetched.partition());
        if (partition == null) {
            return;
        }
        output.collect(timer.timed(
                fetched.events(), fetched.partition().topic(), partition.clock, partition.promisedMs(promisedMs)));
        partition.position = fetched.behind();
        partition.quietSinceMs = Long.MAX_VALUE;
        partition.idle = false;
    }

    private void note(KafkaFetcher.Quiet quiet) {
        quiet.atEnd().forEach((at, end) -> {
            Partition partition = partitions.get(at);
            if (partition != null) {
                partition.position = end.offset() >= partition.position.offset() ? end : partition.position;
                partition.quietSinceMs = Math.min(partition.quietSinceMs, quiet.askedMs());
                partition.quietUntilMs = quiet.askedMs();
                partition.idle = quiet.askedMs() - partition.quietSinceMs >= idleAfterMs;
            }
        });
        for (TopicPartition at : quiet.unknown()) {
            Partition partition = partitions.get(at);
            if (partition != null) {
                partition.quietSinceMs = Long.MAX_VALUE;
                partition.idle = false;
            }
        }
    }

    private void sendWatermark(ReaderOutput<DecodedBlock> output) {
        long slowest = slowestActive();
        tell(new ReaderClock(partitions.size(), slowest, quietUntilMs(), restoredMs));
        long watermark = slowest == ReaderClock.NONE ? allowedMs : slowest;
        if (Math.floorDiv(watermark, stepMs) > Math.floorDiv(promisedMs, stepMs)) {
            promisedMs = watermark;
            output.emitWatermark(new Watermark(watermark));
        }
        holdBackTheFast(slowest);
    }

    /** Reports to the enumerator where this reader is, if that is in another step than at the last report. */
    private void tell(ReaderClock clock) {
        ReaderClock last = reported;
        if (last == null
                || last.partitions() != clock.partitions()
                || last.restoredMs() != clock.restoredMs()
                || Math.floorDiv(last.activeMs(), stepMs) != Math.floorDiv(clock.activeMs(), stepMs)
                || Math.floorDiv(last.quietUntilMs() - silenceMs, stepMs)
                        != Math.floorDiv(clock.quietUntilMs() - silenceMs, stepMs)) {
            reported = clock;
            context.sendSourceEventToCoordinator(clock);
        }
    }

    /** The smallest clock of the partitions that are not idle; NONE where all are. */
    private long slowestActive() {
        long slowest = ReaderClock.NONE;
        for (Partition partition : partitions.values()) {
            if (!partition.idle) {
                slowest = Math.min(slowest, partition.clock.nowMs());
            }
        }
        return slowest;
    }

    /** Until when the idle partitions are known to have had nothing new; NONE where there are none. */
    private long quietUntilMs() {
        long until = ReaderClock.NONE;
        for (Partition partition : partitions.values()) {
            if (partition.idle) {
                until = Math.min(until, partition.quietUntilMs);
            }
        }
        return until;
    }

    private void holdBackTheFast(long slowest) {
        Set<TopicPartition> fast = new HashSet<>();
        if (slowest != ReaderClock.NONE && slowest != Long.MIN_VALUE) {
            partitions.forEach((at, partition) -> {
                if (partition.clock.nowMs() - slowest > maxDriftMs) {
                    fast.add(at);
                }
            });
        }
        if (!fast.equals(paused)) {
            paused.clear();
            paused.addAll(fast);
            fetcher.pauseOnly(fast);
        }
    }

    @Override
    public void addSplits(List<KafkaSplit> splits) {
        Map<TopicPartition, LogPosition> from = new HashMap<>();
        for (KafkaSplit split : splits) {
            partitions.put(split.topicPartition(), new Partition(split, outOfOrderMs));
            if (split.promisedMs() != Long.MIN_VALUE) {
                restoredMs = Math.min(restoredMs, split.promisedMs());
            }
            from.put(split.topicPartition(), split.position());
        }
        fetcher.add(from);
        onReport();
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof SourceClock clock) {
            allowedMs = Math.max(allowedMs, clock.watermarkMs());
            onReport();
        }
    }

    @Override
    public List<KafkaSplit> snapshotState(long checkpointId) {
        List<KafkaSplit> splits = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach((at, partition) -> {
            splits.add(partition.split(promisedMs));
            offsets.put(at, new OffsetAndMetadata(partition.position.offset()));
        });
        uncommitted.put(checkpointId, offsets);
        return splits;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        Map<TopicPartition, OffsetAndMetadata> offsets = uncommitted.get(checkpointId);
        uncommitted.headMap(checkpointId, true).clear();
        if (offsets != null && !offsets.isEmpty()) {
            fetcher.commit(offsets);
        }
    }

    @Override
    public void notifyNoMoreSplits() {
        // There may always be more: partitions are found while running.
    }

    @Override
    public void close() {
        fetcher.close();
        tables.close();
    }
}
