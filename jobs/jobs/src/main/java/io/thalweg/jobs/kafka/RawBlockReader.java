package io.thalweg.jobs.kafka;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.fetch.LostPositionException;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import io.thalweg.jobs.kafka.partition.ReaderClock;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Emits records undecoded. They have no clocks, so there is no watermark. */
final class RawBlockReader extends KafkaBlockReader<FetchedBlock, RawRecords> {
    private static final Logger LOG = LoggerFactory.getLogger(RawBlockReader.class);
    private static final ReaderClock NO_CLOCK = new ReaderClock(0, ReaderClock.NONE, ReaderClock.NONE);

    private final SourceReaderContext context;
    private final boolean skipsLost;

    RawBlockReader(SourceReaderContext context, boolean skipsLost, KafkaFetcher<FetchedBlock> fetcher) {
        super(fetcher);
        this.context = context;
        this.skipsLost = skipsLost;
    }

    /** Reports to the enumerator, which waits for every reader. */
    @Override
    public void start() {
        super.start();
        context.sendSourceEventToCoordinator(NO_CLOCK);
    }

    @Override
    void emit(KafkaFetcher.Fetched<FetchedBlock> fetched, ReaderOutput<RawRecords> output) {
        output.collect(fetched.block());
    }

    @Override
    void emit(KafkaFetcher.Lost<FetchedBlock> lost, ReaderOutput<RawRecords> output) {
        output.collect(block(lost, skipsLost));
    }

    /**
     * Creates an element that counts the lost records.
     *
     * @throws LostPositionException if lost records are not skipped
     */
    static FetchedBlock block(KafkaFetcher.Lost<?> lost, boolean skips) {
        long from = lost.from().offset();
        if (!skips) {
            throw new LostPositionException(
                    lost.partition(),
                    from,
                    "Kafka deleted its records up to offset %d before they were read. Set source.on_lost_records: skip to continue there; %d offsets are lost"
                            .formatted(lost.to(), lost.to() - from));
        }
        LOG.warn(
                "Kafka deleted records of {} before they were read: offsets {} to {} are lost",
                lost.partition(),
                from,
                lost.to() - 1);
        return FetchedBlock.lost(lost.partition(), from, lost.to());
    }

    @Override
    KafkaSplit split(TopicPartition partition, LogPosition position) {
        return KafkaSplit.at(partition, position);
    }
}
