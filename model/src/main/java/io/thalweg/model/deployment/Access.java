package io.thalweg.model.deployment;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the server's ports.
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

    /** Whether the ports may be reached from other machines. */
    public boolean isProtected() {
        return tls != null && authenticates();
    }

    /** {@code http} or {@code https}. */
    public String scheme() {
        return tls == null ? "http" : "https";
    }
}
