package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/** A redis-server of this machine, in memory only. */
public final class RedisServer implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;
    private static final Pattern CLIENT_MEMORY = Pattern.compile(" tot-mem=(\\d+)");

    private final Child process;
    private final int port;

    private RedisServer(Child process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on a free port; what it says of errors is in the folder. */
    public static RedisServer start(Path folder) throws IOException, InterruptedException {
        int port = Ports.free();
        List<String> command = List.of(
                ExecutableProvider.newJarResourceProvider().get().getAbsolutePath(),
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no");
        CompletableFuture<Boolean> ready = new CompletableFuture<>();
        Child process = Child.start("redis", folder, Map.of(), command, line -> {
            if (line.contains("Ready to accept connections")) {
                ready.complete(true);
            }
        });
        try {
            ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return new RedisServer(process, port);
        } catch (ExecutionException | TimeoutException e) {
            process.close();
            throw new IllegalStateException("redis-server did not start: " + process.said(), e);
        }
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Its process. */
    public long pid() {
        return process.pid();
    }

    /** Where clients connect. */
    public URI uri() {
        return URI.create("redis://127.0.0.1:" + port);
    }

    /** Deletes all that it holds. */
    public void clear() throws IOException {
        say("FLUSHALL", "");
    }

    /** Such as 6.2.11. */
    public String version() throws IOException {
        return say("INFO server", "redis_version:");
    }

    /** Of all its threads, so far. */
    public double processorSeconds() throws IOException {
        return Double.parseDouble(say("INFO cpu", "used_cpu_user:"))
                + Double.parseDouble(say("INFO cpu", "used_cpu_sys:"));
    }

    /** Bytes of memory that it has taken for what it holds, and not for the buffers of connections, which come and go. */
    public long usedMemory() throws IOException {
        long used = Long.parseLong(say("INFO memory", "used_memory:"));
        Matcher clients = CLIENT_MEMORY.matcher(ask("CLIENT LIST", String::isEmpty));
        return used
                - clients.results()
                        .mapToLong(client -> Long.parseLong(client.group(1)))
                        .sum();
    }

    /** What follows a name in the answer. */
    private String say(String command, String name) throws IOException {
        String answer = ask(command, line -> line.startsWith(name) || line.startsWith("-"));
        return answer.substring(answer.lastIndexOf('\n') + 1).substring(name.length());
    }

    /** The answer up to a line that ends it. */
    private String ask(String command, Predicate<String> isLast) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_SECONDS * 1_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder answer = new StringBuilder();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answer.append('\n').append(line);
                if (isLast.test(line)) {
                    return answer.toString();
                }
            }
            throw new IOException("Redis did not answer " + command);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
