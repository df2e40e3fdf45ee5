package io.thalweg.bench;

import com.sun.management.OperatingSystemMXBean;
import io.thalweg.bench.advertising.ContestantOutput;
import io.thalweg.bench.advertising.KeyContestant;
import io.thalweg.bench.advertising.KeyNeeds;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Measures how very many keys are counted in windows of an hour: {@code thalweg bench advertising --keys N}. */
record KeysRun(int keys, int parallelism, int seconds, Contest contest) {
    static final String THALWEG = "thalweg";
    static final String ROCKSDB = "flink_rocksdb";

    /** RocksDB takes minutes for as few as these: its memory, kept small on purpose, holds less than half of them. */
    private static final int MOST_IN_ROCKSDB = 10_000_000;

    private static final String ROCKSDB_HEAP = "-Xmx4g";

    /** What a system found. */
    ContestantOutput.Result measure(String system) throws IOException, InterruptedException {
        return system.equals(THALWEG) ? thalweg() : rocksdb();
    }

    private ContestantOutput.Result thalweg() throws IOException, InterruptedException {
        KeyNeeds needs = new KeyNeeds(keys);
        requireRoom(needs);
        List<String> options = List.of(
                "-Xms" + needs.heapMib() + "m",
                "-Xmx" + needs.heapMib() + "m",
                "-Xmn" + needs.youngMib() + "m",
                "-XX:+UseTransparentHugePages"); // two misses for each event otherwise, one of them for the address
        contest.progress()
                .say("%,d keys: a heap of %,d MiB; the checkpoint, %.1f GB, goes to %s and is deleted afterwards"
                        .formatted(keys, needs.heapMib(), needs.diskBytes() / 1e9, temporary()));
        return contest.run(
                new Contest.Entry(THALWEG, options, KeyContestant.class), folder -> arguments(THALWEG, keys, folder));
    }

    private ContestantOutput.Result rocksdb() throws IOException, InterruptedException {
        int fewer = Math.min(keys, MOST_IN_ROCKSDB);
        contest.progress().say("%s: %,d keys".formatted(ROCKSDB, fewer));
        return contest.run(
                new Contest.Entry(ROCKSDB, List.of(ROCKSDB_HEAP), rocksdbClassPath(), KeyContestant.class),
                folder -> arguments(ROCKSDB, fewer, folder));
    }

    private List<String> arguments(String system, int many, Path folder) {
        return List.of(
                system, String.valueOf(many), String.valueOf(parallelism), folder.toString(), String.valueOf(seconds));
    }

    /** Flink brings a RocksDB of its own, with the same classes as ours: the first one on the class path counts. */
    private static String rocksdbClassPath() throws IOException {
        Path folder = DemandCommand.launcher().resolveSibling(Path.of("bench", "target", "rocksdb"));
        try (Stream<Path> jars = Files.list(folder)) {
            return String.join(
                            File.pathSeparator,
                            jars.map(Path::toString).sorted().toList())
                    + File.pathSeparator
                    + System.getProperty("java.class.path");
        }
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Refuses what does not fit.
     *
     * @throws IllegalArgumentException with what is needed, what is there, and how many keys fit
     */
    private void requireRoom(KeyNeeds needs) throws IOException {
        long memory = availableMemory();
        if (needs.memoryBytes() > memory) {
            throw new IllegalArgumentException(
                    "--keys %d needs %.1f GB of memory, %.1f GB are available; --keys %d fits"
                            .formatted(keys, needs.memoryBytes() / 1e9, memory / 1e9, KeyNeeds.most(memory)));
        }
        long disk = Files.getFileStore(temporary()).getUsableSpace();
        if (needs.diskBytes() > disk) {
            throw new IllegalArgumentException(
                    "--keys %d needs %.1f GB of disk for its checkpoint, %s has %.1f GB; name another folder with THALWEG_JAVA_OPTS=-Djava.io.tmpdir=FOLDER"
                            .formatted(keys, needs.diskBytes() / 1e9, temporary(), disk / 1e9));
        }
    }

    /** What the system says it can hand out without swapping, within a container's bound. */
    private static long availableMemory() throws IOException {
        long total = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
        Path memory = Path.of("/proc/meminfo");
        if (!Files.exists(memory)) {
            return total;
        }
        long available = Files.readAllLines(memory).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                .findAny()
                .orElse(total);
        return Math.min(total, available);
    }
}
