package io.thalweg.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Callers that send the next call as soon as the last is answered: a latency is that of a single call, without a queue before it. */
public final class ClosedLoop {
    /** The number of callers of {@link #readsPerSecond}. */
    public static final int CALLERS = 8;

    private ClosedLoop() {}

    /**
     * A call that is ready.
     *
     * @param nanos receives its latency
     * @param work an {@link ExecutionException} is a refusal, which is not counted; any other exception ends the loop
     */
    public record Call(Histogram nanos, Callable<?> work) {}

    /**
     * Runs one caller, which calls at least once.
     *
     * @param next draws the next call, which is not part of its time
     */
    public static void run(double seconds, SplittableRandom random, Function<SplittableRandom, Call> next)
            throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            Call call = next.apply(random);
            long begin = System.nanoTime();
            try {
                Object unused = call.work().call();
                call.nanos().recordValue(System.nanoTime() - begin);
            } catch (ExecutionException e) {
                Thread.sleep(1); // refused, which counts no time
            }
        } while (System.nanoTime() - end < 0);
    }

    /**
     * Returns how many reads a second are answered to {@value #CALLERS} callers: the capacity of a server. Failed reads are not
     * counted.
     */
    public static double readsPerSecond(Readers readers, double seconds) throws Exception {
        Histogram nanos = new ConcurrentHistogram(3);
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Callable<Void>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                SplittableRandom random = new SplittableRandom(caller);
                callers.add(() -> {
                    run(seconds, random, drawn -> {
                        int request = drawn.nextInt(readers.requests());
                        return new Call(nanos, () -> readers.read(request).get());
                    });
                    return null;
                });
            }
            long begin = System.nanoTime();
            for (Future<?> caller : threads.invokeAll(callers)) {
                Object unused = caller.get();
            }
            return nanos.getTotalCount() / ((System.nanoTime() - begin) / 1e9);
        } finally {
            threads.shutdownNow();
        }
    }
}
