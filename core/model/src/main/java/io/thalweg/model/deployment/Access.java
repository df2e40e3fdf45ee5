package io.thalweg.model.deployment;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the server's ports.
 *
 * @param tls null = connections are not encrypted
 * @param callers file of the callers, watched for changes; null = none
 * @param oidc issuer whose tokens prove a caller's name; null = none
 * @param insecure whether an address beyond loopback may be bound without TLS and authentication
 */
public record Access(
        @Nullable Tls tls, @Nullable Path callers, @Nullable Oidc oidc, boolean insecure) {
    /** Open to all programs of this machine. */
    public static final Access OPEN = new Access(null, null, false);

    /** Creates access rules without a token issuer. */
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
     * @param issuer required value of the claim {@code iss}
     * @param audience required element of the claim {@code aud}
     * @param jwks location of the issuer's public keys: https, http of a loopback host, or a file; null = as its OpenID
     *     configuration states
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
        /**
         * Parses an address whose responses cannot be altered in transit: https, or http of this machine; otherwise returns null.
         */
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

    /** Whether requests must be authenticated. */
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
