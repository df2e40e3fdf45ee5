package io.thalweg.jobs.pubsub;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockSerializer;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.warehouse.PulledMessages.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.Collector;

/**
 * Drops redelivered messages: each message is routed to the subtask that owns its id, which remembers the id for a while.
 *
 * <p><b>State.</b> Per message its id and arrival time; some 200 bytes in memory.
 */
public final class RepeatedMessages {
    private static final BlockType<PulledRecords> ONE = new BlockType<>(PulledRecords.class, new OneSerializer());

    private RepeatedMessages() {}

    /**
     * Adds the exchange and the filter.
     *
     * @param records the output of a {@link PubSubSource}
     * @param window how long an id is remembered after its first delivery
     * @param jobId the key of the account that this process shares with the job
     * @param ingest the ingest that reads them, for metrics
     * @param type the type of the result
     * @param uid prefix of the operators' uids
     */
    public static SingleOutputStreamOperator<RawRecords> dropFrom(
            SingleOutputStreamOperator<RawRecords> records,
            Duration window,
            String jobId,
            String ingest,
            TypeInformation<RawRecords> type,
            String uid) {
        return records.flatMap(new Single())
                .returns(ONE)
                .name("split by message")
                .uid(uid + "/split")
                .keyBy(message -> message.id(0), Types.STRING)
                .flatMap(new FirstOnly(window, jobId, ingest))
                .returns(type)
                .name("drop repeated messages")
                .uid(uid + "/dedup");
    }

    /** Splits records into single messages. */
    private static final class Single implements FlatMapFunction<RawRecords, PulledRecords> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(RawRecords records, Collector<PulledRecords> out) {
            PulledRecords pulled = (PulledRecords) records;
            for (Message message : pulled.messages()) {
                out.collect(new PulledRecords(pulled.source(), List.of(message)));
            }
        }
    }

    /** Forwards a message unless its id is remembered. */
    static final class FirstOnly extends RichFlatMapFunction<PulledRecords, RawRecords> {
        private static final long serialVersionUID = 1L;
        private static final int CLEANED_AT_ONCE = 10;

        private final Duration window;
        private final String jobId;
        private final String ingest;
        private transient ValueState<Boolean> seen;
        private transient PullAccount account;
        private transient Counter repeated;

        FirstOnly(Duration window, String jobId, String ingest) {
            this.window = window;
            this.jobId = jobId;
            this.ingest = ingest;
        }

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Boolean> descriptor = new ValueStateDescriptor<>("seen", Types.BOOLEAN);
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(window)
                    .cleanupIncrementally(CLEANED_AT_ONCE, true)
                    .build());
            seen = getRuntimeContext().getState(descriptor);
            account = PullAccount.of(jobId);
            repeated = PubSubSource.metrics(getRuntimeContext().getMetricGroup(), ingest)
                    .counter("ingest_repeated");
        }

        @Override
        public void flatMap(PulledRecords message, Collector<RawRecords> out) throws IOException {
            if (seen.value() != null) {
                account.countRepeated();
                repeated.inc();
                return;
            }
            seen.update(true);
            out.collect(message);
        }
    }

    /** Serializes blocks of one message between subtasks. */
    public static final class OneSerializer extends BlockSerializer<PulledRecords> {
        private static final long serialVersionUID = 1L;

        @Override
        protected void write(PulledRecords one, DataOutputView out) throws IOException {
            Message message = one.messages().get(0);
            out.writeUTF(one.source());
            out.writeUTF(message.id());
            out.writeLong(message.publishedMs());
            out.writeInt(message.data().length);
            out.write(message.data());
        }

        @Override
        protected PulledRecords read(DataInputView in) throws IOException {
            String source = in.readUTF();
            String id = in.readUTF();
            long publishedMs = in.readLong();
            byte[] data = new byte[in.readInt()];
            in.readFully(data);
            return new PulledRecords(source, List.of(new Message(id, data, publishedMs)));
        }

        @Override
        public TypeSerializerSnapshot<PulledRecords> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Names the serializer in a snapshot. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<PulledRecords> {
            public Snapshot() {
                super(OneSerializer::new);
            }
        }
    }
}
