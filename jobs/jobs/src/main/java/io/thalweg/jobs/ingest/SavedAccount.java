package io.thalweg.jobs.ingest;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.ingest.account.IngestAccount;
import io.thalweg.jobs.ingest.account.IngestTotals;
import io.thalweg.jobs.pubsub.PubSubSource;
import io.thalweg.jobs.sink.CountedKafkaSink;
import io.thalweg.jobs.sink.TopicTotals;
import io.thalweg.jobs.stream.StreamSink;
import io.thalweg.jobs.stream.StreamTotals;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;

/**
 * The account of an ingest in a checkpoint. It counts exactly what happened to the records before the checkpoint, however often tasks
 * have failed and moved. It provides the account of a job whose tasks run in other processes.
 *
 * @param totals the totals, including the counts of the runs that the job resumes
 * @param streams what streams have written, likewise; nothing for other sinks
 * @param topic what has been written to a topic, likewise; nothing for other sinks
 * @param passed the offset of the last record read from each partition
 * @param quiet how long the subscription had delivered nothing; zero for other sources
 */
public record SavedAccount(
        IngestTotals totals, StreamTotals streams, TopicTotals topic, Map<Integer, Long> passed, Duration quiet) {
    /** The account before the first checkpoint. */
    public static final SavedAccount NONE =
            new SavedAccount(IngestTotals.of(List.of()), StreamTotals.NONE, TopicTotals.NONE, Map.of(), Duration.ZERO);

    /**
     * Reads the account.
     *
     * @throws IOException if the checkpoint cannot be read
     */
    public static SavedAccount of(SavedState checkpoint, Ingest ingest) throws IOException {
        String id = ingest.qualifiedName();
        IngestAccount account = new IngestAccount();
        account.restore(checkpoint.elements(
                IngestJob.translateUid(id),
                IngestOperator.ACCOUNT.getName(),
                IngestAccount.ENTRY.createSerializer(new SerializerConfigImpl())));
        return new SavedAccount(
                IngestTotals.of(List.of(account)),
                ingest.sink() instanceof Ingest.BigQuerySink sink
                        ? StreamSink.savedCounts(checkpoint, RowOutput.ToStreams.uid(id, sink.table()))
                        : StreamTotals.NONE,
                ingest.sink() instanceof Ingest.TopicSink sink
                        ? CountedKafkaSink.savedCounts(checkpoint, RowOutput.ToTopic.uid(id, sink))
                        : TopicTotals.NONE,
                account.passed().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, each -> each.getValue().get())),
                ingest.input().from() instanceof Ingest.PubSub source
                        ? PubSubSource.quietAt(checkpoint, RecordInput.OfSubscription.uid(id, source.subscription()))
                        : Duration.ZERO);
    }

    /** Returns what a job has counted since an earlier checkpoint, with its current position. */
    public SavedAccount since(SavedAccount before) {
        return new SavedAccount(
                totals.minus(before.totals),
                streams.plus(before.streams.negated()),
                topic.plus(before.topic.negated()),
                passed,
                quiet);
    }

    /** Whether the records up to these offsets, by partition, have been read. */
    public boolean hasPassed(Map<Integer, Long> offsets) {
        return IngestAccount.hasPassed(passed, offsets);
    }
}
