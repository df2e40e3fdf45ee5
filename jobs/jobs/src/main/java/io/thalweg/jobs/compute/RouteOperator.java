package io.thalweg.jobs.compute;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.Projection;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.RoutedBlock;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Determines the outcome of every event for each view of a source, and gathers the accepted events per shard. It is chained to the
 * source, so raw bytes never cross the network: bad and late events are emitted here with their bytes.
 */
final class RouteOperator extends GatheringOperator<DecodedBlock, Void> {
    private final List<FeatureView> views;
    private final String jobId;

    private transient ListState<Tuple3<String, String, Long>> account;
    private transient List<ViewRoute> open;

    RouteOperator(List<FeatureView> views, String jobId) {
        this.views = List.copyOf(views);
        this.jobId = jobId;
    }

    /** The side output of the accepted events of a view with rings. */
    static OutputTag<ShardBlock> cells(FeatureView view) {
        return new OutputTag<>("blocks/" + view.qualifiedName(), ShardBlock.TYPE);
    }

    /** The side output of the accepted events of a keyed view. */
    static OutputTag<KeyedShardBlock> keys(FeatureView view) {
        return new OutputTag<>("blocks/" + view.qualifiedName(), KeyedShardBlock.TYPE);
    }

    /** The side output of a view's bad and late events. */
    static OutputTag<DeadLetter> deadLetters(FeatureView view) {
        return new OutputTag<>("dead/" + view.qualifiedName(), Chained.type(DeadLetter.class));
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        account = context.getOperatorStateStore().getListState(ViewMetrics.STATE);
    }

    @Override
    public void open() throws Exception {
        super.open();
        Projection projection = Projection.of(views);
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        ThreadTime.register(getMetricGroup());
        open = new ArrayList<>();
        for (FeatureView view : views) {
            ViewMetrics counts = new ViewMetrics(jobId, view, "route", subtask, getMetricGroup());
            counts.restore(account.get());
            int conditions = view.where().size();
            ViewMetrics.group(view, getMetricGroup()).<Integer, Gauge<Integer>>gauge("conditions", () -> conditions);
            open.add(new ViewRoute(view, projection, counts));
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        account.update(
                open.stream().flatMap(route -> route.counts.snapshot().stream()).toList());
    }

    @Override
    protected void gather(DecodedBlock block) {
        for (ViewRoute route : open) {
            route.route(block);
        }
    }

    @Override
    protected void flush() {
        for (ViewRoute route : open) {
            route.gatherer.flush();
        }
    }

    /** Routes the events of blocks for one view. */
    private final class ViewRoute {
        private final FeatureView view;
        private final OutputTag<ShardBlock> cells;
        private final OutputTag<KeyedShardBlock> keys;
        private final OutputTag<DeadLetter> deadLetters;
        private final ViewReader reader;
        private final PaneClock clock;
        private final ShardGatherer gatherer;
        private final ViewMetrics counts;
        private long accepted;
        private long skipped;
        private long tombstones;
        private long newest = Long.MIN_VALUE;

        ViewRoute(FeatureView view, Projection projection, ViewMetrics counts) {
            this.view = view;
            this.cells = RouteOperator.cells(view);
            this.keys = RouteOperator.keys(view);
            this.deadLetters = RouteOperator.deadLetters(view);
            this.reader = ViewReader.of(view, projection);
            this.clock = view.clock();
            this.counts = counts;
            this.gatherer = ShardGatherer.of(view, reader, this::send);
        }

        private void send(RoutedBlock block) {
            counts.sent(block.entries());
            if (block instanceof ShardBlock ofCells) {
                output.collect(cells, new StreamRecord<>(ofCells));
            } else if (block instanceof KeyedShardBlock ofKeys) {
                output.collect(keys, new StreamRecord<>(ofKeys));
            }
        }

        void route(DecodedBlock block) {
            EventColumns events = block.events();
            accepted = 0;
            skipped = 0;
            tombstones = 0;
            for (int e = 0; e < events.size(); e++) {
                judge(block, events, e);
            }
            counts.count(EventOutcome.ACCEPTED, accepted);
            counts.count(EventOutcome.SKIPPED, skipped);
            counts.count(EventOutcome.TOMBSTONE, tombstones);
            counts.seen(newest);
        }

        private void judge(DecodedBlock block, EventColumns events, int e) {
            if (events.isTombstone(e)) {
                tombstones++;
                return;
            }
            BadReason undecodable = events.decodeReason(e);
            if (undecodable != null) {
                bad(EventOutcome.BAD, undecodable, String.valueOf(events.decodeError(e)), block, e, null);
                return;
            }
            BadReason timeless = block.timeReasons()[e];
            if (timeless != null) {
                bad(EventOutcome.BAD, timeless, String.valueOf(block.timeDetails()[e]), block, e, null);
                return;
            }
            long timeMs = block.timesMs()[e];
            newest = Math.max(newest, timeMs);
            EventOutcome outcome = reader.judge(events, e, timeMs, block.clocksMs()[e]);
            switch (outcome) {
                case SKIPPED -> skipped++;
                case BAD, LATE -> {
                    BadReason reason = reader.reason();
                    bad(outcome, reason == null ? BadReason.LATE : reason, reader.detail(), block, e, timeMs);
                }
                case ACCEPTED -> accept(block, e, timeMs);
                case TOMBSTONE -> throw new IllegalStateException("a tombstone is not judged");
            }
        }

        private void accept(DecodedBlock block, int e, long timeMs) {
            long pane = clock.pane(timeMs);
            if (clock.endMs(pane + 1) <= block.promisedMs()) {
                String detail =
                        "the event's pane ended at or before the watermark %d that was sent while its partition was idle"
                                .formatted(block.promisedMs());
                bad(EventOutcome.LATE, BadReason.LATE_IDLE, detail, block, e, timeMs);
                return;
            }
            accepted++;
            gatherer.add(pane);
        }

        private void bad(
                EventOutcome outcome,
                BadReason reason,
                String detail,
                DecodedBlock block,
                int e,
                @Nullable Long timeMs) {
            counts.count(outcome, 1);
            counts.bad(reason);
            DeadLetter letter =
                    DeadLetter.of(view.qualifiedName(), reason, detail, block.source(), block.events(), e, timeMs);
            if (view.failOnBadEvent() && outcome == EventOutcome.BAD) {
                throw new BadEventException(letter);
            }
            output.collect(deadLetters, new StreamRecord<>(letter));
        }
    }
}
