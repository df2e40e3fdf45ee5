package io.thalweg.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A child process whose output is collected line by line while it runs.
 *
 * <p><b>Errors.</b> An expected line or exit that does not arrive in time is an {@link AssertionError} that shows the command and
 * its last lines. <b>Threads.</b> Safe to share. {@link #close} kills the process and its descendants and waits for them to
 * end, because until then they may write to folders that the test deletes.
 */
public final class Subprocess implements AutoCloseable {
    private static final int SHOWN_LINES = 60;
    /** The bit of signal 2 in the masks of {@code /proc}. */
    private static final long SIGINT_BIT = 1L << 1;

    private final List<String> command;
    private final Process process;
    private final List<Thread> readers;
    /** Guards both lists of lines; notified at every line and when a stream ends. */
    private final Object lock = new Object();

    private final List<String> stdout = new ArrayList<>();
    private final List<String> stderr = new ArrayList<>();
    private int openStreams = 2;

    private Subprocess(List<String> command, Process process) {
        this.command = List.copyOf(command);
        this.process = process;
        this.readers = List.of(
                reader(process.getInputStream(), stdout, "stdout"), reader(process.getErrorStream(), stderr, "stderr"));
    }

    /** The signals a test may send. */
    public enum Signal {
        TERM,
        KILL,
        INT
    }

    /** Starts {@code command} in {@code directory} with {@code environment} added to this process's own. */
    public static Subprocess start(Path directory, Map<String, String> environment, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        try {
            Subprocess started = new Subprocess(command, builder.start());
            started.readers.forEach(Thread::start);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    /** Starts {@code command} in the current directory. */
    public static Subprocess start(String... command) {
        return start(Path.of("."), Map.of(), List.of(command));
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The lines of the standard output so far. */
    public List<String> stdout() {
        synchronized (lock) {
            return List.copyOf(stdout);
        }
    }

    /** The lines of the standard error so far. */
    public List<String> stderr() {
        synchronized (lock) {
            return List.copyOf(stderr);
        }
    }

    /** Waits for a line of either stream in which {@code regex} is found, and returns the first one. */
    public String awaitLine(String regex, Duration timeout) {
        Pattern pattern = Pattern.compile(regex);
        long deadline = System.nanoTime() + timeout.toNanos();
        synchronized (lock) {
            while (true) {
                String line = firstMatch(pattern);
                if (line != null) {
                    return line;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0 || openStreams == 0) {
                    throw new AssertionError("no line matches /" + regex + "/ "
                            + (left <= 0 ? "within " + timeout : "and the output has ended") + "; " + description());
                }
                waitOnLock(left);
            }
        }
    }

    /** Waits for the process to end; returns whether it did in time. */
    public boolean ends(Duration timeout) {
        try {
            return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command, e);
        }
    }

    /** Waits until the process has ended and all its output is read; returns the exit code. */
    public int awaitExit(Duration timeout) {
        try {
            if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("still running after " + timeout + "; " + description());
            }
            for (Thread reader : readers) {
                reader.join(timeout.toMillis());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command, e);
        }
    }

    /** Sends a signal to this process alone. Nothing happens if it has ended. */
    public void signal(Signal signal) {
        if (!process.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + signal + " to " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Sends Ctrl-C, or SIGTERM if the process ignores SIGINT. A process ignores it if the shell that started the build does:
     * a script runs its background jobs so, and a shell or a JVM that starts with SIGINT ignored cannot catch it. Where
     * {@code /proc} is missing, it is SIGINT.
     */
    public void interrupt() {
        signal(ignoresInterrupts() ? Signal.TERM : Signal.INT);
    }

    private boolean ignoresInterrupts() {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status")).stream()
                    .filter(line -> line.startsWith("SigIgn:"))
                    .map(line -> line.substring("SigIgn:".length()).strip())
                    .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & SIGINT_BIT) != 0);
        } catch (IOException e) {
            return false; // no /proc, or the process has ended
        }
    }

    /** Writes {@code text} to the standard input and closes it. */
    public void writeAndCloseInput(String text) {
        try (var input = process.getOutputStream()) {
            input.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to " + command, e);
        }
    }

    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        CompletableFuture.allOf(all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private Thread reader(InputStream stream, List<String> lines, String name) {
        Thread thread = new Thread(() -> readLines(stream, lines), name + "-of-" + process.pid());
        thread.setDaemon(true);
        return thread;
    }

    private void readLines(InputStream stream, List<String> lines) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lock) {
                    lines.add(line);
                    lock.notifyAll();
                }
            }
        } catch (IOException e) {
            // A killed process closes its streams under the reader, which also ends the output.
            synchronized (lock) {
                lines.add("[output broke off: " + e.getMessage() + "]");
            }
        } finally {
            synchronized (lock) {
                openStreams--;
                lock.notifyAll();
            }
        }
    }

    private @Nullable String firstMatch(Pattern pattern) {
        for (List<String> lines : List.of(stdout, stderr)) {
            for (String line : lines) {
                if (pattern.matcher(line).find()) {
                    return line;
                }
            }
        }
        return null;
    }

    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private void waitOnLock(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(lock, Math.max(nanos, 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a line of " + command, e);
        }
    }

    private String description() {
        return command + "\nstdout:\n" + tail(stdout()) + "\nstderr:\n" + tail(stderr());
    }

    private static String tail(List<String> lines) {
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    }
}
