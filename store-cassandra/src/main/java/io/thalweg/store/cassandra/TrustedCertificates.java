package io.thalweg.store.cassandra;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Whom TLS trusts. */
final class TrustedCertificates {
    private TrustedCertificates() {}

    /**
     * A context for clients.
     *
     * @param ca PEM certificates; null = those that Java trusts
     */
    static SSLContext context(@Nullable Path ca) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(ca == null ? null : read(ca));
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore read(Path ca) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(ca)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + store.size(), each);
            }
        }
        if (store.size() == 0) {
            throw new IOException("it holds none");
        }
        return store;
    }
}
