package io.thalweg.jobs.sink;

import java.io.IOException;
import java.util.Collection;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.kafka.clients.admin.Admin;

/**
 * A {@link KafkaSink} with transactions that fails the job when a commit is lost permanently. KafkaSink itself logs the loss and
 * continues.
 *
 * <p><b>Threads.</b> Serializable; makes one writer and one committer per subtask.
 *
 * @see VerifyingCommitter
 */
public final class VerifiedKafkaSink<T>
        implements Sink<T>,
                SupportsWriterState<T, KafkaWriterState>,
                SupportsCommitter<KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable> {
    private static final long serialVersionUID = 1L;

    private final KafkaSink<T> sink;
    private final Properties clientProperties;

    /**
     * Wraps an exactly-once sink.
     *
     * @param clientProperties how to reach the sink's cluster
     */
    public VerifiedKafkaSink(KafkaSink<T> sink, Properties clientProperties) {
        this.sink = sink;
        this.clientProperties = clientProperties;
    }

    @Override
    public SinkWriter<T> createWriter(WriterInitContext context) throws IOException {
        return sink.createWriter(context);
    }

    @Override
    public StatefulSinkWriter<T, KafkaWriterState> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) throws IOException {
        return sink.restoreWriter(context, recovered);
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return sink.getWriterStateSerializer();
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context) {
        return createCommitter(context, transaction -> {});
    }

    /**
     * Creates a committer.
     *
     * @param committed receives the id of each transaction that has been committed
     */
    Committer<KafkaCommittable> createCommitter(CommitterInitContext context, Consumer<String> committed) {
        return new VerifyingCommitter(sink.createCommitter(context), () -> Admin.create(clientProperties), committed);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return sink.getCommittableSerializer();
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committables) {
        sink.addPostCommitTopology(committables);
    }
}
