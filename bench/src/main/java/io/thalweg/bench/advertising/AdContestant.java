package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.ContestantOutput;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Score;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The process of one system. It counts a small load until its code is compiled, then the measured load.
 *
 * @param events to measure
 * @param seconds of a warm-up, at most
 * @param liveReads campaigns read a second; 0 = none
 * @param redisPort where rows are written as well; 0 = nowhere
 * @param redisPid the process behind the port
 */
public record AdContestant(
        String system,
        int campaigns,
        int parallelism,
        long events,
        double seconds,
        int liveReads,
        int redisPort,
        long redisPid) {
    /** A pass of the warm-up counts one in this many events. */
    private static final int WARM_UP_SHARE = 10;

    /** Runs the contestant that the argument describes. */
    public static void main(String[] args) {
        ContestantOutput.endWith(() -> Orders.read(args[0], AdContestant.class).run());
    }

    private Score run() throws Exception {
        Meter meter = new Meter();
        AdLoad few = AdLoad.of(campaigns, Math.max(1, events / WARM_UP_SHARE));
        Meter.warmUp(seconds, number -> costOf(few, meter, new Figures()));
        AdLoad load = AdLoad.of(campaigns, events);
        Figures more = new Figures();
        double redisCpu = Meter.cpuSeconds(redisPid);
        Meter.Cost cost = costOf(load, meter, more);
        AdCounts expected = load.recount();
        Figures figures = new Figures()
                .rate("events", events, cost.seconds(), cost.cpuSeconds())
                .put("compiling_seconds", cost.compilingSeconds())
                .put("rows", expected.rows())
                .putAll(more.asMap());
        if (redisPort > 0) {
            figures.put("redis_cpu_seconds", Meter.cpuSeconds(redisPid) - redisCpu);
            AdLatency.OF_PROCESS.putTo(figures);
        }
        return figures.score(difference(expected));
    }

    private String difference(AdCounts expected) throws IOException {
        String ofJob = expected.differenceOf(AdCounts.OF_PROCESS);
        if (redisPort == 0 || !ofJob.isEmpty()) {
            return ofJob;
        }
        try (AdStore store = new AdStore(redisPort)) {
            String inRedis = expected.differenceOf(store.read());
            return inRedis.isEmpty() ? "" : "in Redis " + inRedis;
        }
    }

    /** Measures the cost; {@code more} receives figures besides. */
    private Meter.Cost costOf(AdLoad load, Meter meter, Figures more) throws Exception {
        int[] unused = load.campaignOfAd(); // creates the table before the measurement
        AdResults.begin(campaigns, redisPort);
        return meter.measure(() -> {
            more.putAll(count(load));
            AdResults.end();
        });
    }

    private Map<String, Number> count(AdLoad load) throws Exception {
        Path checkpoints = Folders.temporary().resolve("checkpoints");
        switch (system) {
            case "thalweg" -> {
                return ThalwegAds.run(load, parallelism, checkpoints, liveReads);
            }
            case "jet" -> JetAds.run(load, parallelism);
            default -> FlinkAds.run(system, load, parallelism, checkpoints);
        }
        return Map.of();
    }
}
