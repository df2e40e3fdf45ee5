package io.thalweg.jobs.sink;

import io.thalweg.jobs.SavedState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
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

/**
 * A {@link VerifiedKafkaSink} that counts the records that the brokers have accepted, in the job's {@link TopicAccount} and in its state.
 *
 * <p><b>Counts in the state</b> cover the records that the brokers had acknowledged at the checkpoint. If these are in a transaction,
 * the job commits it when the checkpoint is complete, or fails.
 */
public final class CountedKafkaSink
        implements Sink<KafkaRecord>,
                SupportsWriterState<KafkaRecord, TopicWriterState>,
                SupportsCommitter<KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable> {
    private static final long serialVersionUID = 1L;

    private final VerifiedKafkaSink<KafkaRecord> sink;
    private final String jobId;

    /**
     * Wraps a sink.
     *
     * @param clientProperties how to reach the sink's cluster
     */
    public CountedKafkaSink(KafkaSink<KafkaRecord> sink, Properties clientProperties, String jobId) {
        this.sink = new VerifiedKafkaSink<>(sink, clientProperties);
        this.jobId = jobId;
    }

    @Override
    public SinkWriter<KafkaRecord> createWriter(WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public StatefulSinkWriter<KafkaRecord, TopicWriterState> restoreWriter(
            WriterInitContext context, Collection<TopicWriterState> restored) throws IOException {
        SimpleVersionedSerializer<KafkaWriterState> states = sink.getWriterStateSerializer();
        List<KafkaWriterState> kafka = new ArrayList<>();
        TopicTotals counts = TopicTotals.NONE;
        for (TopicWriterState state : restored) {
            counts = counts.plus(state.counts());
            if (state.kafka() != null) {
                kafka.add(states.deserialize(state.kafkaVersion(), state.kafka()));
            }
        }
        int subtask = context.getTaskInfo().getIndexOfThisSubtask();
        TopicAccount account = TopicAccount.of(jobId);
        account.begin(subtask, counts);
        return new Writer(sink.restoreWriter(context, kafka), states, account, subtask, counts);
    }

    @Override
    public SimpleVersionedSerializer<TopicWriterState> getWriterStateSerializer() {
        return new TopicWriterStateSerializer();
    }

    /**
     * Returns what the writers of a job had counted at a checkpoint; {@link TopicTotals#NONE} if it holds no counts.
     *
     * @param uid of the sink
     * @throws IOException if the checkpoint cannot be read
     */
    public static TopicTotals savedCounts(SavedState checkpoint, String uid) throws IOException {
        return checkpoint.sinkWriters(uid, new TopicWriterStateSerializer()).stream()
                .map(TopicWriterState::counts)
                .reduce(TopicTotals.NONE, TopicTotals::plus);
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context) {
        return sink.createCommitter(context, TopicAccount.of(jobId)::committed);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return sink.getCommittableSerializer();
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committables) {
        sink.addPostCommitTopology(committables);
    }

    /** Counts records when they are acknowledged or, with transactions, when their transaction is committed. */
    private static final class Writer
            implements StatefulSinkWriter<KafkaRecord, TopicWriterState>,
                    CommittingSinkWriter<KafkaRecord, KafkaCommittable> {
        private final StatefulSinkWriter<KafkaRecord, KafkaWriterState> writer;
        private final SimpleVersionedSerializer<KafkaWriterState> states;
        private final TopicAccount account;
        private final int subtask;
        /** The counts until the last flush, including the restored ones. */
        private TopicTotals flushed;
        /** The counts since the last flush. */
        private TopicTotals sent = TopicTotals.NONE;

        Writer(
                StatefulSinkWriter<KafkaRecord, KafkaWriterState> writer,
                SimpleVersionedSerializer<KafkaWriterState> states,
                TopicAccount account,
                int subtask,
                TopicTotals restored) {
            this.writer = writer;
            this.states = states;
            this.account = account;
            this.subtask = subtask;
            flushed = restored;
        }

        @Override
        public void write(KafkaRecord record, Context context) throws IOException, InterruptedException {
            writer.write(record, context);
            sent = sent.plus(new TopicTotals(1, record.value().length));
        }

        @Override
        public void flush(boolean endOfInput) throws IOException, InterruptedException {
            writer.flush(endOfInput);
        }

        @Override
        public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
            writer.writeWatermark(watermark);
        }

        /** Called after a flush, so all records sent are acknowledged. */
        @Override
        @SuppressWarnings("unchecked")
        public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
            Collection<KafkaCommittable> transactions =
                    ((CommittingSinkWriter<KafkaRecord, KafkaCommittable>) writer).prepareCommit();
            TopicTotals counts = sent;
            sent = TopicTotals.NONE;
            flushed = flushed.plus(counts);
            if (transactions.isEmpty()) {
                account.acknowledged(subtask, counts);
            }
            transactions.forEach(transaction -> account.prepared(subtask, transaction.getTransactionalId(), counts));
            return transactions;
        }

        /** Called after {@link #prepareCommit}; one of the states holds the counts. */
        @Override
        public List<TopicWriterState> snapshotState(long checkpointId) throws IOException {
            List<TopicWriterState> snapshot = new ArrayList<>();
            for (KafkaWriterState state : writer.snapshotState(checkpointId)) {
                snapshot.add(new TopicWriterState(
                        states.getVersion(), states.serialize(state), snapshot.isEmpty() ? flushed : TopicTotals.NONE));
            }
            return snapshot.isEmpty() ? List.of(TopicWriterState.of(flushed)) : snapshot;
        }

        @Override
        public void close() throws IOException {
            try {
                writer.close();
            } catch (Exception e) {
                throw new IOException("cannot close the writer of a topic", e);
            }
        }
    }
}
