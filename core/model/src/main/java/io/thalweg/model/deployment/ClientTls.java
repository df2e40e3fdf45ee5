package io.thalweg.model.deployment;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of connections to a server, whose name must match its certificate. The files are read where the connection is
 * opened: for a job on a Flink cluster, on the machines of its tasks.
 *
 * <p><b>Errors.</b> A file that cannot be used is an {@link IOException} whose message begins with its key, such as {@code ca}.
 * <b>Threads.</b> Immutable.
 *
 * @param ca PEM file of the certificates to trust; null = those that Java trusts
 * @param certificate PEM file of the certificate that the client presents, followed by those of intermediate authorities; null =
 *     none
 * @param key PEM file of its private key, PKCS #8 without a password; null if and only if there is no certificate
 */
public record ClientTls(
        @Nullable String ca,
        @Nullable String certificate,
        @Nullable String key) implements Serializable {
    /** Presents no certificate, and trusts those that Java trusts. */
    public static final ClientTls DEFAULT = new ClientTls(null, null, null);

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----\\s+([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public ClientTls(@Nullable String ca, @Nullable String certificate, @Nullable String key) {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("certificate and key must be given together");
        }
        this.ca = ca;
        this.certificate = certificate;
        this.key = key;
    }

    /** Creates settings that trust {@code ca} and present no certificate. */
    public static ClientTls trusting(@Nullable String ca) {
        return new ClientTls(ca, null, null);
    }

    /** Reads the certificates that a connection trusts. */
    public TrustManagerFactory trust() throws IOException {
        try {
            return TrustedCertificates.managers(ca == null ? null : Path.of(ca));
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException(
                    ca == null
                            ? "ca is not set, and the certificates that Java trusts cannot be read: " + e
                            : "ca '" + ca + "' must be a file of PEM certificates: " + e,
                    e);
        }
    }

    /** Reads the certificate that a connection presents; null = none. */
    public @Nullable KeyManagerFactory identity() throws IOException {
        if (certificate == null || key == null) {
            return null;
        }
        X509Certificate[] chain;
        try {
            chain = TrustedCertificates.read(Path.of(certificate)).toArray(X509Certificate[]::new);
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException("certificate '" + certificate + "' must be a file of PEM certificates: " + e, e);
        }
        PrivateKey own;
        try {
            own = privateKey(Path.of(key));
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException(
                    "key '" + key + "' must be a PEM file of a PKCS #8 private key without a password: " + e, e);
        }
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("client", own, new char[0], chain);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            return managers;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "certificate '" + certificate
                            + "' must begin with the client's certificate, each followed by that of its issuer: " + e,
                    e);
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        Matcher pem = KEY.matcher(Files.readString(file));
        if (!pem.find()) {
            throw new InvalidKeySpecException("it has no BEGIN PRIVATE KEY");
        }
        PKCS8EncodedKeySpec encoded;
        try {
            encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        } catch (IllegalArgumentException e) {
            throw new InvalidKeySpecException("its Base64 is damaged", e);
        }
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // the key is of another algorithm
            }
        }
        return KeyFactory.getInstance("EdDSA").generatePrivate(encoded);
    }

    /** Creates a context for connections. */
    public SSLContext context() throws IOException {
        KeyManagerFactory identity = identity();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity == null ? null : identity.getKeyManagers(), trust().getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("this Java cannot make a context of TLS: " + e, e);
        }
    }
}
