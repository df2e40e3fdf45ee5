package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.Source;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
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
 */
final class EventBlockReader extends KafkaBlockReader<EventColumns, DecodedBlock> {
    /** One partition as this reader knows it. */
    private static final class Partition {
        final KafkaSplit begun;
        final PartitionClock clock;
        /** Since when, by {@code now}, it is known to have had nothing new; MAX while that is not known. */
        long quietSinceMs = Long.MAX_VALUE;
        /** When the broker last said that there is nothing new; means something while idle. */
        long quietUntilMs;

        boolean idle;

        Partition(KafkaSplit split, long maxOutOfOrdernessMs) {
            begun = split;
            clock = PartitionClock.restore(maxOutOfOrdernessMs, split.maxEventTimeMs());
        }

        KafkaSplit split(LogPosition position, long promisedMs) {
            return new KafkaSplit(
                    begun.topic(), begun.partition(), position, clock.maxEventTimeMs(), promisedMs(promisedMs));
        }

        long promisedMs(long readersMs) {
            return Math.max(begun.promisedMs(), readersMs);
        }
    }

    private final SourceReaderContext context;
    private final KafkaFetcher<EventColumns> fetcher;
    private final LookupTables tables;
    private final BlockTimer timer;
    private final long outOfOrderMs;
    private final long idleAfterMs;
    private final long silenceMs;
    private final long stepMs;
    private final long maxDriftMs;
    private final Map<TopicPartition, Partition> partitions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private long promisedMs = Long.MIN_VALUE;
    private long allowedMs = Long.MIN_VALUE;
    private long restoredMs = ReaderClock.NONE;
    private @Nullable ReaderClock reported;

    EventBlockReader(
            SourceReaderContext context,
            Source source,
            BlockTimer timer,
            LookupTables tables,
            long stepMs,
            long maxDriftMs,
            KafkaFetcher<EventColumns> fetcher) {
        super(fetcher);
        this.context = context;
        this.fetcher = fetcher;
        this.tables = tables;
        this.timer = timer;
        this.stepMs = stepMs;
        this.maxDriftMs = maxDriftMs;
        this.outOfOrderMs = source.maxOutOfOrderness().millis();
        this.idleAfterMs = source.idleAfter().millis();
        this.silenceMs = EventBlockSource.silenceMs(source);
    }

    @Override
    void begin(KafkaSplit split) {
        partitions.put(split.topicPartition(), new Partition(split, outOfOrderMs));
        if (split.promisedMs() != Long.MIN_VALUE) {
            restoredMs = Math.min(restoredMs, split.promisedMs());
        }
    }

    private Partition partition(TopicPartition at) {
        return Objects.requireNonNull(partitions.get(at), () -> at + " is not read");
    }

    @Override
    void emit(KafkaFetcher.Fetched<EventColumns> fetched, ReaderOutput<DecodedBlock> output) {
        Partition partition = partition(fetched.partition());
        output.collect(timer.timed(
                fetched.block(), fetched.partition().topic(), partition.clock, partition.promisedMs(promisedMs)));
        partition.quietSinceMs = Long.MAX_VALUE;
        partition.idle = false;
    }

    @Override
    void emit(KafkaFetcher.Lost<EventColumns> lost, ReaderOutput<DecodedBlock> output) {
        LogPosition position = lost.from();
        // Where nothing was read yet, where to begin may have been found out too long ago.
        throw position.isUnread()
                ? new OffsetOutOfRangeException(Map.of(lost.partition(), position.offset()))
                : new LostPositionException(
                        lost.partition(), position, "Kafka deleted its records before they were read");
    }

    @Override
    void note(KafkaFetcher.Quiet<EventColumns> quiet) {
        for (TopicPartition at : quiet.atEnd().keySet()) {
            Partition partition = partition(at);
            partition.quietSinceMs = Math.min(partition.quietSinceMs, quiet.askedMs());
            partition.quietUntilMs = quiet.askedMs();
            partition.idle = quiet.askedMs() - partition.quietSinceMs >= idleAfterMs;
        }
        for (TopicPartition at : quiet.unknown()) {
            Partition partition = partition(at);
            partition.quietSinceMs = Long.MAX_VALUE;
            partition.idle = false;
        }
    }

    /** Sends the watermark. The enumerator waits to hear from every reader, also from one that will never have anything to read. */
    @Override
    void advance(ReaderOutput<DecodedBlock> output) {
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
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof SourceClock clock) {
            allowedMs = Math.max(allowedMs, clock.watermarkMs());
            onReport();
        }
    }

    @Override
    KafkaSplit split(TopicPartition at, LogPosition position) {
        return partition(at).split(position, promisedMs);
    }

    @Override
    public void close() {
        super.close();
        tables.close();
    }
}
