package io.thalweg.jobs.compute;

import com.google.protobuf.ByteString;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedReads;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.live.LiveReads;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.yaml.DurationText;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts the events of a keyed view per key and pane, and emits rows at every window end that the watermark reaches, one range of keys
 * after the other. With {@code emit.early}, it also emits PARTIAL rows of the open window for keys that changed, at intervals of
 * processing time.
 *
 * <p><b>Early rows</b> of a key and window end have increasing sequences, also across starts of the job, because sequences are times of
 * publishing. None follows the FINAL row that this run of the operator emitted.
 *
 * <p><b>State.</b> {@link KeyedPanes} per shard.
 */
final class KeyedOperator extends WindowOperator<KeyedShardBlock, KeyedPanes> {
    /** Kafka accepts a million bytes for one record. */
    private static final int BLOCK_BYTES = 1 << 19;

    private static final int ROW_BYTES = 32;
    private static final int VALUE_BYTES = 10;

    private final KeyedSpec spec;
    /** Processing time between early rows, ms; 0 = none. */
    private final long earlyMs;

    private final boolean answersLive;

    private transient KeyedRows rows;
    private transient KeyCodec keys;
    private transient KeyedRowCodec packed;
    private transient ViewMetrics events;
    private transient long sequence;
    private transient int publishShard;
    private transient boolean publishing;

    /**
     * Creates the operator of a view.
     *
     * @param coveredFromMs as for all {@link WindowOperator}s
     * @param answersLive whether the operator serves live reads
     */
    KeyedOperator(FeatureView view, long coveredFromMs, String jobId, boolean answersLive) {
        super(view, coveredFromMs, jobId);
        this.answersLive = answersLive;
        DurationText early = view.early();
        spec = KeyedPlan.of(view).spec();
        earlyMs = early == null ? 0 : early.millis();
    }

    @Override
    ValueStateDescriptor<KeyedPanes> state() {
        return new ValueStateDescriptor<>("keyed", new KeyedPanesSerializer(spec));
    }

    @Override
    public void open() throws Exception {
        super.open();
        rows = new KeyedRows(spec);
        keys = new KeyCodec(view);
        packed = new KeyedRowCodec(view);
        events = restoreCounts(jobId, "aggregate");
        sequence = 0;
        publishing = false;
        takeOver();
        if (earlyMs > 0) {
            publishLater();
        }
        if (answersLive) {
            answerLiveReads(jobId, Reading::new);
        }
    }

