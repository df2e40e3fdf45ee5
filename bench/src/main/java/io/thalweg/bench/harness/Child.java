package io.thalweg.bench.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A process that is started for a measurement: its output is passed on line by line, its errors are written to a file, and the
 * system reports its CPU time.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class Child implements AutoCloseable {
    private static final int SHOWN_CHARS = 4_000;
    private static final long PROBE_MS = 50;
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final String name;
    private final Process process;
    private final Path errors;

    private Child(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
    }

    /** Starts a command in a folder; a separate thread calls {@code lines}. */
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

    /** Starts a main class with this process's class path. */
    public static Child java(
            String name, Path folder, List<String> options, Class<?> main, List<String> args, Consumer<String> lines)
            throws IOException {
        return java(name, folder, List.of(), options, main, args, lines);
    }

    /** Starts a main class with a prefix such as {@link #yielding} or {@link #pinned}. */
    public static Child java(
            String name,
            Path folder,
            List<String> prefix,
            List<String> options,
            Class<?> main,
            List<String> args,
            Consumer<String> lines)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(command(options, System.getProperty("java.class.path"), main, args));
        return start(name, folder, Map.of(), command, lines);
    }

    /** Starts a main class with a class path. */
    static Child java(
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
     * Returns a prefix that runs a process with the lowest priority, as if it were on another machine; empty if {@code nice} is
     * not available.
     */
    public static List<String> yielding() {
        return prefix("/usr/bin/nice", "-n", "19");
    }

    /**
     * Returns a prefix that pins a process to one processor; empty if the machine has only one, or {@code taskset} is not
     * available.
     */
    public static List<String> pinned(int cpu) {
        return Runtime.getRuntime().availableProcessors() > 1
                ? prefix("/usr/bin/taskset", "-c", Integer.toString(cpu))
                : List.of();
    }

    private static List<String> prefix(String... command) {
        return Files.isExecutable(Path.of(command[0])) ? List.of(command) : List.of();
    }

    private void read(Consumer<String> lines) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.accept(line);
            }
        } catch (IOException e) {
            // Killing a process closes its streams under the reader.
        }
    }

    /** The process id. */
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
     * @throws IllegalStateException with the end of its standard error
     */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "%s ended with exit code %d: %s".formatted(name, process.exitValue(), said()));
        }
    }

    /** A condition. If evaluating it fails with an {@link IOException}, it does not hold yet. */
    public interface Probe {
        boolean isTrue() throws IOException, InterruptedException;
    }

    /**
     * Waits until a condition that depends on this process holds.
     *
     * @param what is awaited, for the message
     * @throws IllegalStateException if the process has ended, or the condition does not hold in time; the process is then ended
     */
    public void await(String what, Duration atMost, Probe probe) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        try {
            while (!isTrue(probe)) {
                requireAlive();
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("%s: no %s after %s".formatted(name, what, atMost));
                }
                Thread.sleep(PROBE_MS);
            }
        } catch (RuntimeException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /** Waits until the process answers {@code GET} of a path with 200, on a port of this machine. */
    public void awaitHttp(int port, String path, Duration atMost) throws InterruptedException {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(ANSWER)
                .build();
        await(
                "answer",
                atMost,
                () -> http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200);
    }

    private static boolean isTrue(Probe probe) throws InterruptedException {
        try {
            return probe.isTrue();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Waits until the process has printed something.
     *
     * @param what is awaited
     * @param said completed by the consumer of its lines
     * @throws IllegalStateException with the end of its standard error, if that does not happen in time; the process is then
     *     ended
     */
    public <T> T await(String what, CompletableFuture<T> said, Duration atMost) throws InterruptedException {
        try {
            return said.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw new IllegalStateException("%s: no %s after %s: %s".formatted(name, what, atMost, said()), e);
        }
    }

    /** The end of its standard error. */
    public String said() {
        try {
            String text = Files.readString(errors);
            return text.substring(Math.max(0, text.length() - SHOWN_CHARS)).strip();
        } catch (IOException e) {
            return "(" + errors + " cannot be read)";
        }
    }

    /** Waits for the end of the process and returns its exit code. */
    public int awaitExit(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(name + " still runs after " + patience + ": " + said());
        }
        return process.exitValue();
    }

    /** Kills the process without a chance to clean up; returns when it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops the process, and kills it if it has not ended within some seconds. */
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
                process.destroyForcibly().waitFor(8, TimeUnit.SECONDS); // its folder may be deleted next
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
