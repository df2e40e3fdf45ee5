package io.thalweg.bench.load;

import io.thalweg.bench.harness.Figures;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reads at a rate that does not depend on the answers, at the times of many independent callers (Poisson). A read's latency is
 * measured from when it should have been sent.
 *
 * <p><b>Failures.</b> A read fails if it is refused, or not answered within the patience after the last one was sent. Its latency
 * is the time that it has waited, and at least the patience, so a server does not get faster by not answering.
 *
 * <p><b>Threads.</b> One thread runs it; any thread may query the results.
 */
public final class OpenLoop {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Readers readers;
    private final double perSecond;
    private final SplittableRandom random;
    private final Ended ended;
    private final long patienceNanos;
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private volatile Run last = new Run();

    /** Receives each read when it ends. */
    public interface Ended {
        /**
         * Records that a read was answered or has failed.
         *
         * @param dueNanos when it should have been sent, as {@link System#nanoTime}
         * @param nanos its latency
         */
        void read(long dueNanos, long nanos, boolean failed);
    }

    public OpenLoop(Readers readers, double perSecond, long seed) {
        this(readers, perSecond, seed, (dueNanos, nanos, failed) -> {}, PATIENCE);
    }

    /** Creates a loop; the threads that receive answers call {@code ended}. */
    public OpenLoop(Readers readers, double perSecond, long seed, Ended ended) {
        this(readers, perSecond, seed, ended, PATIENCE);
    }

    OpenLoop(Readers readers, double perSecond, long seed, Ended ended, Duration patience) {
        this.readers = readers;
        this.perSecond = perSecond;
        this.ended = ended;
        this.random = new SplittableRandom(seed);
        this.patienceNanos = patience.toNanos();
    }

    /** Reads for {@code seconds}, then waits for the last answers; discards earlier results. */
    public void run(double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        run(dueNanos -> dueNanos - end < 0);
    }

    /** Reads as long as the time at which the next read is due satisfies a predicate. */
    public void run(LongPredicate goesOn) {
        Run run = new Run();
        last = run;
        long due = System.nanoTime();
        while (goesOn.test(due)) {
            awaitTime(due);
            run.send(due);
            due += (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        }
        run.awaitAnswers();
    }

    private static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** A read that was sent; its flag is set when it has ended. Reads that are due at the same time differ by it. */
    private record Sent(long dueNanos, AtomicBoolean ended) {}

    /** The results of a run. An answer that arrives after its end is not counted, neither here nor in the next run. */
    private final class Run {
        private final Set<Sent> open = ConcurrentHashMap.newKeySet();
        private final Histogram nanos = new ConcurrentHistogram(3);
        private final AtomicLong failed = new AtomicLong();
        private final AtomicLong bytes = new AtomicLong();

        void send(long dueNanos) {
            Sent sent = new Sent(dueNanos, new AtomicBoolean());
            open.add(sent);
            var unused = readers.read(random.nextInt(readers.requests()))
                    .whenComplete((answer, failure) -> end(sent, failure == null ? answer.length : 0, failure));
        }

        void awaitAnswers() {
            long end = System.nanoTime() + patienceNanos;
            while (!open.isEmpty() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            for (Sent sent : open) {
                end(sent, 0, new TimeoutException("no answer after " + Duration.ofNanos(patienceNanos)));
            }
            while (!open.isEmpty()) {
                LockSupport.parkNanos(1_000_000); // an answer is being counted
            }
        }

        private void end(Sent sent, int answerBytes, @Nullable Throwable failure) {
            if (!sent.ended.compareAndSet(false, true)) {
                return;
            }
            try {
                if (!(failure instanceof CancellationException)) {
                    count(sent, answerBytes, failure);
                }
            } finally {
                open.remove(sent);
            }
        }

        private void count(Sent sent, long answerBytes, @Nullable Throwable failure) {
            long waited = System.nanoTime() - sent.dueNanos;
            if (failure != null) {
                waited = Math.max(waited, patienceNanos);
                failed.incrementAndGet();
                firstFailure.compareAndSet(null, failure);
            }
            bytes.addAndGet(answerBytes);
            nanos.recordValue(waited);
            ended.read(sent.dueNanos, waited, failure != null);
        }

        long answered() {
            return nanos.getTotalCount() - failed.get();
        }
    }

    /** The reads of the last run that failed. */
    public long failures() {
        return last.failed.get();
    }

    public Optional<Throwable> firstFailure() {
        return Optional.ofNullable(firstFailure.get());
    }

    /** The size of an answer of the last run, on average. */
    public long answerBytes() {
        return last.bytes.get() / Math.max(1, last.answered());
    }

    /** The results of the last run: {@code <name>s} that were answered, {@code <name>s_failed}, {@code <name>_p50_ms} and so on. */
    public Figures figures(String name) {
        return new Figures()
                .put(name + "s", last.answered())
                .put(name + "s_failed", last.failed.get())
                .latencies(name, last.nanos)
                .put(name + "_p999_ms", last.nanos.getValueAtPercentile(99.9) / 1e6);
    }
}
