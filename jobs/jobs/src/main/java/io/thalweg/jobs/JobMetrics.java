package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;

/**
 * The counts of a job's operators, for the command and the server of the same process. Event counts are part of the job's state: each
 * event counts once, and after a failure the counts return to the checkpoint that the job restarts from. All other counts start with
 * the process and count work, so work repeated after a failure counts again.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
public final class JobMetrics {
    private final Map<String, View> views = new ConcurrentHashMap<>();
    private final LongAdder bytesRead = new LongAdder();

    private JobMetrics() {}

    /** Returns the metrics of a job, created on first use. */
    public static JobMetrics of(String jobId) {
        return new JobAccounts(jobId).get(JobMetrics.class, JobMetrics::new);
    }

    /** Returns the metrics of a view by its qualified name. */
    public View view(String name) {
        return views.computeIfAbsent(name, n -> new View());
    }

    /** Counts bytes read from a file. */
    public void read(long bytes) {
        bytesRead.add(bytes);
    }

    public long bytesRead() {
        return bytesRead.sum();
    }

    /** The metrics of one view. */
    public static final class View {
        private static final int REMEMBERED_WATERMARKS = 1024;

        private final Map<String, EventAccount> accounts = new ConcurrentHashMap<>();
        private final LongAdder rows = new LongAdder();
        private final LongAdder sent = new LongAdder();
        private final LongAdder refused = new LongAdder();
        private final LongAdder liveKeys = new LongAdder();
        private final LongAdder liveReadNanos = new LongAdder();
        private final AtomicLong watermarkMs = new AtomicLong(Long.MIN_VALUE);
        private final AtomicLong maxEventTimeMs = new AtomicLong(Long.MIN_VALUE);
        private final AtomicLong firstRowsAtMs = new AtomicLong(Long.MIN_VALUE);
        private final ConcurrentSkipListMap<Long, Long> passedAtNanos = new ConcurrentSkipListMap<>();
        private final Map<Long, AtomicInteger> shardsDone = new ConcurrentHashMap<>();
        private final Map<Integer, LongSupplier> lags = new ConcurrentHashMap<>();
        private volatile double lastFreshnessSeconds = Double.NaN;
        private volatile DoubleConsumer freshness = seconds -> {};

        /** Registers the account of a subtask, which replaces that of an earlier attempt. */
        void account(String subtask, EventAccount account) {
            accounts.put(subtask, account);
        }

        public void rows(long more) {
            rows.add(more);
        }

        /** Counts rows that the store refused permanently. */
        public void refused(long more) {
            refused.add(more);
        }

        public long refused() {
            return refused.sum();
        }

        /** Counts events sent to accumulation: accepted events, less the repeats that were dropped on the way. */
        public void sent(long events) {
            sent.add(events);
        }

        /** Counts keys that were read while their windows fill, and the time that a task spent on it. */
        public void liveRead(int keys, long nanos) {
            liveKeys.add(keys);
            liveReadNanos.add(nanos);
        }

        public long liveKeys() {
            return liveKeys.sum();
        }

        public long liveReadNanos() {
            return liveReadNanos.sum();
        }

        public long outcome(EventOutcome outcome) {
            return accounts.values().stream()
                    .mapToLong(account -> account.events(outcome))
                    .sum();
        }

        public long badCount(BadReason reason) {
            return accounts.values().stream()
                    .mapToLong(account -> account.events(reason))
                    .sum();
        }

        public long events() {
            long events = 0;
            for (EventOutcome outcome : EventOutcome.values()) {
                events += outcome(outcome);
            }
            return events;
        }

        public long rows() {
            return rows.sum();
        }

        /**
         * Registers the lag of a subtask that reads Kafka. It replaces that of an earlier attempt of the subtask.
         *
         * @param records returns a negative number while the lag is unknown
         */
        public void lag(int subtask, LongSupplier records) {
            lags.put(subtask, records);
        }

        /** Returns how many offsets are not fetched yet; empty if no subtask reads Kafka or the lag of one is unknown. */
        public OptionalLong lag() {
            long[] lag =
                    lags.values().stream().mapToLong(LongSupplier::getAsLong).toArray();
            boolean known = lag.length > 0 && Arrays.stream(lag).allMatch(each -> each >= 0);
            return known ? OptionalLong.of(Arrays.stream(lag).sum()) : OptionalLong.empty();
        }

        public long sent() {
            return sent.sum();
        }

        /** Records the latest event time read. */
        public void seen(long eventTimeMs) {
            maxEventTimeMs.accumulateAndGet(eventTimeMs, Math::max);
        }

        public long maxEventTimeMs() {
            return maxEventTimeMs.get();
        }

        /** Records that a watermark reached the assembly of features. */
        public void watermarkReached(long ms) {
            watermarkMs.accumulateAndGet(ms, Math::max);
            passedAtNanos.putIfAbsent(ms, System.nanoTime());
            if (passedAtNanos.size() > REMEMBERED_WATERMARKS) {
                passedAtNanos.pollFirstEntry();
            }
        }

        /** The watermark that assembly has reached, epoch ms; {@code Long.MIN_VALUE} before the first. */
        public long watermarkMs() {
            return watermarkMs.get();
        }

        /** Sets the first window end whose rows may be emitted; {@code Long.MIN_VALUE} if no window end is too early. */
        public void firstRowsAt(long windowEndMs) {
            firstRowsAtMs.set(windowEndMs);
        }

        public long firstRowsAtMs() {
            return firstRowsAtMs.get();
        }

        /** Sets the observer of freshness, the seconds of wall time from the passing of a watermark until its rows are readable. */
        public void onFreshness(DoubleConsumer observer) {
            freshness = observer;
        }

        /** The last freshness observed; NaN before the first. */
        public double lastFreshnessSeconds() {
            return lastFreshnessSeconds;
        }

        /** Records that all rows of a shard's window end are readable. */
        public void readable(int shards, long windowEndMs) {
            AtomicInteger done = shardsDone.computeIfAbsent(windowEndMs, end -> new AtomicInteger());
            if (done.incrementAndGet() < shards) {
                return;
            }
            shardsDone.keySet().removeIf(end -> end <= windowEndMs);
            Map.Entry<Long, Long> passed = passedAtNanos.ceilingEntry(windowEndMs);
            if (passed != null) {
                lastFreshnessSeconds = (System.nanoTime() - passed.getValue()) / 1e9;
                freshness.accept(lastFreshnessSeconds);
            }
        }
    }
}
