package io.thalweg.model.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads the certificates that TLS trusts. */
public final class TrustedCertificates {
    private TrustedCertificates() {}

    /**
     * Creates a context for clients.
     *
     * @param ca PEM certificates; null = those that Java trusts
     * @throws IOException if the file cannot be read
     * @throws GeneralSecurityException if it is not PEM
     */
    public static SSLContext context(@Nullable Path ca) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers(ca).getTrustManagers(), null);
        return context;
    }

    static TrustManagerFactory managers(@Nullable Path ca) throws IOException, GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(ca == null ? null : store(read(ca)));
        return trust;
    }

    private static KeyStore store(List<X509Certificate> certificates) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (X509Certificate each : certificates) {
            store.setCertificateEntry("ca" + store.size(), each);
        }
        return store;
    }

    /**
     * Reads the certificates of a PEM file, at least one.
     *
     * @throws IOException if the file cannot be read
     * @throws CertificateException if it is not PEM, or contains none
     */
    public static List<X509Certificate> read(Path file) throws IOException, CertificateException {
        try (InputStream in = Files.newInputStream(file)) {
            List<X509Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (all.isEmpty()) {
                throw new CertificateException("it holds none");
            }
            return all;
        }
    }
}
