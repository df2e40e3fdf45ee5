package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Processor time of the threads of this process that compile, on Linux; elsewhere zero. */
final class CompilerTime {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final double TICKS_PER_SECOND = 100;
    /** Of the numbers behind the name of a thread: its user and its system time. */
    private static final int USER = 11;

    private static final int SYSTEM = 12;

    private CompilerTime() {}

    /** In seconds, since the process began. Threads that have ended do not count, so their number must be fixed. */
    static double seconds() throws IOException {
        if (!Files.isDirectory(TASKS)) {
            return 0;
        }
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(TASKS)) {
            threads = tasks.toList();
        }
        double ticks = 0;
        for (Path thread : threads) {
            ticks += ticks(thread);
        }
        return ticks / TICKS_PER_SECOND;
    }

    private static double ticks(Path thread) {
        try {
            if (!Files.readString(thread.resolve("comm")).matches("C[12] CompilerThre.*\\R?")) {
                return 0;
            }
            String stat = Files.readString(thread.resolve("stat"));
            String[] numbers = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Double.parseDouble(numbers[USER]) + Double.parseDouble(numbers[SYSTEM]);
        } catch (IOException e) {
            return 0; // it has ended
        }
    }
}
