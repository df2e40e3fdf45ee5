package io.thalweg.bench;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedReads;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * How many bytes do keys and their counters take, how fast is a snapshot of them written (into a null stream) and restored (from a
 * file, most likely in the page cache), and what do a row and a live read cost? Prints one line for each number of keys, 256
 * shards; all times are CPU times of the one thread. Run, after {@code ./mvnw -q -pl bench -am -DskipTests package}:
 *
 * <pre>
 * java -Xmx6g -XX:+UseParallelGC -cp 'bench/target/lib/*:bench/target/classes' io.thalweg.bench.KeyedStateBenchmark 10000000 100000000
 * </pre>
 */
public final class KeyedStateBenchmark {
    private static final int SHARDS = 256;
    private static final int EVENTS = 1024;
    private static final KeyedSpec SPEC = new KeyedSpec(
            KeyForm.LONG,
            List.of(new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0, 0)),
            0,
            List.of(1),
            3_600_000,
            false);

    private KeyedStateBenchmark() {}

    /** Takes numbers of keys. */
    public static void main(String[] args) throws IOException {
        for (String keys : args) {
            measure(Long.parseLong(keys));
        }
    }

    private static void measure(long keys) throws IOException {
        long before = used();
        long started = cpuNanos();
        KeyedPanes[] shards = fill(keys);
        double fillNanos = cpuNanos() - started;
        long bytes = 0;
        for (KeyedPanes shard : shards) {
            bytes += shard.bytes();
        }
        double heap = (used() - before) / (double) keys;
        System.out.printf(
                "keys=%d table_bytes_per_key=%.1f heap_bytes_per_key=%.1f insert_ns=%.1f%n",
                keys, bytes / (double) keys, heap, fillNanos / keys);
        System.out.printf("  snapshot_gb_per_second=%.2f (best of 5)%n", snapshots(shards));
        System.out.printf("  accumulate_while_frozen: %s%n", whileFrozen(shards, keys));
        File file = File.createTempFile("keyed", ".state");
        try {
            System.out.printf("  restore_gb_per_second=%.2f%n", restore(shards[0], file));
        } finally {
            if (!file.delete()) {
                System.out.println("  left behind: " + file);
            }
        }
        rows(shards, keys);
    }

    private static KeyedPanes[] fill(long keys) {
        KeyedPanes[] shards = new KeyedPanes[SHARDS];
        for (int s = 0; s < SHARDS; s++) {
            shards[s] = new KeyedPanes(SPEC, 0);
        }
        // Key k is of shard k mod 256: which shard a key is of does not matter to the shard.
        for (long from = 0; from < keys; from += (long) SHARDS * EVENTS) {
            for (int s = 0; s < SHARDS; s++) {
                long first = from + s;
                int events = (int) Math.min(EVENTS, (keys - first + SHARDS - 1) / SHARDS);
                if (events > 0) {
                    shards[s].accumulate(block(first, events));
                }
            }
        }
        return shards;
    }

    private static KeyedBlock block(long first, int events) {
        long[] low = new long[events];
        for (int e = 0; e < events; e++) {
            low[e] = first + (long) e * SHARDS;
        }
        return new KeyedBlock(null, low, null, null, new long[events], null, new long[0][]);
    }

    private static double snapshots(KeyedPanes[] shards) throws IOException {
        double best = 0;
        for (int round = 0; round < 5; round++) {
            DataOutputStream out = new DataOutputStream(OutputStream.nullOutputStream());
            long written = 0;
            long started = cpuNanos();
            for (KeyedPanes shard : shards) {
                shard.write(out);
                written += 16 * shard.entries();
            }
            best = Math.max(best, written / (double) (cpuNanos() - started));
        }
        return best;
    }

    /** Copies every shard as a snapshot does, then meets every key once while the originals are kept. */
    private static String whileFrozen(KeyedPanes[] shards, long keys) {
        long copying = 0;
        long longest = 0;
        KeyedPanes[] frozen = shards.clone();
        for (int s = 0; s < SHARDS; s++) {
            long started = cpuNanos();
            shards[s] = frozen[s].copy();
            long nanos = cpuNanos() - started;
            copying += nanos;
            longest = Math.max(longest, nanos);
        }
        boolean fits = keys * 50 < Runtime.getRuntime().maxMemory();
        long before = used();
        long started = cpuNanos();
        for (long from = 0; fits && from < keys; from += (long) SHARDS * EVENTS) {
            for (int s = 0; s < SHARDS; s++) {
                long first = from + s;
                int events = (int) Math.min(EVENTS, (keys - first + SHARDS - 1) / SHARDS);
                if (events > 0) {
                    shards[s].accumulate(block(first, events));
                }
            }
        }
        double nanos = cpuNanos() - started;
        String all = fits
                ? "%.1f ns an event, %.1f bytes per key more".formatted(nanos / keys, (used() - before) / (double) keys)
                : "left out: the heap does not hold both";
        return "copies took %.1f ms, the longest %.2f ms; %s; first shard %d entries"
                .formatted(copying / 1e6, longest / 1e6, all, frozen[0].entries());
    }

    private static double restore(KeyedPanes shard, File file) throws IOException {
        double best = 0;
        for (int round = 0; round < 5; round++) {
            try (DataOutputStream out = new DataOutputStream(new FileOutputStream(file))) {
                shard.write(out);
            }
            long started = cpuNanos();
            try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
                KeyedPanes read = KeyedPanes.read(in, SPEC);
                best = Math.max(best, 16.0 * read.entries() / (cpuNanos() - started));
            }
        }
        return best;
    }

    private static void rows(KeyedPanes[] shards, long keys) {
        KeyedRows rows = new KeyedRows(SPEC);
        KeyedReads one = new KeyedReads(1);
        long started = cpuNanos();
        int reads = 1_000_000;
        long found = 0;
        for (int i = 0; i < reads; i++) {
            long key = (i * 7_919_777L) % keys;
            rows.clear();
            one.set(0, key);
            shards[(int) (key % SHARDS)].read(one, 0, 1, 1, rows);
            found += rows.rows();
        }
        double readNanos = (cpuNanos() - started) / (double) reads;
        long fired = 0;
        long longest = 0;
        started = cpuNanos();
        for (KeyedPanes shard : shards) {
            boolean more = true;
            while (more) {
                rows.clear();
                long turn = cpuNanos();
                more = shard.fire(1, rows);
                longest = Math.max(longest, cpuNanos() - turn);
                fired += rows.rows();
            }
        }
        double fireNanos = (cpuNanos() - started) / (double) fired;
        System.out.printf(
                "  read_ns=%.0f (found %d of %d) fire_ns_per_row=%.1f rows=%d longest_turn_ms=%.2f%n",
                readNanos, found, reads, fireNanos, fired, longest / 1e6);
    }

    /** Of this thread: others may be busy on the machine. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
