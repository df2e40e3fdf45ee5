package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.row.Progress;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.TestCertificate;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that requires TLS, and one whose user may do only what {@code docs/reference/redis.md} lists. */
@Timeout(120)
@SuppressWarnings("NullAway.Init")
class RedisSecurityTest {
    private static final String COMMANDS =
            "+info +eval +evalsha +mget +get +exists +set +hget +hmget +hgetall +hlen +hset +hdel +del +pttl +pexpire"
                    + " +zadd +zscore +zrangebyscore +zremrangebyscore";

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(SmallView.T0));

    private void writeAndRead(OnlineStore store) {
        store.write(SmallView.VIEW, RedisTroubleTest.blocks(SmallView.T0));
        store.writeProgress(new Progress(SmallView.VIEW.qualifiedName(), 0, 1, SmallView.T0));
        assertThat(RedisTroubleTest.read(store)).doesNotContainNull();
        assertThat(store.watermark(SmallView.VIEW.qualifiedName())).hasValue(SmallView.T0);
        assertThat(store.coverage(SmallView.VIEW)).isNotEmpty();
    }

    @Test
    void open_userWithTheListedCommands_mayDoAll() {
        String user = "--user market on >s3cret ~* &* -@all " + COMMANDS;
        try (RedisProcess server = RedisProcess.start(folder, user.split(" ", -1));
                OnlineStore store = RedisOnlineStore.open(
                        URI.create("redis://market:s3cret@127.0.0.1:" + server.port()), "t", clock)) {
            writeAndRead(store);
        }
    }

    @Test
    void open_tls_trustsTheGivenAuthorityOnly() throws Exception {
        TestCertificate own = TestCertificate.create(folder, "redis");
        TestCertificate other = TestCertificate.create(folder, "other");
        try (RedisProcess server = RedisProcess.start(folder);
                TlsProxy proxy = new TlsProxy(server.port(), own)) {
            try (OnlineStore store =
                    RedisOnlineStore.open(proxy.uri(), own.certificate().toString(), "t", clock)) {
                writeAndRead(store);
            }
            assertThatThrownBy(() -> RedisOnlineStore.open(
                            proxy.uri(), other.certificate().toString(), "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(proxy.uri().toString())
                    .hasMessageContaining("store.tls.ca");
            assertThatThrownBy(() -> RedisOnlineStore.open(proxy.uri(), "t", clock))
                    .as("an authority that Java does not trust")
                    .isInstanceOf(StoreException.class);
        }
    }

    /** Ends TLS in front of a server: the one that tests run has none built in. */
    private static final class TlsProxy extends Relay {
        TlsProxy(int serverPort, TestCertificate certificate) throws Exception {
            super(
                    serverPort,
                    context(certificate)
                            .getServerSocketFactory()
                            .createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            start();
        }

        private static SSLContext context(TestCertificate certificate) throws Exception {
            String pem = Files.readString(certificate.key()).replaceAll("-----[A-Z ]+-----|\\s", "");
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            try (InputStream in = Files.newInputStream(certificate.certificate())) {
                keys.setKeyEntry(
                        "key",
                        KeyFactory.getInstance("EC")
                                .generatePrivate(new PKCS8EncodedKeySpec(
                                        Base64.getDecoder().decode(pem))),
                        new char[0],
                        new Certificate[] {
                            CertificateFactory.getInstance("X.509").generateCertificate(in)
                        });
            }
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        }

        URI uri() {
            return URI.create("rediss://localhost:" + port());
        }
    }
}
