package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.ContestantOutput;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Score;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The process of one system. It counts a small load until it is compiled, then the one that is measured. */
public final class AdContestant {
    /** Of the events, for a pass of the warm-up. */
    private static final int WARM_UP_SHARE = 10;

    private final Order order;
    private final Meter meter = new Meter();

    private AdContestant(Order order) {
        this.order = order;
    }

    /**
     * What is to be counted.
     *
     * @param folder for checkpoints
     * @param events that are measured
     * @param seconds of a warm-up, at most
     * @param liveReads campaigns read a second; 0 = none
     * @param redisPort where rows go, too; 0 = nowhere
     * @param redisPid the process behind the port
     */
    public record Order(
            String system,
            int campaigns,
            int parallelism,
            Path folder,
            long events,
            double seconds,
            int liveReads,
            int redisPort,
            long redisPid) {}

    /** The argument is an {@link Order}. */
    public static void main(String[] args) {
        ContestantOutput.endWith(() -> new AdContestant(Orders.read(args[0], Order.class)).run());
    }

    private Score run() throws Exception {
        AdLoad few = AdLoad.of(order.campaigns(), Math.max(1, order.events() / WARM_UP_SHARE));
        Meter.warmUp(order.seconds(), number -> costOf(few, new Figures()));
        AdLoad load = AdLoad.of(order.campaigns(), order.events());
        Figures more = new Figures();
        double redisCpu = Meter.cpuSeconds(order.redisPid());
        Meter.Cost cost = costOf(load, more);
        AdCounts expected = load.recount();
        Figures figures = new Figures()
                .rate("events", load.events(), cost.seconds(), cost.cpuSeconds())
                .put("compiling_seconds", cost.compilingSeconds())
                .put("rows", expected.rows())
                .putAll(more.asMap());
        if (order.redisPort() > 0) {
            figures.put("redis_cpu_seconds", Meter.cpuSeconds(order.redisPid()) - redisCpu);
            AdLatency.OF_PROCESS.putTo(figures);
        }
        return figures.score(difference(expected));
    }

    private String difference(AdCounts expected) throws IOException {
        String ofJob = expected.differenceOf(AdCounts.OF_PROCESS);
        if (order.redisPort() == 0 || !ofJob.isEmpty()) {
            return ofJob;
        }
        try (AdStore store = new AdStore(order.redisPort())) {
            String inRedis = expected.differenceOf(store.read());
            return inRedis.isEmpty() ? "" : "in Redis " + inRedis;
        }
    }

    /** {@code more}: takes figures beside the cost. */
    private Meter.Cost costOf(AdLoad load, Figures more) throws Exception {
        int[] unused = load.campaignOfAd(); // made before
        AdResults.begin(order.campaigns(), order.redisPort());
        return meter.measure(() -> {
            more.putAll(count(load));
            AdResults.end();
        });
    }

    private Map<String, Number> count(AdLoad load) throws Exception {
        Path checkpoints = order.folder().resolve("checkpoints");
        switch (order.system()) {
            case "thalweg" -> {
                return ThalwegAds.run(load, order.parallelism(), checkpoints, order.liveReads());
            }
            case "flink" -> FlinkAds.run(load, order.parallelism(), checkpoints);
            case "jet" -> JetAds.run(load, order.parallelism());
            default -> throw new IllegalArgumentException("no system is called " + order.system());
        }
        return Map.of();
    }
}
