package io.thalweg.jobs.load;

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
 * What a load job's writers count, for the command and the server of the same process. Counts begin with the process and count
 * work, so what is done again after a failure counts again.
 *
 * <p><b>Threads.</b> Safe for any.
 */
public final class LoadMetrics {
    /** In place of a reader's number: of what no reader has yet. */
    static final int UNASSIGNED = -1;

    private static final Map<String, LoadMetrics> JOBS = new ConcurrentHashMap<>();

    private final Map<String, View> views = new ConcurrentHashMap<>();

    private LoadMetrics() {}

    /** The metrics of a job, made on first use. */
    public static LoadMetrics of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new LoadMetrics());
    }

    /** The metrics of a view by its qualified name. */
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

        /** Sets the bytes that a reader has still to read, or those that no reader has yet. */
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

        /** Rows that the store has taken or found to be old. */
        public long rows() {
            return rows.sum();
        }

        /** Rows that were read of a table, bad ones among them. */
        public long read() {
            return read.sum();
        }

        /** How often a reader of a table began: more often than there are readers where some began again after a failure. */
        public long readersBegun() {
            return readers.sum();
        }

        /** About how many bytes of a table are still to be read; absent before that is known. */
        public OptionalLong bytesLeft() {
            return left.containsKey(UNASSIGNED)
                    ? OptionalLong.of(
                            left.values().stream().mapToLong(Long::longValue).sum())
                    : OptionalLong.empty();
        }

        /** Writes answered. */
        public long writes() {
            return writes.sum();
        }

        /** Writes that were tried again. */
        public long retries() {
            return retries.sum();
        }

        /** Writes under way. */
        public long inFlight() {
            return inFlight.sum();
        }

        /** Records and rows that went to the dead letters. */
        public long deadLetters(DeadLetterReason reason) {
            return letters(reason).sum();
        }

        /** The newest window end of which FINAL rows are readable, epoch ms; {@code Long.MIN_VALUE} before the first. */
        public long newestEndMs() {
            return newestEndMs.get();
        }

        /** The freshness observed last, in seconds; NaN before the first. */
        public double lastFreshnessSeconds() {
            return lastFreshnessSeconds;
        }

        /** The problem that delays writes; null if there is none. */
        public @Nullable String trouble() {
            return trouble;
        }

        /** Where it is observed how long after its window end a block of FINAL rows became readable, in seconds. */
        public void onFreshness(DoubleConsumer observer) {
            freshness = observer;
        }

        /** Where the rows of each write are observed. */
        public void onBatch(DoubleConsumer observer) {
            batches = observer;
        }

        /** Where the time that each write took is observed, in seconds. */
        public void onLatency(DoubleConsumer observer) {
            latencies = observer;
        }
    }
}
