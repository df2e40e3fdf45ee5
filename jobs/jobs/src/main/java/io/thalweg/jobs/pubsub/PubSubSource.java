package io.thalweg.jobs.pubsub;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.SavedState;
import io.thalweg.warehouse.PullAddress;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;

/**
 * An unbounded source of the messages of a subscription. A message is acknowledged when a checkpoint that covers it completes, so it is
 * redelivered until its row is in the sink, and after a failure possibly once more.
 *
 * @param streams the total number of streams; each reader has at least one
 * @param jobId the key of the account that this process shares with the job
 * @param ingest the ingest that reads it, for metrics
 */
public record PubSubSource(PullAddress subscription, int streams, String jobId, String ingest)
        implements Source<RawRecords, PullSplit, StreamEnumerator.Nothing> {
    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<RawRecords, PullSplit> createReader(SourceReaderContext context) {
        return new PullReader(
                subscription,
                PullAccount.of(jobId),
                context.getIndexOfSubtask(),
                metrics(context.metricGroup(), ingest));
    }

    /**
     * Returns how long, at a checkpoint, all streams had been connected and free to deliver without delivering anything; zero if any stream
     * had not, or if the checkpoint has no such source.
     *
     * @param uid the uid of the source
     * @throws IOException if the checkpoint cannot be read
     */
    public static Duration quietAt(SavedState checkpoint, String uid) throws IOException {
        return Duration.ofMillis(checkpoint.sourceReaders(uid, new PullSplit.Serializer()).stream()
                .mapToLong(PullSplit::quietMs)
                .min()
                .orElse(0));
    }

    /** Returns the metric group of an ingest within that of an operator. */
    static MetricGroup metrics(MetricGroup operator, String ingest) {
        return operator.addGroup("thalweg").addGroup("ingest", ingest);
    }

    @Override
    public SplitEnumerator<PullSplit, StreamEnumerator.Nothing> createEnumerator(
            SplitEnumeratorContext<PullSplit> context) {
        return new StreamEnumerator(context, streams);
    }

    @Override
    public SplitEnumerator<PullSplit, StreamEnumerator.Nothing> restoreEnumerator(
            SplitEnumeratorContext<PullSplit> context, StreamEnumerator.Nothing nothing) {
        return createEnumerator(context);
    }

    @Override
    public SimpleVersionedSerializer<PullSplit> getSplitSerializer() {
        return new PullSplit.Serializer();
    }

    @Override
    public SimpleVersionedSerializer<StreamEnumerator.Nothing> getEnumeratorCheckpointSerializer() {
        return StreamEnumerator.Nothing.SERIALIZER;
    }
}
