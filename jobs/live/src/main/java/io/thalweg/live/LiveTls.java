package io.thalweg.live;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.thalweg.model.deployment.TrustedCertificates;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Mutual authentication between the processes of a job and the processes that read from them: both sides present a certificate that the
 * same authority has signed. As between the processes of Flink, names in certificates are not compared with hosts: the authority belongs
 * to the cluster and signs nothing else.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class LiveTls {
    private final SslContext server;
    private final SslContext client;

    private LiveTls(SslContextBuilder server, SslContextBuilder client, KeyStore authorities)
            throws GeneralSecurityException, IOException {
        X509TrustManager trust = new OfAnyHost(trust(authorities));
        this.server = GrpcSslContexts.configure(server, SslProvider.JDK)
                .trustManager(trust)
                .clientAuth(ClientAuth.REQUIRE)
                .build();
        this.client = GrpcSslContexts.configure(client, SslProvider.JDK)
                .trustManager(trust)
                .build();
    }

    /**
     * Creates TLS settings from Java key stores, as Flink has them.
     *
     * @throws GeneralSecurityException if they cannot be used
     */
    public static LiveTls ofStores(KeyManagerFactory own, KeyStore authorities)
            throws GeneralSecurityException, IOException {
        return new LiveTls(
                SslContextBuilder.forServer(own), SslContextBuilder.forClient().keyManager(own), authorities);
    }

    /**
     * Creates TLS settings from PEM files.
     *
     * @param certificate of this process, followed by those up to the authority's
     * @param key its private key, PKCS #8 without a password
     * @param ca authorities that sign the processes' certificates
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if a file is invalid
     */
    public static LiveTls ofFiles(Path certificate, Path key, Path ca) throws IOException, GeneralSecurityException {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null, null);
        for (X509Certificate each : TrustedCertificates.read(ca)) {
            authorities.setCertificateEntry("ca" + authorities.size(), each);
        }
        try {
            return new LiveTls(
                    SslContextBuilder.forServer(certificate.toFile(), key.toFile()),
                    SslContextBuilder.forClient().keyManager(certificate.toFile(), key.toFile()),
                    authorities);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException(
                    certificate + " must be PEM certificates and " + key + " their private key as PEM", e);
        }
    }

    private static X509TrustManager trust(KeyStore authorities) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authorities);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("this Java trusts no certificates"));
    }

    SslContext server() {
        return server;
    }

    SslContext client() {
        return client;
    }

    /** Delegates trust, but does not compare names with hosts, which gRPC demands of every connection. */
    private static final class OfAnyHost extends X509ExtendedTrustManager {
        private final X509TrustManager trust;

        OfAnyHost(X509TrustManager trust) {
            this.trust = trust;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            trust.checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkClientTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            trust.checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkServerTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }
}
