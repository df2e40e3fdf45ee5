package io.thalweg.live;

import org.jspecify.annotations.Nullable;

/**
 * The address where a process of a job answers live reads, on a port that the system chooses.
 *
 * @param bind the address to listen on
 * @param host by which others reach the process
 * @param tls the mutual authentication with callers; null = every peer that reaches the port may read
 */
public record LiveAddress(
        String bind, String host, @Nullable LiveTls tls) {
    /** For this machine only. */
    public static final LiveAddress LOOPBACK = new LiveAddress("127.0.0.1", "127.0.0.1", null);
}
