package io.thalweg.model.deployment;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the server's ports.
 *
 * @param tls null = connections are not encrypted
 * @param callers file of the callers, watched; null = there is none
 * @param oidc whose tokens prove a caller's name; null = no issuer's
 * @param insecure whether an address beyond loopback may be bound without TLS and authentication
 */
public record Access(
        @Nullable Tls tls, @Nullable Path callers, @Nullable Oidc oidc, boolean insecure) {
    /** For all programs of this machine. */
    public static final Access OPEN = new Access(null, null, false);

    /** The same without an issuer. */
    public Access(@Nullable Tls tls, @Nullable Path callers, boolean insecure) {
        this(tls, callers, null, insecure);
    }

    /**
     * Encrypted connections.
     *
     * @param certificate PEM file of the server's certificate and those up to the authority's; read again when it changes
     * @param key PEM file of its private key, PKCS #8
     * @param clientCa PEM file of the authorities whose certificates prove a caller's name; null = certificates prove nothing
     */
    public record Tls(Path certificate, Path key, @Nullable Path clientCa) {}

    /**
     * An issuer of JSON Web Tokens, such as the provider of a single sign-on.
     *
     * @param issuer what the claim {@code iss} must be
     * @param audience what the claim {@code aud} must contain
     * @param jwks where the issuer's public keys are: https, http of a loopback host, or a file; null = where its OpenID
     *     configuration says
     * @param ca PEM file of the authorities of these addresses; null = those that Java trusts
     * @param nameClaim claim with the caller's name
     * @param roleClaim claim with a list of roles, or a text of several; may be a path of claims, separated by dots
     * @param reader role that readers need; null = every accepted token is a reader's
     * @param operator role that makes an operator; null = no token is an operator's
     */
    public record Oidc(
            String issuer,
            String audience,
            @Nullable URI jwks,
            @Nullable Path ca,
            String nameClaim,
            String roleClaim,
            @Nullable String reader,
            @Nullable String operator) {
        /** The address in a text, if its answers cannot be changed on the way: https, or http of this machine; else null. */
        public static @Nullable URI address(String text) {
            try {
                URI address = new URI(text);
                boolean isLocal =
                        address.getHost() != null && address.getHost().matches("localhost|127\\.[0-9.]+|\\[::1]");
                boolean isSafe = "https".equals(address.getScheme()) || ("http".equals(address.getScheme()) && isLocal);
                return isSafe && address.getHost() != null ? address : null;
            } catch (URISyntaxException e) {
                return null;
            }
        }
    }

    /** Whether requests must prove who sends them. */
    public boolean authenticates() {
        return callers != null || oidc != null || (tls != null && tls.clientCa() != null);
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
