package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.load.OpenLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Measures reads of a load in an open loop.
 *
 * @param seconds of a measurement
 */
record LoadMeter(double seconds) {
    /** The seconds of a load right before it is measured. */
    private static final double AGAIN_SECONDS = 3;

    private static final double FULL = 0.9;
    private static final double LIMIT_MS = 10;
    private static final double LESS = 0.8;
    private static final int TRIALS = 5;

    /**
     * Measures the reads that a server answers within the limit: at the highest of some shares of its capacity at which 99 % take
     * no longer, or at the lowest. {@code reads_per_cpu_second} is the number of answers per CPU time of the server.
     */
    Figures capacity(CheckedReaders readers, Supplier<Duration> processorTime) throws Exception {
        double held = ClosedLoop.readsPerSecond(readers, seconds);
        double rate = FULL * held;
        Figures found = measure(readers, rate, processorTime);
        for (int trial = 1; trial < TRIALS && found.get("read_p99_ms").doubleValue() > LIMIT_MS; trial++) {
            rate *= LESS;
            found = measure(readers, rate, processorTime);
        }
        double cpuSeconds = found.get("server_cores").doubleValue() * seconds;
        return found.put("reads_per_second_held", held)
                .put("reads_per_cpu_second", found.get("reads").doubleValue() / cpuSeconds);
    }

    /**
     * Measures the latency of reads.
     *
     * @param processorTime of the server so far, which shares the machine
     */
    private Figures measure(CheckedReaders readers, double perSecond, Supplier<Duration> processorTime)
            throws IOException {
        OpenLoop loop = new OpenLoop(readers, perSecond, 1);
        loop.run(AGAIN_SECONDS);
        readers.compareKept(); // makes room for answers of the measured time
        Duration begun = processorTime.get();
        loop.run(seconds);
        return new Figures()
                .put("reads_per_second", perSecond)
                .putAll(loop.figures("read").asMap())
                .put("answer_bytes", loop.answerBytes())
                .put("server_cores", processorTime.get().minus(begun).toNanos() / 1e9 / seconds);
    }
}
