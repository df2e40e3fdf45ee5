package io.thalweg.bench.serve;

import io.thalweg.bench.load.Readers;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Reads of a few callers, each as fast as it is answered: what a server holds. */
record ClosedLoop(Readers readers) {
    static final int CALLERS = 8;

    /** How many are answered a second; those that fail are not counted. */
    double perSecond(double seconds) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            long begin = System.nanoTime();
            long end = begin + (long) (seconds * 1e9);
            List<Future<Long>> counts = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                SplittableRandom random = new SplittableRandom(caller);
                counts.add(threads.submit(() -> count(random, end)));
            }
            long answered = 0;
            for (Future<Long> count : counts) {
                answered += count.get();
            }
            return answered / ((System.nanoTime() - begin) / 1e9);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a caller failed", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private long count(SplittableRandom random, long end) throws InterruptedException {
        long answered = 0;
        while (System.nanoTime() - end < 0) {
            try {
                Integer unused =
                        readers.read(random.nextInt(readers.requests())).get();
                answered++;
            } catch (ExecutionException e) {
                Thread.sleep(1); // refused, which takes no time
            }
        }
        return answered;
    }
}
