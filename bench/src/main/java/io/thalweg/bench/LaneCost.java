package io.thalweg.bench;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What {@link LaneBenchmark} finds, in a process of its own.
 *
 * @param nanos of an admission with its release, on one thread
 * @param errorNanos half of the 99.9 % interval; NaN where there were too few samples
 * @param bytes allocated for them
 */
record LaneCost(double nanos, double errorNanos, double bytes) {
    private static final String BYTES = "gc.alloc.rate.norm";

    /** Measures for so many seconds, after half of that. */
    static LaneCost measure(int seconds) {
        OptionsBuilder options = new OptionsBuilder();
        options.include(LaneBenchmark.class.getName() + "\\.")
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .warmupIterations(Math.max(1, seconds / 2))
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(seconds)
                .measurementTime(TimeValue.seconds(1))
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true);
        try {
            return of(new Runner(options.build()).run());
        } catch (RunnerException e) {
            throw new IllegalStateException("the micro-benchmark failed: " + e.getMessage(), e);
        }
    }

    private static LaneCost of(Collection<RunResult> results) {
        if (results.size() != 1) {
            throw new IllegalStateException("one micro-benchmark should have run, not " + results.size());
        }
        RunResult run = results.iterator().next();
        Result<?> time = run.getPrimaryResult();
        return new LaneCost(time.getScore(), time.getScoreError(), bytes(run.getSecondaryResults()));
    }

    @SuppressWarnings("rawtypes") // as JMH has it
    private static double bytes(Map<String, Result> profiled) {
        return profiled.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(BYTES))
                .mapToDouble(entry -> entry.getValue().getScore())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the profiler said nothing of " + BYTES));
    }
}
