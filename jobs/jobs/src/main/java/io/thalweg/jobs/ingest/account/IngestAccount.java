package io.thalweg.jobs.ingest.account;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Counts what one subtask has done with records and messages. It is part of the job's state, so a record that is read again after a
 * failure counts once.
 *
 * <p><b>Threads.</b> One thread writes, any may read.
 */
public final class IngestAccount {
    /** The counters. */
    public enum Count {
        /** Records of the source. */
        RECORDS,
        /** Bytes of these records. */
        BYTES_IN,
        /** Messages in these records; an unreadable record or rest of a record counts as one. */
        EVENTS,
        /** Messages that {@code where} or the user function dropped. */
        FILTERED,
        /** Messages that could not be read, or that the user function rejected. */
        BAD,
        /** Records without a value, which have no message. */
        TOMBSTONES,
        /** Fields that are not in the schema, summed over all messages read. */
        UNKNOWN_FIELDS,
        /** Messages that became rows. */
        KEPT,
        /** These rows: one for each message, or as many as the user function emitted. */
        ROWS,
        /** Offsets of a topic whose records Kafka deleted before they were read. */
        LOST;

        /** The name in metrics. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The stages for which time is measured. */
    public enum Stage {
        /** Opening records and translating messages. */
        TRANSLATE,
        /** Passing rows to the sink, which encodes and writes them, or blocks. */
        WRITE;

        /** The name in metrics. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The type of an entry in a checkpoint. */
    public static final TypeInformation<Tuple2<String, Long>> ENTRY = Types.TUPLE(Types.STRING, Types.LONG);

    private static final String REASON = "bad/";
    private static final String PASSED = "passed/";

    private final Map<Count, AtomicLong> counts = new EnumMap<>(Count.class);
    private final Map<Stage, AtomicLong> spentNanos = new EnumMap<>(Stage.class);
    private final Map<String, AtomicLong> reasons = new ConcurrentSkipListMap<>();
    /** The offset of the last record of each partition. */
    private final Map<Integer, AtomicLong> passed = new ConcurrentHashMap<>();

    public IngestAccount() {
        for (Count count : Count.values()) {
            counts.put(count, new AtomicLong());
        }
        for (Stage stage : Stage.values()) {
            spentNanos.put(stage, new AtomicLong());
        }
    }

    /** Adds without an atomic read-modify-write: only one thread writes, and this runs six times for each message. */
    public void add(Count count, long more) {
        AtomicLong counted = of(count);
        counted.setOpaque(counted.getPlain() + more);
    }

    public void bad(String reason) {
        add(Count.BAD, 1);
        reasons.computeIfAbsent(reason, r -> new AtomicLong()).incrementAndGet();
    }

    /** Adds time spent by this attempt; it is not part of the job's state. */
    public void spent(Stage stage, long nanos) {
        Objects.requireNonNull(spentNanos.get(stage)).addAndGet(nanos);
    }

    public long spentNanos(Stage stage) {
        return Objects.requireNonNull(spentNanos.get(stage)).get();
    }

    public long get(Count count) {
        return of(count).get();
    }

    Map<String, AtomicLong> reasons() {
        return reasons;
    }

    /** Records the offset of the last record read from a partition. */
    public void passed(int partition, long offset) {
        passed.computeIfAbsent(partition, p -> new AtomicLong(-1)).set(offset);
    }

    public Map<Integer, AtomicLong> passed() {
        return passed;
    }

    private AtomicLong of(Count count) {
        return Objects.requireNonNull(counts.get(count));
    }

    /** Returns the entries for a checkpoint. */
    public List<Tuple2<String, Long>> snapshot() {
        List<Tuple2<String, Long>> entries = new ArrayList<>();
        counts.forEach((count, value) -> entries.add(Tuple2.of(count.text(), value.get())));
        reasons.forEach((reason, value) -> entries.add(Tuple2.of(REASON + reason, value.get())));
        passed.forEach((partition, offset) -> entries.add(Tuple2.of(PASSED + partition, offset.get())));
        return entries;
    }

    /** Adds the entries that a checkpoint holds for this subtask. */
    public void restore(Iterable<Tuple2<String, Long>> entries) {
        for (Tuple2<String, Long> entry : entries) {
            if (entry.f0.startsWith(PASSED)) {
                int partition = Integer.parseInt(entry.f0.substring(PASSED.length()));
                passed.computeIfAbsent(partition, p -> new AtomicLong(-1)).accumulateAndGet(entry.f1, Math::max);
            }
            if (entry.f0.startsWith(REASON)) {
                reasons.computeIfAbsent(entry.f0.substring(REASON.length()), r -> new AtomicLong())
                        .addAndGet(entry.f1);
            }
            counts.forEach((count, value) -> {
                if (entry.f0.equals(count.text())) {
                    value.addAndGet(entry.f1);
                }
            });
        }
    }

    /** Whether the offsets read, by partition, include these. */
    public static boolean hasPassed(Map<Integer, Long> passed, Map<Integer, Long> offsets) {
        return offsets.entrySet().stream().allMatch(end -> passed.getOrDefault(end.getKey(), -1L) >= end.getValue());
    }
}
