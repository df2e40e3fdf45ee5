package io.thalweg.jobs.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads by Flink's own reader, and reports records that Kafka deleted before they were read. Flink's reader either fails there, again
 * after each restart, or continues with the oldest record without a report.
 *
 * <p>This reader makes it fail. If the log begins behind a position, the records between are lost: the job fails for good, or a new reader
 * continues with the oldest record. Records that were fetched but not handed out are fetched again, or are lost, too. If the log ends
 * before a position, it is not the log that was read, and the job fails for good.
 *
 * <p><b>Threads.</b> The task's own.
 *
 * @param <T> an element
 */
@SuppressWarnings("try") // inherited: close() throws Exception
final class LossReportingReader<T> implements SourceReader<T, KafkaPartitionSplit> {
    private static final Logger LOG = LoggerFactory.getLogger(LossReportingReader.class);
    /** Of the snapshot that no checkpoint has. */
    private static final long NO_CHECKPOINT = -1;

    private final Callable<SourceReader<T, KafkaPartitionSplit>> open;
    private final Function<Set<TopicPartition>, Map<TopicPartition, TopicEnds.Range>> ranges;
    private final @Nullable LostRecords<T> lost;
    private SourceReader<T, KafkaPartitionSplit> reader;
    private boolean noMoreSplits;

    /**
     * Prepares a reader.
     *
     * @param open makes Flink's reader
     * @param ranges asks the brokers what there is
     * @param lost makes an element of lost records; null = the job fails
     */
    LossReportingReader(
            Callable<SourceReader<T, KafkaPartitionSplit>> open,
            Function<Set<TopicPartition>, Map<TopicPartition, TopicEnds.Range>> ranges,
            @Nullable LostRecords<T> lost)
            throws Exception {
        this.open = open;
        this.ranges = ranges;
        this.lost = lost;
        reader = open.call();
    }

    @Override
    public void start() {
        reader.start();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
        try {
            return reader.pollNext(output);
        } catch (RuntimeException e) {
            if (!isOutOfRange(e)) {
                throw e;
            }
            reopen(output);
            return InputStatus.MORE_AVAILABLE;
        }
    }

    private static boolean isOutOfRange(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OffsetOutOfRangeException) {
                return true;
            }
        }
        return false;
    }

    private void reopen(ReaderOutput<T> output) throws Exception {
        List<KafkaPartitionSplit> splits = reader.snapshotState(NO_CHECKPOINT);
        Map<TopicPartition, TopicEnds.Range> there = ranges.apply(
                splits.stream().map(KafkaPartitionSplit::getTopicPartition).collect(Collectors.toSet()));
        List<KafkaPartitionSplit> next = new ArrayList<>();
        for (KafkaPartitionSplit split : splits) {
            next.add(next(split, Objects.requireNonNull(there.get(split.getTopicPartition())), output));
        }
        reader.close();
        reader = open.call();
        reader.start();
        reader.addSplits(next);
        if (noMoreSplits) {
            reader.notifyNoMoreSplits();
        }
    }

    /** The split with a position that there is. */
    private KafkaPartitionSplit next(KafkaPartitionSplit split, TopicEnds.Range there, ReaderOutput<T> output) {
        TopicPartition partition = split.getTopicPartition();
        long position = split.getStartingOffset();
        if (position > there.end()) {
            throw new LostPositionException(
                    partition,
                    position,
                    "it ends at %d, so records were lost by its brokers, or the topic was created again. What is there now can be read with --resume none"
                            .formatted(there.end()));
        }
        if (position >= there.first()) {
            return split;
        }
        if (lost == null) {
            throw new LostPositionException(
                    partition,
                    position,
                    "Kafka deleted its records up to offset %d before they were read. Set source.on_lost_records: skip to continue there; %d offsets are lost"
                            .formatted(there.first(), there.first() - position));
        }
        LOG.warn(
                "Kafka deleted records of {} before they were read: offsets {} to {} are lost",
                partition,
                position,
                there.first() - 1);
        output.collect(lost.lost(partition.topic(), partition.partition(), position, there.first()));
        return new KafkaPartitionSplit(
                partition, there.first(), split.getStoppingOffset().orElse(KafkaPartitionSplit.NO_STOPPING_OFFSET));
    }

    @Override
    public List<KafkaPartitionSplit> snapshotState(long checkpointId) {
        return reader.snapshotState(checkpointId);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return reader.isAvailable();
    }

    @Override
    public void addSplits(List<KafkaPartitionSplit> splits) {
        reader.addSplits(splits);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        reader.notifyNoMoreSplits();
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        reader.handleSourceEvents(event);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        reader.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        reader.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void pauseOrResumeSplits(Collection<String> pause, Collection<String> resume) {
        reader.pauseOrResumeSplits(pause, resume);
    }

    @Override
    public void close() throws Exception {
        reader.close();
    }
}
