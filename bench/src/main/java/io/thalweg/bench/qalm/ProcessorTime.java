package io.thalweg.bench.qalm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Processor time of a process since its start, all threads together, from Linux' {@code schedstat}: threads that have ended are
 * left out, but the processes that are measured keep theirs. Elsewhere only what the process used is known.
 *
 * <p><b>Units.</b> Nanoseconds.
 *
 * @param used on a processor
 * @param compilers the part of it that the JIT compilers used: it ends when all is compiled
 * @param waited ready to run, but without a processor
 */
record ProcessorTime(long used, long compilers, long waited) {
    static final ProcessorTime NONE = new ProcessorTime(0, 0, 0);

    /** Of a process by its number; of one that has ended, zero. */
    static ProcessorTime of(long pid) {
        ProcessorTime sum = NONE;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                sum = sum.plus(ofThread(thread));
            }
        } catch (IOException e) {
            return whole(pid);
        }
        return sum;
    }

    private static ProcessorTime whole(long pid) {
        long used = ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos)
                .orElse(0L);
        return new ProcessorTime(used, 0, 0);
    }

    private static ProcessorTime ofThread(Path thread) {
        try {
            String[] words = Files.readString(thread.resolve("schedstat")).split("\\s", 3);
            long used = Long.parseLong(words[0]);
            boolean compiler = Files.readString(thread.resolve("comm")).matches("C[12] CompilerThre.*\\s*");
            return new ProcessorTime(used, compiler ? used : 0, Long.parseLong(words[1]));
        } catch (IOException e) {
            return NONE; // It has just ended.
        }
    }

    private ProcessorTime plus(ProcessorTime other) {
        return new ProcessorTime(used + other.used, compilers + other.compilers, waited + other.waited);
    }

    ProcessorTime minus(ProcessorTime before) {
        return new ProcessorTime(used - before.used, compilers - before.compilers, waited - before.waited);
    }
}
