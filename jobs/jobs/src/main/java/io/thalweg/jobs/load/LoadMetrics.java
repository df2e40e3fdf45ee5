package io.thalweg.jobs.load;

import io.thalweg.jobs.JobAccounts;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a load job's writers, for the command and the server of the same process. They start with the process and count work, so
 * work repeated after a failure counts again.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
public final class LoadMetrics {
    /** The reader number of splits that no reader has yet. */
    static final int UNASSIGNED = -1;

    private final Map<String, View> views = new ConcurrentHashMap<>();

    private LoadMetrics() {}

    /** Returns the metrics of a job, created on first use. */
    public static LoadMetrics of(String jobId) {
        return new JobAccounts(jobId).get(LoadMetrics.class, LoadMetrics::new);
    }

    /** Returns the metrics of a view by its qualified name. */
    public View view(String name) {
        return views.computeIfAbsent(name, n -> new View());
    }

    /** The metrics of one view. */
    public static final class View {
        private final LongAdder rows = new LongAdder();
        private final LongAdder writes = new LongAdder();
        private final LongAdder retries = new LongAdder();
        private final LongAdder inFlight = new LongAdder();
        private final LongAdder read = new LongAdder();
        private final LongAdder readers = new LongAdder();
        private final Map<Integer, Long> left = new ConcurrentHashMap<>();
        private final Map<DeadLetterReason, LongAdder> letters = new EnumMap<>(DeadLetterReason.class);
        private final AtomicLong newestEndMs = new AtomicLong(Long.MIN_VALUE);
        private volatile double lastFreshnessSeconds = Double.NaN;
        private volatile @Nullable String trouble;
        private volatile DoubleConsumer freshness = seconds -> {};
        private volatile DoubleConsumer batches = size -> {};
        private volatile DoubleConsumer latencies = seconds -> {};

        View() {
            for (DeadLetterReason reason : DeadLetterReason.values()) {
                letters.put(reason, new LongAdder());
            }
        }

        void began() {
            inFlight.increment();
        }

        void ended() {
            inFlight.decrement();
        }

        void readerBegan() {
            readers.increment();
        }

        void read(int tableRows) {
            read.add(tableRows);
        }

        /** Sets the remaining bytes of a reader, or those of the {@link LoadMetrics#UNASSIGNED} splits. */
        void left(int reader, long bytes) {
            left.put(reader, bytes);
        }

        void written(int batchRows, double seconds) {
            rows.add(batchRows);
            writes.increment();
            batches.accept(batchRows);
            latencies.accept(seconds);
            trouble = null;
        }

        void retried(String why) {
            retries.increment();
            trouble = why;
        }

        void failed(String why) {
            trouble = why;
        }

        void letter(DeadLetterReason reason) {
            letters(reason).increment();
        }

        void readable(long windowEndMs, double seconds) {
            newestEndMs.accumulateAndGet(windowEndMs, Math::max);
            lastFreshnessSeconds = seconds;
            freshness.accept(seconds);
        }

        private LongAdder letters(DeadLetterReason reason) {
            return Objects.requireNonNull(letters.get(reason));
        }

        /** Rows that the store has accepted, including those that it ignored as old. */
        public long rows() {
            return rows.sum();
        }

        /** Rows read from a table, including bad ones. */
        public long read() {
            return read.sum();
        }

        /** How often readers of a table have started; more than the number of readers if some restarted after a failure. */
        public long readersBegun() {
            return readers.sum();
        }

        /** The approximate number of unread bytes of a table; absent before it is known. */
        public OptionalLong bytesLeft() {
            return left.containsKey(UNASSIGNED)
                    ? OptionalLong.of(
                            left.values().stream().mapToLong(Long::longValue).sum())
                    : OptionalLong.empty();
        }

        /** Completed writes. */
        public long writes() {
            return writes.sum();
        }

        /** Retries of writes. */
        public long retries() {
            return retries.sum();
        }

        /** Writes in flight. */
        public long inFlight() {
            return inFlight.sum();
        }

        /** Records and rows that became dead letters. */
        public long deadLetters(DeadLetterReason reason) {
            return letters(reason).sum();
        }

        /** The newest window end with readable FINAL rows, epoch ms; {@code Long.MIN_VALUE} before the first. */
        public long newestEndMs() {
            return newestEndMs.get();
        }

        /** The last freshness observed, in seconds; NaN before the first. */
        public double lastFreshnessSeconds() {
            return lastFreshnessSeconds;
        }

        /** The problem that delays writes; null if there is none. */
        public @Nullable String trouble() {
            return trouble;
        }

        /** Sets the observer of freshness, the seconds from a window end until a block of its FINAL rows is readable. */
        public void onFreshness(DoubleConsumer observer) {
            freshness = observer;
        }

        /** Sets the observer of the number of rows of each write. */
        public void onBatch(DoubleConsumer observer) {
            batches = observer;
        }

        /** Sets the observer of the duration of each write, in seconds. */
        public void onLatency(DoubleConsumer observer) {
            latencies = observer;
        }
    }
}
