package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Processes;
import java.io.IOException;

/** Measures the counting of very many keys in windows of an hour: {@code thalweg bench advertising --keys N}. */
public record KeysRun(int keys, int parallelism, int seconds, Processes processes) {
    /** Counts them in a process with as much memory as they need. */
    public Score measure() throws IOException, InterruptedException {
        KeyNeeds needs = new KeyNeeds(keys);
        requireRoom(needs);
        Child.Program program = Child.Program.of(
                KeyContestant.class,
                "-Xms" + needs.heapMib() + "m",
                "-Xmx" + needs.heapMib() + "m",
                "-Xmn" + needs.youngMib() + "m",
                "-XX:+UseTransparentHugePages"); // otherwise each event has two misses, one of them for the address
        processes
                .progress()
                .say("%,d keys: a heap of %,d MiB; the checkpoint, %.1f GB, goes to %s and is deleted afterwards"
                        .formatted(keys, needs.heapMib(), needs.diskBytes() / 1e9, Folders.temporary()));
        return processes.run("thalweg", program, new KeyContestant.Order(keys, parallelism, seconds));
    }

    /**
     * Refuses keys for which the machine does not have room.
     *
     * @throws IllegalArgumentException with what is needed, what is available, and how many keys fit
     */
    private void requireRoom(KeyNeeds needs) throws IOException {
        long memory = availableMemory();
        if (needs.memoryBytes() > memory) {
            throw new IllegalArgumentException(
                    "--keys %d needs %.1f GB of memory, %.1f GB are available; --keys %d fits"
                            .formatted(keys, needs.memoryBytes() / 1e9, memory / 1e9, KeyNeeds.most(memory)));
        }
        Folders.requireRoom(needs.diskBytes(), "--keys " + keys, " for its checkpoint", "");
    }

    /** Returns the memory that the system can allocate without swapping, within a container's limit. */
    private static long availableMemory() throws IOException {
        long available = Meter.availableBytes();
        return available == 0 ? Meter.totalBytes() : Math.min(Meter.totalBytes(), available);
    }

    /**
     * The resources that a machine needs to count this many keys.
     *
     * @param keys the number of keys
     */
    record KeyNeeds(long keys) {
        private static final long MIB = 1 << 20;

        /**
         * A table has 18 to 24 bytes for a key and its count, 20.5 on average; twice that while a checkpoint runs, and a tenth of
         * slack.
         */
        private static final long HEAP_BYTES_PER_KEY = 45;

        private static final long YOUNG_MIB = 1024;
        /** Flink itself, and blocks in transit. */
        private static final long BASE_MIB = 640;
        /** Network buffers, classes, threads, and the collector's data about the heap. */
        private static final long BESIDE_HEAP_MIB = 700;

        private static final long HEAP_TO_COLLECTOR = 30;
        private static final long STATE_BYTES_PER_KEY = 16;

        /** The value for {@code -Xmx}. */
        public long heapMib() {
            return keys * HEAP_BYTES_PER_KEY / MIB + YOUNG_MIB + BASE_MIB;
        }

        /** The value for {@code -Xmn}: small, because all retained data is in the old generation. */
        public long youngMib() {
            return YOUNG_MIB;
        }

        /** Memory of the process. */
        public long memoryBytes() {
            return MIB * (heapMib() + heapMib() / HEAP_TO_COLLECTOR + BESIDE_HEAP_MIB);
        }

        /** Disk for one checkpoint. */
        public long diskBytes() {
            return keys * STATE_BYTES_PER_KEY * 11 / 10;
        }

        /** Returns the most keys, to the million, for which this memory suffices; 0 if less than one. */
        public static long most(long memoryBytes) {
            long most = 0;
            while (new KeyNeeds(most + 1_000_000).memoryBytes() <= memoryBytes) {
                most += 1_000_000;
            }
            return most;
        }
    }
}
