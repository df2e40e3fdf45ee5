package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The CPU time of a process since its start, all threads together, from Linux' {@code schedstat}. Threads that have ended are not
 * included, but measured processes keep theirs. On other systems only the total of the process is known.
 *
 * <p><b>Units.</b> Nanoseconds.
 *
 * @param used on a processor
 * @param compilers the part of it that the JIT compilers used, which no longer grows once everything is compiled
 */
public record ProcessorTime(long used, long compilers) {
    /** Zero. */
    public static final ProcessorTime NONE = new ProcessorTime(0, 0);

    /** Returns the time of a process by its id; zero if the process has ended. */
    public static ProcessorTime of(long pid) {
        ProcessorTime sum = NONE;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                sum = sum.plus(ofThread(thread));
            }
        } catch (IOException e) {
            return new ProcessorTime((long) (Meter.cpuSeconds(pid) * 1e9), 0);
        }
        return sum;
    }

    private static ProcessorTime ofThread(Path thread) {
        try {
            long used =
                    Long.parseLong(Files.readString(thread.resolve("schedstat")).split("\\s", 2)[0]);
            boolean compiler = Files.readString(thread.resolve("comm")).matches("C[12] CompilerThre.*\\s*");
            return new ProcessorTime(used, compiler ? used : 0);
        } catch (IOException e) {
            return NONE; // It has just ended.
        }
    }

    /** The sum of both. */
    public ProcessorTime plus(ProcessorTime other) {
        return new ProcessorTime(used + other.used, compilers + other.compilers);
    }

    /** Returns the time used since another moment. */
    public ProcessorTime minus(ProcessorTime before) {
        return new ProcessorTime(used - before.used, compilers - before.compilers);
    }
}
