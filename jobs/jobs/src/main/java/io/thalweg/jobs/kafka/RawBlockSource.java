package io.thalweg.jobs.kafka;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import java.time.Clock;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.jspecify.annotations.Nullable;

/** Reads topics undecoded, so that no record can fail its reader. A block may be read until the next one arrives. */
public final class RawBlockSource extends KafkaBlockSource<RawRecords> {
    private final @Nullable String codecHeader;
    private final int most;
    private final boolean skipsLost;

    /**
     * Creates a source of records.
     *
     * @param codecHeader the header that names a record's compression; null = records have none
     * @param most the maximum number of records in a block: a checkpoint waits until they are processed
     * @param skipsLost whether records that Kafka deleted before they were read are reported by {@link RawRecords#lost}; otherwise the
     *     job fails permanently
     */
    public RawBlockSource(TopicRead read, @Nullable String codecHeader, int most, boolean skipsLost) {
        super(read);
        this.codecHeader = codecHeader;
        this.most = most;
        this.skipsLost = skipsLost;
    }

    @Override
    public SourceReader<RawRecords, KafkaSplit> createReader(SourceReaderContext context) {
        return new RawBlockReader(
                context, skipsLost, fetcher(new RawPolls(codecHeader, most), Clock.systemUTC(), context.metricGroup()));
    }

    /** There are no watermarks. */
    @Override
    long silenceMs() {
        return 0;
    }
}
