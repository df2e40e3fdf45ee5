package io.thalweg.server.access;

import com.linecorp.armeria.common.CommonPools;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.TlsProvider;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerTlsConfig;
import io.netty.handler.ssl.ClientAuth;
import io.thalweg.model.deployment.Access;
import io.thalweg.model.deployment.TrustedCertificates;
import io.thalweg.server.http.ServerStartException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate and key of a port, reloaded every ten seconds, so a renewed certificate does not need a restart. If a pair is
 * broken, that is logged, and the last one stays in use. The authorities of clients are read once.
 *
 * <p><b>Threads.</b> Safe.
 */
final class TlsFiles {
    private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
    private static final String CLIENT_CA = "server.tls.client_ca";
    private static final Duration READ_EVERY = Duration.ofSeconds(10);
    /** Signature algorithms by the algorithm of the key, which the certificate shares. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private final Access.Tls files;
    private final Duration readEvery;
    private final List<X509Certificate> clientCa;
    private volatile TlsKeyPair pair;

    /**
     * Reads the files.
     *
     * @throws ServerStartException if one of them cannot be used
     */
    TlsFiles(Access.Tls files) {
        this(files, READ_EVERY);
    }

    TlsFiles(Access.Tls files, Duration readEvery) {
        this.files = files;
        this.readEvery = readEvery;
        try {
            pair = requireMatching(readPair());
            Path ca = files.clientCa();
            clientCa = ca == null ? List.of() : authorities(ca);
        } catch (UnusableException e) {
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    private static final class UnusableException extends Exception {
        UnusableException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Configures a server. Client certificates are requested, not required, because other callers have tokens. */
    void addTo(ServerBuilder server) {
        ServerTlsConfig config = ServerTlsConfig.builder()
                .clientAuth(clientCa.isEmpty() ? ClientAuth.NONE : ClientAuth.OPTIONAL)
                .build();
        server.tlsProvider(
                TlsProvider.ofScheduled(
                        this::renewed, clientCa, read -> {}, readEvery, CommonPools.blockingTaskExecutor()),
                config);
    }

    /** The time until the certificate expires, in seconds. */
    double secondsLeft(Clock now) {
        X509Certificate leaf = pair.certificateChain().get(0);
        return now.instant().until(leaf.getNotAfter().toInstant(), ChronoUnit.MILLIS) / 1e3;
    }

    /** Reads the files again; returns the last pair that could be used. */
    TlsKeyPair renewed() {
        try {
            TlsKeyPair read = readPair();
            if (!read.equals(pair)) {
                pair = requireMatching(read);
                LOG.info("Reloaded the certificate in {}", files.certificate());
            }
        } catch (UnusableException e) {
            LOG.error("Cannot reload the certificate, so the last one stays in use: {}", e.getMessage());
        }
        return pair;
    }

    private TlsKeyPair readPair() throws UnusableException {
        requireReadable("server.tls.certificate", files.certificate());
        requireReadable("server.tls.key", files.key());
        try {
            return TlsKeyPair.of(files.key().toFile(), files.certificate().toFile());
        } catch (RuntimeException e) {
            throw new UnusableException(
                    "server.tls.certificate must be PEM certificates, the server's first, and server.tls.key their private key as"
                            + " PEM without a password; was %s and %s".formatted(files.certificate(), files.key()),
                    e);
        }
    }

    private TlsKeyPair requireMatching(TlsKeyPair read) throws UnusableException {
        if (!belongs(read.privateKey(), read.certificateChain().get(0).getPublicKey())) {
            throw new UnusableException(
                    "server.tls.key: %s is not the key of the first certificate in %s"
                            .formatted(files.key(), files.certificate()),
                    null);
        }
        return read;
    }

    private static List<X509Certificate> authorities(Path file) throws UnusableException {
        try {
            return TrustedCertificates.read(file);
        } catch (IOException e) {
            throw unreadable(CLIENT_CA, file, e);
        } catch (CertificateException e) {
            throw new UnusableException(CLIENT_CA + " must be PEM certificates, was " + file, e);
        }
    }

    private static void requireReadable(String key, Path file) throws UnusableException {
        try (InputStream in = Files.newInputStream(file)) {
            int unused = in.read();
        } catch (IOException e) {
            throw unreadable(key, file, e);
        }
    }

    private static UnusableException unreadable(String key, Path file, IOException e) {
        String reason = e instanceof NoSuchFileException ? "there is no such file" : String.valueOf(e.getMessage());
        return new UnusableException(key + ": " + file + " cannot be read: " + reason, e);
    }

    /** Whether the public key verifies what the private key signs. */
    private static boolean belongs(PrivateKey key, PublicKey certified) {
        String algorithm = SIGNATURES.get(key.getAlgorithm());
        try {
            if (algorithm == null) {
                return true; // such a key cannot be checked here; a handshake fails if it does not match
            }
            byte[] text = {1};
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