    /**
     * Adapts restored state to {@code emit.early}: the data of each key is unchanged, but changed keys are tracked or no longer tracked.
     */
    private void takeOver() throws Exception {
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            KeyedPanes panes = kept.value();
            if (panes != null && !panes.spec().equals(spec)) {
                kept.update(withSpec(panes));
            }
        }
    }

    private KeyedPanes withSpec(KeyedPanes panes) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1 << 16);
        panes.write(out);
        return KeyedPanes.read(new DataInputDeserializer(out.getSharedBuffer(), 0, out.length()), spec);
    }

    @Override
    public void processElement(StreamRecord<KeyedShardBlock> element) throws Exception {
        KeyedPanes shard = kept.value();
        if (shard == null) {
            shard = new KeyedPanes(spec, clock.endsReached(reachedMs()));
            kept.update(shard);
        }
        long late = shard.accumulate(element.getValue().columns());
        if (late > 0) {
            events.lateIdleDropped(late);
        }
    }

    @Override
    long nextEnd(KeyedPanes shard, long limit) {
        return shard.nextEnd(limit);
    }

    @Override
    long firedEnd(KeyedPanes shard) {
        return shard.firedEnd();
    }

    @Override
    boolean fire(KeyedPanes shard) {
        if (shard.closedBefore() > walkEnd) {
            return false; // restored in the middle of a later window end, where it continues
        }
        rows.clear();
        if (!shard.fire(walkEnd, rows)) {
            return false;
        }
        if (walkEnd >= firstEnd) {
            emit(walkShard, walkEnd, Finality.FINAL, 0);
            counts.rows(rows.rows());
        }
        return true;
    }

    private void emit(int shard, long end, Finality finality, long sequenceOfRows) {
        BlockHead head = head(shard, new RowOrder(clock.endMs(end), finality, sequenceOfRows));
        for (int from = 0, to; from < rows.rows(); from = to) {
            to = blockEnd(from);
            KeyedRowBlock block = KeyedRowBlock.of(head, rows, from, to);
            emit(new OutputItem.Rows(block));
        }
    }

    private BlockHead head(int shard, RowOrder order) {
        return new BlockHead(view.qualifiedName(), shard, order);
    }

    /** Returns the end of the rows that fit into a block starting with row {@code from}. */
    private int blockEnd(int from) {
        long bytes = 0;
        int to = from;
        while (to < rows.rows() && (to == from || bytes < BLOCK_BYTES)) {
            bytes += ROW_BYTES + (long) VALUE_BYTES * rows.features();
            bytes += spec.keys() == KeyForm.BYTES ? rows.keyBytes(to).length : 0;
            to++;
        }
        return to;
    }

    private void publishLater() {
        ProcessingTimeService time = getProcessingTimeService();
        var unused = time.registerTimer(time.getCurrentProcessingTime() + earlyMs, this::publish);
    }

    /** Records which keys changed and emits their rows between other mail. */
    private void publish(long nowMs) throws Exception {
        sequence = Math.max(sequence + 1, nowMs);
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            KeyedPanes panes = kept.value();
            if (panes != null && openEnd(panes) >= firstEnd) {
                panes.beginEarly(openEnd(panes));
            }
        }
        publishShard = firstShard();
        if (!publishing) {
            publishing = true;
            takeTurns(this::publishNext, "publish early rows");
        }
        publishLater();
    }

    /** Returns the earliest window end that has rows, none of which has been emitted. */
    private static long openEnd(KeyedPanes panes) {
        return Math.max(panes.closedBefore() + 1, panes.nextEnd(Long.MAX_VALUE));
    }

    private boolean publishNext() throws Exception {
        if (publishShard > lastShard()) {
            publishing = false;
            return false;
        }
        selectShard(publishShard);
        KeyedPanes panes = kept.value();
        rows.clear();
        if (panes != null && panes.earlyEnd() > panes.closedBefore() && panes.early(rows)) {
            emit(publishShard, panes.earlyEnd(), Finality.PARTIAL, sequence);
        } else {
            publishShard++;
        }
        return true;
    }

    /** The rows of some keys, over the events so far, at the first window end that the watermark has not reached. */
    private final class Reading implements LiveReads.Reading {
        private final List<LiveKey> asked;
        /** Indexes in {@link #asked}, shard by shard; the other arrays are in this order. */
        private final int[] places;

        private final KeyedReads reads;
        private final KeyedRows values;
        /** For each key, the last window end before the one that is read. */
        private final long[] closed;

        private long readMs;

        Reading(List<LiveKey> asked) {
            this.asked = asked;
            this.places = IntStream.range(0, asked.size())
                    .boxed()
                    .sorted(Comparator.comparingInt(i -> asked.get(i).getShard()))
                    .mapToInt(Integer::intValue)
                    .toArray();
            this.closed = new long[places.length];
            this.values = new KeyedRows(spec, places.length);
            this.reads = new KeyedReads(places.length);
            for (int i = 0; i < places.length; i++) {
                set(i, asked.get(places[i]).getKey().toByteArray());
            }
        }

        private void set(int i, byte[] bytes) {
            if (keys.form() == KeyForm.BYTES) {
                reads.set(i, bytes);
                return;
            }
            List<Object> values = keys.ofBytes(bytes);
            if (keys.form() == KeyForm.PAIR) {
                reads.set(i, keys.high(values), keys.low(values));
            } else {
                reads.set(i, keys.low(values));
            }
        }

        private int shard(int i) {
            return asked.get(places[i]).getShard();
        }

        @Override
        public void read() throws Exception {
            readMs = reachedMs();
            long reached = clock.endsReached(readMs);
            for (int from = 0, to; from < places.length; from = to) {
                to = from + 1;
                while (to < places.length && shard(to) == shard(from)) {
                    to++;
                }
                selectShard(shard(from));
                KeyedPanes panes = kept.value();
                long before = panes == null ? reached : Math.max(reached, panes.closedBefore());
                Arrays.fill(closed, from, to, before);
                if (panes != null && isTimed(clock, before)) {
                    panes.read(reads, from, to, before + 1, values);
                }
            }
        }

        @Override
        public List<LiveRow> rows() {
            LiveRow[] answers = new LiveRow[places.length];
            for (int i = 0; i < places.length; i++) {
                answers[places[i]] = row(i);
            }
            return Arrays.asList(answers);
        }

        private LiveRow row(int i) {
            LiveRow.Builder row = liveRow(clock, closed[i], readMs);
            int found = reads.row(i);
            if (found < 0) {
                return row.setStatus(LiveStatus.EMPTY).build();
            }
            long endMs = clock.endMs(closed[i] + 1);
            BlockHead head = head(shard(i), new RowOrder(endMs, Finality.PARTIAL, 0));
            KeyedRowBlock block = KeyedRowBlock.of(head, values, found, found + 1);
            return row.setStatus(LiveStatus.FOUND)
                    .setPacked(ByteString.copyFrom(packed.encodeRow(block, 0)))
                    .build();
        }
    }
}
