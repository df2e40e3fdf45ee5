package io.thalweg.bench.advertising;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The process of one system. It counts a small load, then ever larger ones, until it is compiled and its rate is known; then the one
 * that is measured, as many events as take it about the time asked for. It says what it found in one line.
 */
public final class AdContestant {
    private static final long FIRST_EVENTS = 1_000_000;
    private static final double WARM_UP_SECONDS = 8;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final AdOrder order;
    private final ContestantOutput said = new ContestantOutput();

    private AdContestant(AdOrder order) {
        this.order = order;
    }

    /** What one run of a load took; of Redis only where it counts. */
    private record Run(
            AdLoad load, double cpuSeconds, double redisCpuSeconds, double seconds, LiveLoad.@Nullable Summary reads) {
        double eventsPerSecond() {
            return load.events() / seconds;
        }
    }

    /** The arguments are {@link AdOrder}'s. */
    public static void main(String[] args) throws Exception {
        AdContestant contestant = new AdContestant(AdOrder.of(args));
        Run run = contestant.run(FIRST_EVENTS);
        while (run.seconds() < contestant.warmUpSeconds()) { // of which the start of the job is one or two
            run = contestant.run(4 * run.load().events());
        }
        run = contestant.run((long) (run.eventsPerSecond() * contestant.order.seconds()));
        contestant.say(run);
        System.exit(0);
    }

    /** Never longer than what is measured. */
    private double warmUpSeconds() {
        return Math.min(WARM_UP_SECONDS, order.seconds());
    }

    private boolean countsInRedis() {
        return order.system().equals("redis_updates");
    }

    private void say(Run run) throws IOException {
        long events = run.load().events();
        double cpuSeconds = run.cpuSeconds() + (countsInRedis() ? run.redisCpuSeconds() : 0);
        said.put("events", events);
        said.put("events_per_second", Math.rint(run.eventsPerSecond()));
        said.put("events_per_cpu_second", Math.rint(events / cpuSeconds));
        said.put("cpu_seconds_per_million_events", cpuSeconds / (events / 1e6));
        said.put("seconds", run.seconds());
        AdCounts expected = run.load().recount();
        said.put("rows", expected.rows());
        if (run.reads() != null) {
            run.reads().sayTo(said);
        }
        if (order.redisPort() > 0) {
            said.put("redis_cpu_seconds", run.redisCpuSeconds());
        }
        if (order.redisPort() > 0 && !countsInRedis()) {
            AdLatency.OF_PROCESS.sayTo(said);
        }
        said.result(difference(expected));
    }

    private String difference(AdCounts expected) throws IOException {
        String ofJob = countsInRedis() ? "" : expected.differenceOf(AdCounts.OF_PROCESS);
        if (order.redisPort() == 0 || !ofJob.isEmpty()) {
            return ofJob;
        }
        try (AdStore store = new AdStore(order.redisPort())) {
            String inRedis = expected.differenceOf(store.read());
            return inRedis.isEmpty() ? "" : "in Redis " + inRedis;
        }
    }

    private Run run(long events) throws Exception {
        AdLoad load = AdLoad.of(order.campaigns(), events);
        load.campaignOfAd();
        if (countsInRedis()) {
            try (AdStore store = new AdStore(order.redisPort())) {
                store.begin(order.campaigns());
            }
        } else {
            AdResults.begin(order.campaigns(), order.redisPort());
        }
        Path checkpoints = order.folder().resolve("checkpoints");
        double redisCpu = redisCpuSeconds();
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        LiveLoad.Summary reads = null;
        switch (order.system()) {
            case "thalweg" -> reads = ThalwegAds.run(load, order.parallelism(), checkpoints, order.liveReads());
            case "flink" -> FlinkAds.run(load, order.parallelism(), checkpoints);
            case "jet" -> JetAds.run(load, order.parallelism());
            case "redis_updates" -> RedisUpdates.run(load, order.parallelism(), checkpoints, order.redisPort());
            default -> throw new IllegalArgumentException("no system is called " + order.system());
        }
        if (!countsInRedis()) {
            AdResults.end();
        }
        return new Run(
                load,
                (SYSTEM.getProcessCpuTime() - cpu) / 1e9,
                redisCpuSeconds() - redisCpu,
                (System.nanoTime() - begin) / 1e9,
                reads);
    }

    /** User and system time of Redis so far; 0 without one. */
    private double redisCpuSeconds() {
        return ProcessHandle.of(order.redisPid())
                .flatMap(redis -> redis.info().totalCpuDuration())
                .map(time -> time.toNanos() / 1e9)
                .orElse(0.0);
    }
}
