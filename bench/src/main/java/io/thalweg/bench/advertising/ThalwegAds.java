package io.thalweg.bench.advertising;

import io.thalweg.bench.advertising.LiveLoad.LiveCounts;
import io.thalweg.bench.rivals.RivalFlink;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.view.FeatureView;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Thalweg: events as columns, views routed by campaign, and a keyed view. */
final class ThalwegAds {
    private static final FeatureView VIEW = KeyedJob.view("campaign_views", "10s");

    /** The counts of this process's job; empty without reads. */
    private static volatile LiveCounts live = new LiveCounts(0);

    private ThalwegAds() {}

    /** Runs the job and returns the figures of reads of campaigns meanwhile; none without reads. */
    static Map<String, Number> run(AdLoad load, int parallelism, Path checkpoints, int readsPerSecond)
            throws Exception {
        String job = UUID.randomUUID().toString();
        StreamExecutionEnvironment environment = RivalFlink.environment(parallelism, checkpoints);
        AdSource<AdLoad, Columns> ads = new AdSource<>(load, parallelism, Emitter::new);
        KeyedJob.addTo(environment, job, ads, Columns.class, new Route(load), ThalwegAds::count);
        if (readsPerSecond == 0) {
            environment.execute("advertising");
            return Map.of();
        }
        LiveCounts counts = new LiveCounts(load.campaigns());
        live = counts;
        try (LiveLoad reads = new LiveLoad(job, VIEW, load.campaigns(), readsPerSecond, counts)) {
            environment.execute("advertising");
            return reads.figures();
        }
    }

    private static void count(KeyedRowBlock rows) {
        for (int row = 0; row < rows.rows(); row++) {
            long views = rows.values().low()[row];
            if (views > 0) { // a campaign without views in its next window has an additional row of zero
                AdCounts.OF_PROCESS.add(rows.keys().low()[row], rows.windowEndMs(), views);
                live.row(rows.keys().low()[row], rows.windowEndMs(), views);
            }
        }
    }

    /** Events as columns, which are reused as in production. */
    record Columns(int[] ads, byte[] types, long[] timesMs) {
        Columns(int events) {
            this(new int[events], new byte[events], new long[events]);
        }
    }

    private static final class Emitter implements AdSource.Emitter<AdLoad, Columns> {
        private Columns events = new Columns(0);

        @Override
        public void emit(AdLoad load, long first, int count, int step, ReaderOutput<Columns> output) {
            if (events.ads.length != count) {
                events = new Columns(count);
            }
            for (int i = 0; i < count; i++) {
                long event = first + (long) i * step;
                long draw = AdLoad.draw(event);
                events.ads[i] = load.ad(draw);
                events.types[i] = (byte) AdLoad.type(draw);
                events.timesMs[i] = load.timeMs(event);
            }
            output.collect(events);
        }
    }

    /** Drops events that are not views, looks the campaign up, and gathers the rest as in production. */
    private static final class Route extends KeyedJob.Route<Columns> {
        private final AdLoad load;
        private transient int[] campaignOf;
        private transient PaneClock clock;
        private transient int[] selected;
        private transient int[] campaigns;

        Route(AdLoad load) {
            super(VIEW);
            this.load = load;
        }

        @Override
        public void open() throws Exception {
            super.open();
            campaignOf = load.campaignOfAd();
            clock = VIEW.clock();
            selected = new int[0];
            campaigns = new int[0];
        }

        @Override
        protected void gather(Columns events) {
            int count = select(events.types());
            for (int i = 0; i < count; i++) { // a loop of its own, so that several cache misses overlap
                campaigns[i] = campaignOf[events.ads()[selected[i]]];
            }
            long pane = 0;
            long paneEndMs = Long.MIN_VALUE; // their times ascend
            for (int i = 0; i < count; i++) {
                long timeMs = events.timesMs()[selected[i]];
                if (timeMs >= paneEndMs) {
                    pane = clock.pane(timeMs);
                    paneEndMs = clock.endMs(pane + 1);
                }
                keys.add(campaigns[i], pane, 0);
            }
        }

        /** Selects the views; without a branch, because a branch would be unpredictable. */
        private int select(byte[] types) {
            if (selected.length < types.length) {
                selected = new int[types.length];
                campaigns = new int[types.length];
            }
            int count = 0;
            for (int e = 0; e < types.length; e++) {
                selected[count] = e;
                count += types[e] == AdLoad.VIEW ? 1 : 0;
            }
            return count;
        }
    }
}
