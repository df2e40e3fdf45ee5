package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.Outcome;
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
 * What a job's operators count, for the command and the server of the same process. Events are accounted for in the job's state:
 * each counts once, and after a failure the counts step back to the checkpoint that the job continues from. All other counts begin
 * with the process and count work, so what is done again after a failure counts again.
 *
 * <p><b>Threads.</b> Safe for any.
 */
public final class JobMetrics {
    private static final Map<String, JobMetrics> JOBS = new ConcurrentHashMap<>();

    private final Map<String, View> views = new ConcurrentHashMap<>();
    private final LongAdder bytesRead = new LongAdder();

    private JobMetrics() {}

    /** The metrics of a job, made on first use. */
    public static JobMetrics of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new JobMetrics());
    }

    /** The metrics of a view by its qualified name. */
    public View view(String name) {
        return views.computeIfAbsent(name, n -> new View());
    }

    /** Notes bytes read from a file. */
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

        /** Takes the account of a subtask, in place of that of its earlier attempt. */
        void account(String subtask, EventAccount account) {
            accounts.put(subtask, account);
        }

        public void rows(long more) {
            rows.add(more);
        }

        /** Counts rows that the store refused for good. */
        public void refused(long more) {
            refused.add(more);
        }

        public long refused() {
            return refused.sum();
        }

        /** Counts events that left for accumulation: accepted, less the repeats that were dropped on the way. */
        public void sent(long events) {
            sent.add(events);
        }

        /** Counts keys that were read while their windows fill, and the time that it kept a task from events. */
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

        public long outcome(Outcome outcome) {
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
            for (Outcome outcome : Outcome.values()) {
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

        /** How many offsets of the topics are not fetched yet. Empty if nothing reads Kafka, or the lag of a subtask is unknown. */
        public OptionalLong lag() {
            long[] lag =
                    lags.values().stream().mapToLong(LongSupplier::getAsLong).toArray();
            boolean known = lag.length > 0 && Arrays.stream(lag).allMatch(each -> each >= 0);
            return known ? OptionalLong.of(Arrays.stream(lag).sum()) : OptionalLong.empty();
        }

        public long sent() {
            return sent.sum();
        }

        /** Notes how far event time is read. */
        public void seen(long eventTimeMs) {
            maxEventTimeMs.accumulateAndGet(eventTimeMs, Math::max);
        }

        public long maxEventTimeMs() {
            return maxEventTimeMs.get();
        }

        /** Notes that a watermark arrived where features are assembled. */
        public void watermarkReached(long ms) {
            watermarkMs.accumulateAndGet(ms, Math::max);
            passedAtNanos.putIfAbsent(ms, System.nanoTime());
            if (passedAtNanos.size() > REMEMBERED_WATERMARKS) {
                passedAtNanos.pollFirstEntry();
            }
        }

        /** Event time that assembly has reached, epoch ms; {@code Long.MIN_VALUE} before the first. */
        public long watermarkMs() {
            return watermarkMs.get();
        }

        /** The first window end that rows may leave for; {@code Long.MIN_VALUE} where none is too early. */
        public void firstRowsAt(long windowEndMs) {
            firstRowsAtMs.set(windowEndMs);
        }

        public long firstRowsAtMs() {
            return firstRowsAtMs.get();
        }

        /** Where freshness (watermark passing to readable, seconds of wall time) is observed. */
        public void onFreshness(DoubleConsumer observer) {
            freshness = observer;
        }

        /** The freshness observed last; NaN before the first. */
        public double lastFreshnessSeconds() {
            return lastFreshnessSeconds;
        }

        /** Notes that all rows of a shard's window end are readable. */
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
