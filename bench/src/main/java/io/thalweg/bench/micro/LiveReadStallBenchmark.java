package io.thalweg.bench.micro;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedReads;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * How long does a read of 1,000 keys keep the stream waiting? Random keys of 256 shards, counted in tumbling windows and in
 * windows of one and six panes, while windows fill and in the middle of firing; some keys are not there. The bound is 1 ms. Also:
 * how long is the longest turn of firing, which a read may have to wait for? CPU times of the one thread. Run, after {@code ./mvnw
 * -q -pl bench -am -DskipTests package}:
 *
 * <pre>
 * java -Xmx4g -XX:+UseParallelGC -cp 'bench/target/lib/*:bench/target/classes' io.thalweg.bench.micro.LiveReadStallBenchmark 1000000 10000000
 * </pre>
 */
public final class LiveReadStallBenchmark {
    private static final int SHARDS = 256;
    private static final int EVENTS = 1024;
    private static final int READ_KEYS = 1_000;
    private static final int READS = 2_000;

    private LiveReadStallBenchmark() {}

    /** Takes numbers of keys. */
    public static void main(String[] args) {
        measure("warm-up", 100_000, List.of(1));
        measure("warm-up", 100_000, List.of(1, 6));
        for (String keys : args) {
            measure("tumbling", Long.parseLong(keys), List.of(1));
            measure("1 and 6 panes", Long.parseLong(keys), List.of(1, 6));
        }
    }

    private static void measure(String name, long keys, List<Integer> windows) {
        KeyedMeasure count = new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0, 0);
        KeyedSpec spec = new KeyedSpec(KeyForm.LONG, List.of(count), 0, windows, 10_000, false);
        KeyedPanes[] shards = new KeyedPanes[SHARDS];
        Arrays.setAll(shards, s -> new KeyedPanes(spec, 0));
        fill(shards, keys, 0);
        report(name, "filling", keys, reads(shards, keys));
        fill(shards, keys, 1);
        long longest = 0;
        for (KeyedPanes shard : shards) {
            longest = Math.max(longest, fireHalf(shard));
        }
        report(name, "firing", keys, reads(shards, keys));
        System.out.printf("  longest_turn_ms=%.3f%n", longest / 1e6);
    }

    private static void fill(KeyedPanes[] shards, long keys, long pane) {
        for (long from = 0; from < keys; from += (long) SHARDS * EVENTS) {
            for (int s = 0; s < SHARDS; s++) {
                long first = from + s;
                int events = (int) Math.min(EVENTS, (keys - first + SHARDS - 1) / SHARDS);
                if (events > 0) {
                    long[] low = new long[events];
                    Arrays.setAll(low, e -> first + (long) e * SHARDS);
                    long[] panes = new long[events];
                    Arrays.fill(panes, pane);
                    shards[s].accumulate(new KeyedBlock(null, low, null, null, panes, null, new long[0][]));
                }
            }
        }
    }

    /** Takes turns until about half of the rows have left; how long the longest took. */
    private static long fireHalf(KeyedPanes shard) {
        KeyedRows rows = new KeyedRows(shard.spec());
        long all = shard.entries() / 2;
        long fired = 0;
        long longest = 0;
        while (fired < all / 2) {
            rows.clear();
            long started = cpuNanos();
            if (!shard.fire(1, rows)) {
                return longest;
            }
            longest = Math.max(longest, cpuNanos() - started);
            fired += rows.rows();
        }
        return longest;
    }

    private static long[] reads(KeyedPanes[] shards, long keys) {
        Random random = new Random(keys);
        long[] nanos = new long[READS];
        for (int read = 0; read < READS; read++) {
            // As a task does it: what needs no shard is done before, and a shard's keys are read together.
            long[] asked = random.longs(READ_KEYS, 0, keys + keys / 100)
                    .boxed()
                    .sorted(Comparator.comparingLong(key -> key % SHARDS))
                    .mapToLong(Long::longValue)
                    .toArray();
            KeyedReads prepared = new KeyedReads(READ_KEYS);
            for (int i = 0; i < READ_KEYS; i++) {
                prepared.set(i, asked[i]);
            }
            KeyedRows rows = new KeyedRows(shards[0].spec(), READ_KEYS);
            long started = cpuNanos();
            for (int from = 0, to; from < READ_KEYS; from = to) {
                int s = (int) (asked[from] % SHARDS);
                to = from + 1;
                while (to < READ_KEYS && asked[to] % SHARDS == s) {
                    to++;
                }
                shards[s].read(prepared, from, to, shards[s].closedBefore() + 1, rows);
            }
            nanos[read] = cpuNanos() - started;
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private static void report(String name, String moment, long keys, long[] nanos) {
        System.out.printf(
                "%s, %s, keys=%d: ms_per_1000_keys p50=%.3f p99=%.3f max=%.3f%n",
                name, moment, keys, nanos[READS / 2] / 1e6, nanos[READS * 99 / 100] / 1e6, nanos[READS - 1] / 1e6);
    }

    /** Of this thread: others may be busy on the machine. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
