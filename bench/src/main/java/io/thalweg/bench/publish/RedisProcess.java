package io.thalweg.bench.publish;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import redis.embedded.RedisServer;

/** A Redis server of its own, without persistence. */
final class RedisProcess implements AutoCloseable {
    private final int port;
    private final RedisServer server;

    private RedisProcess(int port, RedisServer server) {
        this.port = port;
        this.server = server;
    }

    static RedisProcess start() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        RedisServer server = RedisServer.newRedisServer()
                .port(port)
                .setting("bind 127.0.0.1")
                .setting("save \"\"")
                .build();
        server.start();
        return new RedisProcess(port, server);
    }

    int port() {
        return port;
    }

    URI uri() {
        return URI.create("redis://127.0.0.1:" + port);
    }

    void clear() throws IOException {
        say("FLUSHALL", "");
    }

    String version() throws IOException {
        return say("INFO server", "redis_version:");
    }

    /** Of all its threads, so far. */
    double processorSeconds() throws IOException {
        return Double.parseDouble(say("INFO cpu", "used_cpu_user:"))
                + Double.parseDouble(say("INFO cpu", "used_cpu_sys:"));
    }

    /** What follows a name in the answer. */
    private String say(String command, String name) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(name) || line.startsWith("-")) {
                    return line.substring(name.length());
                }
            }
            throw new IOException("Redis did not answer " + command);
        }
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
