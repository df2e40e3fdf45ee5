package io.thalweg.bench.advertising;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/**
 * The process of one system. It counts a small load, then ever larger ones, until it is compiled and its rate is known; then the one
 * that is measured, as many events as take it about the time asked for. It says what it found in one line.
 */
public final class AdContestant {
    private static final long FIRST_EVENTS = 1_000_000;
    private static final double WARM_UP_SECONDS = 8;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final String system;
    private final int campaigns;
    private final int parallelism;
    private final Path folder;
    private final int readsPerSecond;

    private AdContestant(String[] args) {
        system = args[0];
        campaigns = Integer.parseInt(args[1]);
        parallelism = Integer.parseInt(args[2]);
        folder = Path.of(args[3]);
        readsPerSecond = Integer.parseInt(args[5]);
    }

    /** What one run of a load took. */
    private record Run(AdLoad load, double cpuSeconds, double seconds, String reads) {
        double eventsPerSecond() {
            return load.events() / seconds;
        }
    }

    /** The arguments: system, campaigns, parallelism, folder, seconds, live reads per second. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws Exception {
        AdContestant contestant = new AdContestant(args);
        double seconds = Double.parseDouble(args[4]);
        Run run = contestant.run(FIRST_EVENTS);
        while (run.seconds() < WARM_UP_SECONDS) { // of which the start of the job is one or two
            run = contestant.run(4 * run.load().events());
        }
        run = contestant.run((long) (run.eventsPerSecond() * seconds));
        AdCounts expected = run.load().recount();
        AdCounts counted = AdCounts.OF_PROCESS;
        boolean equal = expected.rows() == counted.rows() && expected.digest() == counted.digest();
        System.out.printf(
                "result %d %.3f %.3f %d %d %b %s%n",
                run.load().events(),
                run.cpuSeconds(),
                run.seconds(),
                counted.rows(),
                expected.rows(),
                equal,
                run.reads());
        System.exit(0);
    }

    private Run run(long events) throws Exception {
        AdLoad load = AdLoad.of(campaigns, events);
        load.campaignOfAd();
        AdCounts.OF_PROCESS.clear();
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        String reads = "";
        switch (system) {
            case "thalweg" -> reads = ThalwegAds.run(load, parallelism, folder.resolve("checkpoints"), readsPerSecond);
            case "flink" -> FlinkAds.run(load, parallelism, folder.resolve("checkpoints"));
            case "jet" -> JetAds.run(load, parallelism);
            default -> throw new IllegalArgumentException("no system is called " + system);
        }
        return new Run(load, (SYSTEM.getProcessCpuTime() - cpu) / 1e9, (System.nanoTime() - begin) / 1e9, reads);
    }
}
