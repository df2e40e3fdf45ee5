package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.function.HungFunctionException;
import io.thalweg.jobs.ingest.account.CommitLatency;
import io.thalweg.jobs.ingest.account.IngestAccount;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestAccount.Stage;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.deadletters.BadMessageException;
import io.thalweg.jobs.ingest.deadletters.Fuse;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter;
import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.jobs.ingest.deadletters.TooManyBadException;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.plan.PackedPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.Ingest.MaxBad;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.jspecify.annotations.Nullable;

/**
 * Opens records, translates their messages into rows, and writes dead letters for bad messages.
 *
 * <p><b>State.</b> The account only, because rows are emitted and letters are flushed before each checkpoint.
 *
 * @param <B> a batch of rows
 */
final class IngestOperator<B> extends AbstractStreamOperator<B>
        implements OneInputStreamOperator<RawRecords, B>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    static final ListStateDescriptor<Tuple2<String, Long>> ACCOUNT =
            new ListStateDescriptor<>("account", IngestAccount.ENTRY);

    private static final int BATCH_ROWS = 8_192;
    private static final int BATCH_BYTES = 1 << 20;

    private final String jobId;
    private final PackedPlan plan;
    private final boolean letters;
    private final RowForm<B> form;
    private final DeadLetters deadLetters;

    private transient @Nullable Task<B> task;
    private transient @Nullable ListState<Tuple2<String, Long>> kept;

    /** Creates an operator that emits rows of a form. */
    IngestOperator(IngestJob job, RowForm<B> form) {
        this(job.jobId(), job.plan().packed(), job.input().isLetters(), form, job.deadLetters());
    }

    /**
     * Creates an operator.
     *
     * @param letters whether the records are {@link SavedDeadLetter}s
     */
    IngestOperator(String jobId, PackedPlan plan, boolean letters, RowForm<B> form, DeadLetters deadLetters) {
        this.jobId = jobId;
        this.plan = plan;
        this.letters = letters;
        this.form = form;
        this.deadLetters = deadLetters;
    }

    /** The runtime state of a subtask. */
    private static final class Task<B> {
        private final IngestAccount account = new IngestAccount();
        private final DeadLetters.Writer letters;
        private final MessageLoop<B> loop;
        private long batchBytes;
        /** Whether a timer is registered that will emit the pending rows. */
        private boolean lingers;

        private boolean ended;

        private final CommitLatency latency = new CommitLatency();

        Task(FunctionHost host, IngestPlan plan, RowForm<B> form, DeadLetters.Writer letters) {
            this.letters = letters;
            try {
                loop = new MessageLoop<>(host, plan, form.open(plan), account, bad(plan.ingest()), null);
            } catch (RuntimeException | Error e) {
                letters.close();
                throw e;
            }
        }

        /** Returns the handler of bad messages. */
        private Consumer<IngestDeadLetter> bad(Ingest ingest) {
            if (ingest.failOnBadEvent()) {
                return letter -> {
                    throw new BadMessageException(letter);
                };
            }
            MaxBad limit = ingest.maxBad();
            if (limit == null) {
                return letter -> letters.write(letter.toJson());
            }
            Fuse fuse = new Fuse(
                    limit, () -> account.get(Count.EVENTS), () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
            return letter -> {
                letters.write(letter.toJson());
                try {
                    fuse.bad(letter);
                } catch (TooManyBadException e) {
                    letters.flush();
                    throw e;
                }
            };
        }
    }

    /** A task whose failure restarts the job. */
    private record TaskHost(String job, StreamTask<?, ?> task) implements FunctionHost {
        @Override
        public boolean isCancelled() {
            return task.isCanceled();
        }

        @Override
        public void late(HungFunctionException call) {
            task.getEnvironment().failExternally(call);
        }

        @Override
        public void stuck(HungFunctionException call) {
            IngestJobAccount.of(job).stuck(call);
        }
    }

    private Task<B> task() {
        return Objects.requireNonNull(task);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        task = new Task<>(new TaskHost(jobId, getContainingTask()), plan.open(), form, deadLetters.open(subtask));
        kept = context.getOperatorStateStore().getListState(ACCOUNT);
        if (context.isRestored()) {
            task.account.restore(kept.get());
        }
        IngestJobAccount.of(jobId).register(subtask, task.account);
        register(task.account);
        ThreadTime.register(getMetricGroup());
    }

    private void register(IngestAccount account) {
        MetricGroup group = getMetricGroup()
                .addGroup("thalweg")
                .addGroup("ingest", plan.ingest().qualifiedName());
        for (Count count : List.of(Count.FILTERED, Count.BAD, Count.KEPT)) {
            group.addGroup("outcome", count.text()).gauge("ingest_events", () -> account.get(count));
        }
        int conditions = plan.ingest().where().size();
        group.gauge("conditions", () -> conditions);
        group.gauge("ingest_lost_records", () -> account.get(Count.LOST));
        group.gauge("ingest_tombstones", () -> account.get(Count.TOMBSTONES));
        for (Stage stage : Stage.values()) {
            group.addGroup("stage", stage.text()).gauge("ingest_stage_nanos", () -> account.spentNanos(stage));
        }
        group.gauge("ingest_unknown_fields", () -> account.get(Count.UNKNOWN_FIELDS));
        group.gauge("ingest_bytes", () -> account.get(Count.BYTES_IN));
    }

    @Override
    public void processElement(StreamRecord<RawRecords> element) {
        Task<B> now = task();
        RawRecords records = element.getValue();
        long begun = System.nanoTime() - now.account.spentNanos(Stage.WRITE);
        for (int i = 0; i < records.size(); i++) {
            now.latency.read(records.timestampMs(i));
            if (letters) {
                now.loop.process(SavedDeadLetter.of(records, i));
            } else {
                now.loop.process(records, i);
            }
            now.batchBytes += records.to(i) - records.from(i);
            if (now.batchBytes >= BATCH_BYTES || now.loop.rows() >= BATCH_ROWS) {
                emit(now);
            }
        }
        now.account.spent(Stage.TRANSLATE, System.nanoTime() - now.account.spentNanos(Stage.WRITE) - begun);
        if (records.partition() != RawRecords.NO_PARTITION) {
            now.account.add(Count.LOST, records.lost());
            now.account.passed(records.partition(), records.last());
        }
        if (!now.lingers && now.loop.rows() > 0 && form.linger().toMillis() > 0) {
            linger(now);
        }
    }

    /** Registers a timer that emits the pending rows even if they are few. */
    private void linger(Task<B> now) {
        now.lingers = true;
        ProcessingTimeService time = getProcessingTimeService();
        var unused = time.registerTimer(
                time.getCurrentProcessingTime() + form.linger().toMillis(), at -> {
                    now.lingers = false;
                    emit(now);
                });
    }

    private void emit(Task<B> now) {
        if (now.loop.rows() > 0) {
            long begun = System.nanoTime();
            output.collect(new StreamRecord<>(now.loop.take()));
            now.account.spent(Stage.WRITE, System.nanoTime() - begun);
        }
        now.batchBytes = 0;
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        emit(task());
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        task().letters.flush();
        Objects.requireNonNull(kept).update(task().account.snapshot());
        task().latency.snapshot(context.getCheckpointId());
    }

    @Override
    public void endInput() {
        emit(task());
        task().letters.flush();
        task().ended = true;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        task().latency.complete(checkpointId, System.currentTimeMillis(), IngestJobAccount.of(jobId)::waited);
        if (task().ended) {
            IngestJobAccount.of(jobId).ended(checkpointId);
        }
    }

    @Override
    public void close() throws Exception {
        if (task != null) {
            task.loop.close();
            task.letters.close();
        }
        super.close();
    }
}
