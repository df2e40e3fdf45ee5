package io.thalweg.bench.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A process that is started for a measurement: its output is passed on line by line, its errors are written to a file, and the
 * system reports its CPU time.
 *
 * <p><b>Threads.</b> Safe to share.
 *
 * @param errors the file of its standard error
 * @param firstLines of a Java process, by their first words; completed with the rest of the line
 */
public record Child(String name, Process process, Path errors, Map<String, CompletableFuture<String>> firstLines)
        implements AutoCloseable {
    private static final int SHOWN_CHARS = 4_000;
    private static final long PROBE_MS = 50;
    private static final long LOOK_MS = 20;
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /**
     * A main class.
     *
     * @param prefix of the command, such as {@link #yielding} or {@link #pinned}
     * @param options of the JVM
     */
    public record Program(List<String> prefix, List<String> options, String classPath, Class<?> main) {
        /** Creates a program with this process's class path. */
        public static Program of(Class<?> main, String... options) {
            return new Program(List.of(), List.of(options), System.getProperty("java.class.path"), main);
        }

        /** Returns a copy with a prefix. */
        public Program with(List<String> newPrefix) {
            return new Program(newPrefix, options, classPath, main);
        }

        Program withOptions(List<String> more) {
            return new Program(
                    prefix, Stream.concat(more.stream(), options.stream()).toList(), classPath, main);
        }

        private List<String> command(Record... order) {
            List<String> command = new ArrayList<>(prefix);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(options);
            command.addAll(List.of("-cp", classPath, main.getName()));
            Stream.of(order).map(Messages::line).forEach(command::add);
            return command;
        }
    }

    /** A condition. If evaluating it fails with an {@link IOException}, it does not hold yet. */
    public interface Probe {
        boolean isTrue() throws IOException, InterruptedException;
    }

    /** Starts a command in a folder; its output is discarded. */
    public static Child start(String name, Path folder, Map<String, String> environment, List<String> command)
            throws IOException {
        Path errors = folder.resolve(name + ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process =
                builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return new Child(name, process, errors, Map.of());
    }

    /**
     * Starts a program in a folder.
     *
     * @param lines receives its output, on a separate thread
     * @param order its argument, if it has any
     */
    public static Child java(String name, Path folder, Program program, Consumer<String> lines, Record... order)
            throws IOException {
        Path errors = folder.resolve(name + ".err");
        Process process = new ProcessBuilder(program.command(order))
                .directory(folder.toFile())
                .redirectError(errors.toFile())
                .start();
        Child child = new Child(name, process, errors, new ConcurrentHashMap<>());
        Thread reader = new Thread(() -> child.read(lines), name + "-lines");
        reader.setDaemon(true);
        reader.start();
        return child;
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

    /** Returns a port of the loopback interface on which no process listened a moment ago. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Consumer<String> lines) {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.accept(line);
                String[] words = line.split(" ", 2);
                firstLine(words[0]).complete(words.length > 1 ? words[1] : "");
            }
        } catch (IOException e) {
            // Killing a process closes its streams under the reader.
        }
    }

    private CompletableFuture<String> firstLine(String word) {
        return firstLines.computeIfAbsent(word, unused -> new CompletableFuture<>());
    }

    public long pid() {
        return process.pid();
    }

    /** User and system time of the process so far. */
    public double cpuSeconds() {
        return Meter.cpuSeconds(pid());
    }

    /** Writes a line to the process's standard input. */
    public void tell(String line) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
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

    private static boolean isTrue(Probe probe) throws InterruptedException {
        try {
            return probe.isTrue();
        } catch (IOException e) {
            return false;
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

    /**
     * Waits until a Java process has printed a line that begins with a word, and returns the rest of the first such line.
     *
     * @throws IllegalStateException with the end of its standard error, if that does not happen in time; the process is then
     *     ended
     */
    public String await(String word, Duration atMost) throws InterruptedException {
        try {
            return firstLine(word).get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw new IllegalStateException("%s: no %s after %s: %s".formatted(name, word, atMost, said()), e);
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

    /**
     * The cost of a process from its start to its end.
     *
     * @param cpuSeconds user and system time
     * @param residentPeakBytes the most memory it used; 0 if the system does not report it
     */
    public record Cost(double seconds, double cpuSeconds, long residentPeakBytes) {}

    /**
     * Waits for the end of a process that was just started and returns what it cost, as the system reported it a moment before the end.
     *
     * @throws IllegalStateException with the end of its standard error, if it fails or does not end in time
     */
    public Cost costToTheEnd(Duration patience) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        double cpuSeconds = 0;
        long peakBytes = 0;
        while (!process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS) && System.nanoTime() - begun < patience.toNanos()) {
            cpuSeconds = Math.max(cpuSeconds, cpuSeconds());
            peakBytes = Math.max(peakBytes, Meter.residentPeakBytes(pid()));
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (awaitExit(Duration.ZERO) != 0) {
            throw new IllegalStateException(
                    "%s ended with exit code %d: %s".formatted(name, process.exitValue(), said()));
        }
        return new Cost(seconds, cpuSeconds, peakBytes);
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
