package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Child;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.redis.RedisAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * A redis-server on this machine that keeps everything in memory.
 *
 * @param port where it listens
 */
public record RedisServer(Child process, int port) implements StoreServer {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Pattern CLIENT_MEMORY = Pattern.compile(" tot-mem=(\\d+)");
    private static final String OPTIONS = "--port %d --bind 127.0.0.1 --appendonly no --save";

    /** Starts a server on a free port; its standard error is written to the folder. */
    public static RedisServer start(Path folder) throws IOException, InterruptedException {
        int port = Child.freePort();
        List<String> command = new ArrayList<>(
                List.of(ExecutableProvider.newJarResourceProvider().get().getAbsolutePath()));
        command.addAll(List.of(OPTIONS.formatted(port).split(" ", -1)));
        command.add(""); // never saves
        RedisServer server = new RedisServer(Child.start("redis", folder, Map.of(), command), port);
        server.process.await("answer", PATIENCE, () -> server.ask("PING").equals("PONG"));
        return server;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public StoreAddress address() {
        return address(port);
    }

    static StoreAddress address(int port) {
        String uri = uri(port);
        return new RedisAddress(uri, new DeploymentConfig.RedisServer(URI.create(uri), null), PROJECT);
    }

    private static String uri(int port) {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public String yaml() {
        return "{type: redis, uri: \"%s\", project: %s}".formatted(uri(port), PROJECT);
    }

    @Override
    public void clear() throws IOException {
        String unused = ask("FLUSHALL");
    }

    @Override
    public double processorSeconds() throws IOException {
        return Double.parseDouble(info("cpu", "used_cpu_user:")) + Double.parseDouble(info("cpu", "used_cpu_sys:"));
    }

    /** Returns the bytes of memory of its data, without the buffers of connections, which come and go. */
    public long usedMemory() throws IOException {
        long used = Long.parseLong(info("memory", "used_memory:"));
        Matcher clients = CLIENT_MEMORY.matcher(ask("CLIENT", "LIST"));
        return used
                - clients.results()
                        .mapToLong(client -> Long.parseLong(client.group(1)))
                        .sum();
    }

    /** Returns the value of a name in a section. */
    private String info(String section, String name) throws IOException {
        return ask("INFO", section)
                .lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElseThrow(() -> new IOException("Redis does not report " + name))
                .substring(name.length());
    }

    private String ask(String... words) throws IOException {
        try (RedisPipe pipe = new RedisPipe(port)) {
            Object reply = pipe.ask(Stream.of(words).map(RedisPipe::bytes).toArray(byte[][]::new));
            return new String((byte[]) Objects.requireNonNull(reply), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
