package io.thalweg.jobs.sink;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;

/** A sink that counts in the job's {@link TopicAccount} what the brokers have taken. */
public final class CountedKafkaSink extends VerifiedKafkaSink<KafkaRecord> {
    private static final long serialVersionUID = 1L;

    private final String jobId;

    /**
     * Wraps a sink.
     *
     * @param clientProperties how to reach the sink's cluster
     */
    public CountedKafkaSink(KafkaSink<KafkaRecord> sink, Properties clientProperties, String jobId) {
        super(sink, clientProperties);
        this.jobId = jobId;
    }

    @Override
    public SinkWriter<KafkaRecord> createWriter(WriterInitContext context) throws IOException {
        return new Writer<>(super.restoreWriter(context, List.of()), TopicAccount.of(jobId), context);
    }

    @Override
    public StatefulSinkWriter<KafkaRecord, KafkaWriterState> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) throws IOException {
        return new Writer<>(super.restoreWriter(context, recovered), TopicAccount.of(jobId), context);
    }

    @Override
    void committed(String transactionalId) {
        TopicAccount.of(jobId).committed(transactionalId);
    }

    /** Counts records when they are acknowledged or, where they are in transactions, together with their transaction. */
    private static final class Writer<S>
            implements StatefulSinkWriter<KafkaRecord, S>, CommittingSinkWriter<KafkaRecord, KafkaCommittable> {
        private final StatefulSinkWriter<KafkaRecord, S> writer;
        private final TopicAccount account;
        private final int subtask;
        private TopicCounts sent = TopicCounts.NONE;

        Writer(StatefulSinkWriter<KafkaRecord, S> writer, TopicAccount account, WriterInitContext context) {
            this.writer = writer;
            this.account = account;
            subtask = context.getTaskInfo().getIndexOfThisSubtask();
            account.begin(subtask, context.getRestoredCheckpointId());
        }

        @Override
        public void write(KafkaRecord record, Context context) throws IOException, InterruptedException {
            writer.write(record, context);
            sent = sent.plus(new TopicCounts(1, record.value().length));
        }

        @Override
        public void flush(boolean endOfInput) throws IOException, InterruptedException {
            writer.flush(endOfInput);
        }

        @Override
        public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
            writer.writeWatermark(watermark);
        }

        /** Follows a flush, so that all that was sent is acknowledged. */
        @Override
        @SuppressWarnings("unchecked")
        public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
            Collection<KafkaCommittable> transactions =
                    ((CommittingSinkWriter<KafkaRecord, KafkaCommittable>) writer).prepareCommit();
            TopicCounts counts = sent;
            sent = TopicCounts.NONE;
            if (transactions.isEmpty()) {
                account.acknowledged(subtask, counts);
            }
            transactions.forEach(transaction -> account.prepared(transaction.getTransactionalId(), counts));
            return transactions;
        }

        @Override
        public List<S> snapshotState(long checkpointId) throws IOException {
            account.checkpoint(subtask, checkpointId);
            return writer.snapshotState(checkpointId);
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
