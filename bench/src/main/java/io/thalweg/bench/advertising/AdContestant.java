package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Meter;
import java.nio.file.Path;

/**
 * The process that counts events that are drawn inside the job: a small load until its code is compiled, then the measured load.
 *
 * @param events to measure
 * @param seconds of a warm-up, at most
 * @param liveReads campaigns read a second; 0 = none
 */
public record AdContestant(int campaigns, int parallelism, long events, double seconds, int liveReads) {
    /** A pass of the warm-up counts one in this many events. */
    private static final int WARM_UP_SHARE = 10;

    /** Runs the contestant that the argument describes. */
    public static void main(String[] args) {
        Messages.endWith(() -> Messages.read(args[0], AdContestant.class).run());
    }

    private Score run() throws Exception {
        Meter meter = new Meter();
        AdLoad few = AdLoad.of(campaigns, Math.max(1, events / WARM_UP_SHARE));
        Meter.warmUp(seconds, number -> costOf(few, meter, new Figures()));
        AdLoad load = AdLoad.of(campaigns, events);
        Figures more = new Figures();
        Meter.Cost cost = costOf(load, meter, more);
        AdCounts expected = load.recount();
        return new Figures()
                .rate("events", events, cost.seconds(), cost.cpuSeconds())
                .put("compiling_seconds", cost.compilingSeconds())
                .put("rows", expected.rows())
                .putAll(more.asMap())
                .score(expected.differenceOf(AdCounts.OF_PROCESS));
    }

    /** Measures the cost; {@code more} receives figures of live reads. */
    private Meter.Cost costOf(AdLoad load, Meter meter, Figures more) throws Exception {
        int[] unused = load.campaignOfAd(); // creates the table before the measurement
        AdCounts.OF_PROCESS.clear();
        Path checkpoints = Folders.temporary().resolve("checkpoints");
        return meter.measure(() -> more.putAll(ThalwegAds.run(load, parallelism, checkpoints, liveReads)));
    }
}
