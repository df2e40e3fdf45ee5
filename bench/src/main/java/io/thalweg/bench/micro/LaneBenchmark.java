package io.thalweg.bench.micro;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.Lane;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.Refusal;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What does load management cost per call without an overload: admission and release, in time and in bytes? The aim is 400
 * ns and no allocation (the call object itself, which the caller creates anyway, is not counted). Run:
 * {@code ./thalweg bench micro Lane}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = "-Xmx256m")
public class LaneBenchmark {
    /** The single call of each thread is as old as the measurement, and must not expire. */
    private static final Policy POLICY = endpoint ->
            new EndpointPolicy(LaneConfig.DEFAULT.withDeadline(Duration.ofDays(1)), caller -> CallerPolicy.DEFAULT);

    private final Qalm qalm =
            new Qalm(new QalmConfig(64, 2), POLICY, System::nanoTime, () -> new SplittableRandom(1), Observer.NONE);
    private final Lane lane = qalm.lane("endpoint");

    /** One call for each thread, used repeatedly. */
    @State(Scope.Thread)
    public static class Again extends Call {
        int admissions;
        int refusals;

        public Again() {
            super("caller", null, false, System.nanoTime(), NO_DEADLINE, 0, 1);
        }

        @Override
        protected void admitted() {
            admissions++;
        }

        @Override
        protected void refused(Refusal reason) {
            refusals++;
        }
    }

    @Benchmark
    public int admitAndRelease(Again call) {
        lane.submit(call);
        call.release(Outcome.SUCCESS);
        if (call.refusals > 0) {
            throw new IllegalStateException("refused in calm times");
        }
        return call.admissions;
    }
}
