package io.thalweg.bench.load;

import io.thalweg.bench.harness.Figures;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reads at a rate that does not depend on the answers, at times as of many callers who do not know of each other (Poisson). A
 * read's latency is from when it should have been sent.
 */
public final class OpenLoop {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Readers readers;
    private final double perSecond;
    private final SplittableRandom random;
    private final Histogram nanos = new ConcurrentHistogram(3);
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final AtomicLong bytes = new AtomicLong();
    private final Answered answered;

    /** Takes each answered read. */
    public interface Answered {
        /**
         * A read was answered.
         *
         * @param dueNanos when it should have been sent, as {@link System#nanoTime}
         * @param nanos from then until it was answered
         */
        void read(long dueNanos, long nanos);
    }

    /** Prepares. */
    public OpenLoop(Readers readers, double perSecond, long seed) {
        this(readers, perSecond, seed, (dueNanos, nanos) -> {});
    }

    /**
     * Prepares.
     *
     * @param answered is called by the threads that receive answers
     */
    public OpenLoop(Readers readers, double perSecond, long seed, Answered answered) {
        this.readers = readers;
        this.perSecond = perSecond;
        this.answered = answered;
        this.random = new SplittableRandom(seed);
    }

    /** Reads for so long, then waits for the last answers; what was found before is forgotten. */
    public void run(double seconds) {
        nanos.reset();
        bytes.set(0);
        failed.set(0);
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        for (double due = begin; due < end; due += -Math.log(1 - random.nextDouble()) / perSecond * 1e9) {
            awaitTime((long) due);
            send((long) due);
        }
        long last = System.nanoTime() + PATIENCE_NANOS;
        while (open.get() > 0 && System.nanoTime() - last < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        failed.addAndGet(open.get());
    }

    private static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void send(long due) {
        open.incrementAndGet();
        var unused = readers.read(random.nextInt(readers.requests())).whenComplete((size, failure) -> {
            if (failure == null) {
                long took = System.nanoTime() - due;
                nanos.recordValue(took);
                answered.read(due, took);
                bytes.addAndGet(size);
            } else {
                failed.incrementAndGet();
                firstFailure.compareAndSet(null, failure);
            }
            open.decrementAndGet();
        });
    }

    /** Reads of the last run that were not answered. */
    public long failures() {
        return failed.get();
    }

    /** Why the first read of all runs that failed did. */
    public Optional<Throwable> firstFailure() {
        return Optional.ofNullable(firstFailure.get());
    }

    /** The median of the last run. */
    public double medianMs() {
        return nanos.getValueAtPercentile(50) / 1e6;
    }

    /** What the last run found: {@code <name>s}, {@code failed}, {@code <name>_p50_ms} and so on. */
    public Figures figures(String name) {
        long answers = nanos.getTotalCount();
        return new Figures()
                .put(name + "s", answers)
                .put("failed", failed.get())
                .latencies(name, nanos)
                .put(name + "_p999_ms", nanos.getValueAtPercentile(99.9) / 1e6)
                .put("answer_bytes", answers == 0 ? 0 : bytes.get() / answers);
    }
}
