package io.thalweg.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a port. Without TLS and authentication it listens on loopback only, unless the operator wants it otherwise.
 *
 * @param tls null = connections are not encrypted
 * @param callers file of the callers, watched; null = there is none
 * @param insecure whether an address beyond loopback may be bound without TLS and authentication
 */
public record Access(@Nullable Tls tls, @Nullable Path callers, boolean insecure) {
    /** For all programs of this machine. */
    public static final Access OPEN = new Access(null, null, false);

    /**
     * Encrypted connections.
     *
     * @param certificate PEM file of the server's certificate and those up to the authority's; read again when it changes
     * @param key PEM file of its private key, PKCS #8
     * @param clientCa PEM file of the authorities whose certificates prove a caller's name; null = certificates prove nothing
     */
    public record Tls(Path certificate, Path key, @Nullable Path clientCa) {}

    /** Whether requests must prove who sends them. */
    public boolean authenticates() {
        return callers != null || (tls != null && tls.clientCa() != null);
    }

    /** {@code http} or {@code https}. */
    public String scheme() {
        return tls == null ? "http" : "https";
    }

    /**
     * Requires that an address may be bound.
     *
     * @throws IllegalArgumentException if it is beyond loopback and not protected, or no address of this machine
     */
    void requireBindable(String bind) {
        if (!isLoopback(bind) && !isProtected() && !insecure) {
            throw new IllegalArgumentException(
                    "server.bind must be a loopback address, such as 127.0.0.1, unless server.tls and"
                            + " server.auth protect the port; was '" + bind + "'; server.insecure: true allows it");
        }
    }

    /** Whether the port is open to other machines without protection. */
    boolean isExposed(String bind) {
        return !isLoopback(bind) && !isProtected();
    }

    private boolean isProtected() {
        return tls != null && authenticates();
    }

    static boolean isLoopback(String bind) {
        try {
            return InetAddress.getByName(bind).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("server.bind must be an address of this machine, was '" + bind + "'", e);
        }
    }
}
