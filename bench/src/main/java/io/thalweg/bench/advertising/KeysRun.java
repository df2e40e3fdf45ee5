package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Score;
import java.io.IOException;
import java.util.List;

/** Measures the counting of very many keys in windows of an hour: {@code thalweg bench advertising --keys N}. */
public record KeysRun(int keys, int parallelism, int seconds, Processes processes) {
    /** Counts them in a process with as much memory as they need. */
    public Score measure() throws IOException, InterruptedException {
        KeyNeeds needs = new KeyNeeds(keys);
        requireRoom(needs);
        List<String> options = List.of(
                "-Xms" + needs.heapMib() + "m",
                "-Xmx" + needs.heapMib() + "m",
                "-Xmn" + needs.youngMib() + "m",
                "-XX:+UseTransparentHugePages"); // otherwise each event has two misses, one of them for the address
        processes
                .progress()
                .say("%,d keys: a heap of %,d MiB; the checkpoint, %.1f GB, goes to %s and is deleted afterwards"
                        .formatted(keys, needs.heapMib(), needs.diskBytes() / 1e9, Folders.temporary()));
        return processes.run(
                new Processes.Entry("thalweg", options, KeyContestant.class),
                new KeyContestant.Order(keys, parallelism, seconds));
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
}
