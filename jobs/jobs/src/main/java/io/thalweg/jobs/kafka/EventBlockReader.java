package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.fetch.LostPositionException;
import io.thalweg.jobs.kafka.partition.IdleClock;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import io.thalweg.jobs.kafka.partition.ReaderClock;
import io.thalweg.jobs.kafka.partition.SourceClock;
import io.thalweg.model.source.Source;
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
 * Assigns event times to fetched events, keeps each partition's clock, and emits the watermark.
 *
 * <p><b>Watermark.</b> The smallest clock of the partitions that are not idle. If all are idle, or there are none, the enumerator, which
 * knows the other readers, provides it ({@link IdleClock}). The watermark is a promise: events that arrive later with a smaller time are
 * emitted and marked as such. Readers therefore never become idle in Flink's sense, because an idle reader would not know what the
 * others have promised meanwhile.
 *
 * <p><b>Drift.</b> A partition that runs more than two panes ahead of this reader's slowest is paused until the others
 * catch up.
 */
final class EventBlockReader extends KafkaBlockReader<EventColumns, DecodedBlock> {
    /** This reader's state of one partition. */
    private static final class Partition {
        final KafkaSplit begun;
        final PartitionClock clock;
        /** Since when, by {@code now}, it is known to have had nothing new; MAX if unknown. */
        long quietSinceMs = Long.MAX_VALUE;
        /** When the broker last reported that there is nothing new; only valid while idle. */
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
        // If nothing was read yet, the start offset may have been looked up too long ago.
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

    /** Emits the watermark and reports to the enumerator, which waits for every reader, including those that never get a partition. */
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

    /** Reports this reader's clock to the enumerator if it has entered another step since the last report. */
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

    /** Returns the smallest clock of the partitions that are not idle; NONE if all are. */
    private long slowestActive() {
        long slowest = ReaderClock.NONE;
        for (Partition partition : partitions.values()) {
            if (!partition.idle) {
                slowest = Math.min(slowest, partition.clock.nowMs());
            }
        }
        return slowest;
    }

    /** Returns until when the idle partitions are known to have had nothing new; NONE if there are none. */
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
