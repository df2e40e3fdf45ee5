package io.thalweg.bench.serve;

import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** Measures one load after the other, and keeps what it found. <b>Threads.</b> One. */
final class LoadMeter {
    /** Of a load, once more before it is measured. */
    private static final double AGAIN_SECONDS = 3;

    private static final double SHARE = 0.7;
    private static final double LESS = 0.8;
    private static final int TRIALS = 5;

    private final double seconds;
    private final Progress progress;
    private final List<Result> found = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    LoadMeter(double seconds, Progress progress) {
        this.seconds = seconds;
        this.progress = progress;
    }

    /**
     * The rate wanted or, where a server does not hold it, one at which its answers do not wait for each other: 70 % of what it
     * holds, and less until half of the reads take no longer than those of callers who never pause.
     *
     * @param held reads a second, of {@link ClosedLoop}
     */
    double bearable(Readers readers, int perSecond, double held) {
        if (perSecond <= SHARE * held) {
            return perSecond;
        }
        double rate = SHARE * held;
        for (int trial = 0; trial < TRIALS && medianMs(readers, rate) > ClosedLoop.CALLERS * 1e3 / held; trial++) {
            rate *= LESS;
        }
        return Math.max(1, Math.floor(rate));
    }

    private static double medianMs(Readers readers, double perSecond) {
        OpenLoop loop = new OpenLoop(readers, perSecond, 1);
        loop.run(AGAIN_SECONDS);
        return Objects.requireNonNull(loop.figures().get("read_p50_ms")).doubleValue();
    }

    /**
     * Measures reads in an open loop.
     *
     * @param before figures that stand before those found
     * @param processorTime of the server so far, which shares the machine
     * @return how many reads failed
     */
    long measure(
            String system,
            String variant,
            double perSecond,
            Map<String, Number> before,
            Readers readers,
            Supplier<Duration> processorTime) {
        progress.say(variant);
        OpenLoop loop = new OpenLoop(readers, perSecond, 1);
        loop.run(AGAIN_SECONDS);
        Duration begun = processorTime.get();
        loop.run(seconds);
        Map<String, Number> figures = new LinkedHashMap<>(before);
        figures.putAll(loop.figures());
        figures.put("server_cores", processorTime.get().minus(begun).toNanos() / 1e9 / seconds);
        found.add(new Result(system, variant, figures));
        return loop.failures();
    }

    /** Says that answers were not as they must be. */
    void wrong(String what) {
        wrong.add(what);
    }

    List<Result> found() {
        return List.copyOf(found);
    }

    /** How answers were not as they must be; empty if they were. */
    String wrong() {
        return String.join("; ", wrong);
    }
}
