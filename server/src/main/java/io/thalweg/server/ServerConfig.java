package io.thalweg.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * Where and how the server listens.
 *
 * @param bind a loopback address or name: this version has neither TLS nor tokens, without which no other may be bound
 * @param port 0 = any free one
 * @param readThreads reads that run at once
 * @param queuedReads reads that may wait for a thread; further ones are refused as RESOURCE_EXHAUSTED
 * @param drain how long a stop waits for requests under way
 * @param requestTimeout after which a request is answered DEADLINE_EXCEEDED
 */
public record ServerConfig(
        String bind, int port, int readThreads, int queuedReads, Duration drain, Duration requestTimeout) {
    public ServerConfig {
        requireLoopback(bind);
        require(port >= 0 && port <= 65_535, "server.port must be from 0 to 65535, was " + port);
        require(readThreads >= 1, "server.read_threads must be at least 1, was " + readThreads);
        require(queuedReads >= 1, "server.queued_reads must be at least 1, was " + queuedReads);
        require(!drain.isNegative(), "server.drain must not be negative, was " + drain);
        require(requestTimeout.toMillis() > 0, "server.request_timeout must be at least 1ms, was " + requestTimeout);
    }

    /** On 127.0.0.1, with what suits one machine. */
    public static ServerConfig loopback(int port) {
        int threads = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        return new ServerConfig("127.0.0.1", port, threads, 256, Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    /** The same elsewhere. */
    public ServerConfig withBind(String other) {
        return new ServerConfig(other, port, readThreads, queuedReads, drain, requestTimeout);
    }

    private static void requireLoopback(String bind) {
        try {
            require(
                    InetAddress.getByName(bind).isLoopbackAddress(),
                    "server.bind must be a loopback address, such as 127.0.0.1, for this version has neither server.tls nor"
                            + " server.auth; was '" + bind + "'");
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("server.bind must be an address of this machine, was '" + bind + "'", e);
        }
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
