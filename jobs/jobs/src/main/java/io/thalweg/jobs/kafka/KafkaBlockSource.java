package io.thalweg.jobs.kafka;

import io.thalweg.jobs.kafka.partition.KafkaAssignment;
import io.thalweg.jobs.kafka.partition.KafkaPartitionEnumerator;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import io.thalweg.jobs.kafka.partition.KafkaSplitSerializer;
import java.time.Clock;
import java.util.Properties;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * Reads topics, one block per poll and partition. Positions are part of the checkpoint. They are committed to the consumer group when it
 * is complete, for lag monitoring only. New partitions are discovered while the job runs and read from their first record.
 *
 * <p><b>Threads.</b> Serializable; creates one reader per subtask.
 *
 * @param <T> the element that a block becomes
 */
abstract class KafkaBlockSource<T> implements Source<T, KafkaSplit, KafkaAssignment> {
    private final TopicRead read;

    KafkaBlockSource(TopicRead read) {
        this.read = read;
    }

    /** How far the watermark follows behind the wall clock while all partitions are idle. */
    abstract long silenceMs();

    /** Creates the fetcher of a subtask and registers its metrics. */
    final <B> KafkaFetcher<B> fetcher(PollDecoder<B> decoder, Clock now, SourceReaderMetricGroup subtask) {
        KafkaFetcher<B> fetcher = new KafkaFetcher<>(read, decoder, now);
        fetcher.register(subtask);
        return fetcher;
    }

    @Override
    public final Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public final SplitEnumerator<KafkaSplit, KafkaAssignment> createEnumerator(
            SplitEnumeratorContext<KafkaSplit> context) {
        return enumerator(context, null);
    }

    @Override
    public final SplitEnumerator<KafkaSplit, KafkaAssignment> restoreEnumerator(
            SplitEnumeratorContext<KafkaSplit> context, KafkaAssignment assignment) {
        return enumerator(context, assignment);
    }

    private KafkaPartitionEnumerator enumerator(
            SplitEnumeratorContext<KafkaSplit> context, @Nullable KafkaAssignment restored) {
        return new KafkaPartitionEnumerator(
                context, read.topics(), clientProperties(), read.startMs(), silenceMs(), restored);
    }

    private Properties clientProperties() {
        Properties properties = new Properties();
        properties.putAll(read.properties());
        return properties;
    }

    @Override
    public final SimpleVersionedSerializer<KafkaSplit> getSplitSerializer() {
        return new KafkaSplitSerializer();
    }

    @Override
    public final SimpleVersionedSerializer<KafkaAssignment> getEnumeratorCheckpointSerializer() {
        return new KafkaAssignment.Serializer();
    }
}
