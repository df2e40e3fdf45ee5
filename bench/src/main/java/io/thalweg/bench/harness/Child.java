package io.thalweg.bench.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process started for a measurement: its lines are handed on as they come, its errors go to a file, its processor time is
 * read from the system.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class Child implements AutoCloseable {
    private static final int SHOWN_CHARS = 4_000;

    private final String name;
    private final Process process;
    private final Path errors;

    private Child(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
    }

    /** Starts a command in a folder; {@code lines} is called by a thread of its own. */
    public static Child start(
            String name, Path folder, Map<String, String> environment, List<String> command, Consumer<String> lines)
            throws IOException {
        Path errors = folder.resolve(name + ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Child child = new Child(name, builder.start(), errors);
        Thread reader = new Thread(() -> child.read(lines), name + "-lines");
        reader.setDaemon(true);
        reader.start();
        return child;
    }

    /** Starts a main class of this process's own class path. */
    public static Child java(
            String name, Path folder, List<String> options, Class<?> main, List<String> args, Consumer<String> lines)
            throws IOException {
        return java(name, folder, options, System.getProperty("java.class.path"), main, args, lines);
    }

    /** Starts a main class of a class path. */
    public static Child java(
            String name,
            Path folder,
            List<String> options,
            String classPath,
            Class<?> main,
            List<String> args,
            Consumer<String> lines)
            throws IOException {
        return start(name, folder, Map.of(), command(options, classPath, main, args), lines);
    }

    private static List<String> command(List<String> options, String classPath, Class<?> main, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(args);
        return command;
    }

    /**
     * Starts a main class of this process's own class path for the system to run it where others leave time, as if it were on
     * another machine; with the same claim as all others where {@code nice} is not there.
     */
    public static Child yielding(
            String name, Path folder, List<String> options, Class<?> main, List<String> args, Consumer<String> lines)
            throws IOException {
        Path nice = Path.of("/usr/bin/nice");
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(nice)) {
            command.addAll(List.of(nice.toString(), "-n", "19"));
        }
        command.addAll(command(options, System.getProperty("java.class.path"), main, args));
        return start(name, folder, Map.of(), command, lines);
    }

    private void read(Consumer<String> lines) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.accept(line);
            }
        } catch (IOException e) {
            // A killed process closes its streams under the reader.
        }
    }

    /** The number by which the system knows it. */
    public long pid() {
        return process.pid();
    }

    /** User and system time of the process so far. */
    public Duration processorTime() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Writes a line to the process's standard input. */
    public void tell(String line) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Fails if the process has ended.
     *
     * @throws IllegalStateException with the end of what it wrote to its standard error
     */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "%s ended with exit code %d: %s".formatted(name, process.exitValue(), said()));
        }
    }

    /** Whether a process does what it was started for. */
    public interface Probe {
        boolean isUp() throws InterruptedException;
    }

    /**
     * Waits until the process is up.
     *
     * @throws IllegalStateException if it has ended, or is not up in time
     */
    public void awaitUp(Probe probe, Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!probe.isUp()) {
            requireAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name + " does not answer after " + atMost);
            }
            Thread.sleep(100);
        }
    }

    /** The end of what it wrote to its standard error. */
    public String said() {
        try {
            String text = Files.readString(errors);
            return text.substring(Math.max(0, text.length() - SHOWN_CHARS)).strip();
        } catch (IOException e) {
            return "(" + errors + " cannot be read)";
        }
    }

    /** The exit code, once the process has ended. */
    public int awaitExit(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(name + " still runs after " + patience + ": " + said());
        }
        return process.exitValue();
    }

    /** Ends the process: asks it to, and kills it if it does not within some seconds. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        process.destroy();
        try {
            if (!process.waitFor(8, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
