package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.lookup.LookupTable;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that speak only TLS, and users restricted to what {@code docs/reference/redis.md} lists. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class RedisSecurityIT {
    private static final String USER = "--user market on >s3cret ~* &* -@all"
            + " +info +eval +evalsha +mget +get +exists +set +hget +hmget +hgetall +hlen +hset +hdel +del +pttl +pexpire"
            + " +zadd +zscore +zrangebyscore +zremrangebyscore +scan";

    /** The tests share both certificates, because keytool takes a second for one. */
    private static TestCertificate own;

    private static TestCertificate other;

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(SmallView.T0));

    @BeforeAll
    static void makeCertificates(@TempDir Path certificates) throws Exception {
        own = TestCertificate.create(certificates, "redis");
        other = TestCertificate.create(certificates, "other");
    }

    private void writeAndRead(OnlineStore store) {
        store.write(SmallView.VIEW, RedisTroubleIT.blocks(SmallView.T0));
        store.writeProgress(new Progress(SmallView.VIEW.qualifiedName(), 0, 1, SmallView.T0));
        assertThat(RedisTroubleIT.read(store)).doesNotContainNull();
        assertThat(store.watermark(SmallView.VIEW.qualifiedName())).hasValue(SmallView.T0);
        assertThat(store.coverage(SmallView.VIEW)).isNotEmpty();
        assertThat(store.exampleKeys(SmallView.KEYED, "", 1)).isEmpty();
    }

    @Test
    void open_userWithTheListedCommands_mayDoAll() {
        try (RedisProcess server = RedisProcess.start(folder, USER.split(" ", -1));
                OnlineStore store = RedisOnlineStore.open(server.uri("redis", "market:s3cret"), "t", clock)) {
            writeAndRead(store);
        }
    }

    @Test
    void open_tlsAndUserWithTheListedCommands_mayDoAll() {
        try (RedisProcess server =
                RedisProcess.startWithTls(folder, own, (USER + " --user default off").split(" ", -1))) {
            try (OnlineStore store = open(server.uri("rediss", "market:s3cret"), own)) {
                writeAndRead(store);
            }
            assertThatThrownBy(() -> open(server.uri("rediss", "market:guessed"), own))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("WRONGPASS")
                    .hasMessageContaining("store.uri: rediss://USER:PASSWORD@HOST:PORT")
                    .message()
                    .doesNotContain("guessed");
            assertThatThrownBy(() -> open(server.uri(), own))
                    .as("the default user is off")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void open_tls_trustsTheGivenAuthorityOnly() {
        try (RedisProcess server = RedisProcess.startWithTls(folder, own)) {
            try (OnlineStore store = open(server.uri(), own)) {
                writeAndRead(store);
            }
            assertThatThrownBy(() -> open(server.uri(), other))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(server.uri() + " is away while connecting")
                    .hasMessageContaining("certification path")
                    .hasMessageContaining("a certificate that store.tls.ca trusts");
            assertThatThrownBy(() -> RedisOnlineStore.open(server.uri(), "t", clock))
                    .as("an authority that Java does not trust")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("a certificate that Java trusts (or set store.tls.ca)");
        }
    }

    @Test
    void open_tlsWithTheNameOfAnotherHost_isRefused() throws Exception {
        TestCertificate elsewhere = TestCertificate.create(folder, "redis", "-ext", "san=dns:redis.example");
        try (RedisProcess server = RedisProcess.startWithTls(folder, elsewhere)) {
            assertThatThrownBy(() -> open(server.uri(), elsewhere))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("127.0.0.1 found")
                    .hasMessageContaining("check store.uri");
        }
    }

    @Test
    void open_cluster_speaksTlsAndLogsInAtAllNodes() throws Exception {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(folder, own);
                OnlineStore store = open(cluster.masters().get(1).uri(), own)) {
            writeAndRead(store);
            for (RedisProcess master : cluster.masters()) {
                RedisClusterProcesses.with(
                        master, redis -> assertThat(redis.dbsize()).isPositive());
                RedisClusterProcesses.with(master, redis -> redis.configSet("requirepass", "s3cret"));
            }
            try (OnlineStore known = open(cluster.masters().get(1).uri("rediss", "default:s3cret"), own)) {
                writeAndRead(known);
            }
        }
    }

    @Test
    void open_withoutTlsWhereItIsRequired_namesTheSchemeOfTls() {
        try (RedisProcess server = RedisProcess.startWithTls(folder, own)) {
            URI plain = server.uri("redis", "default:s3cret");
            assertThatThrownBy(() -> RedisOnlineStore.open(plain, "t", clock))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("redis://127.0.0.1:" + server.port() + " is away while connecting")
                    .hasMessageContaining("if it speaks only TLS, write rediss:// instead of redis://")
                    .message()
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void open_tlsWhereThereIsNone_asksForIt() {
        try (RedisProcess server = RedisProcess.start(folder)) {
            assertThatThrownBy(() -> open(URI.create("rediss://127.0.0.1:" + server.port()), own))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("did not answer in time while connecting")
                    .hasMessageContaining("that it speaks TLS on this port");
        }
    }

    /** Redis demands it by default. */
    @Test
    void open_clientCertificateDemanded_showsTheConfiguredOne() {
        try (RedisProcess server = RedisProcess.startWithTls(folder, own, "--tls-auth-clients", "yes")) {
            assertThatThrownBy(() -> open(server.uri(), own))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("set store.tls.certificate and .key, or tls-auth-clients no in redis.conf");
            assertThatThrownBy(() -> open(server.uri(), identified(own, other)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("that it accepts the certificate of store.tls.certificate");
            try (OnlineStore store = open(server.uri(), identified(own, own))) {
                writeAndRead(store);
            }
        }
    }

    @Test
    void open_filesThatCannotBeUsed_areNamedWithTheirKeys() throws Exception {
        URI uri = URI.create("rediss://127.0.0.1:" + FreePorts.next());
        for (Path wrong : List.of(folder.resolve("missing.pem"), own.key())) {
            assertThatThrownBy(() -> open(uri, ClientTls.trusting(wrong.toString())))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("store.tls.ca '" + wrong + "' must be a file of PEM certificates");
            assertThatThrownBy(() -> open(
                            uri, new ClientTls(null, wrong.toString(), own.key().toString())))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("store.tls.certificate '" + wrong + "' must be a file of PEM certificates");
        }
        Path damaged = Files.writeString(
                folder.resolve("damaged.key"), "-----BEGIN PRIVATE KEY-----\nabcde\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> open(uri, new ClientTls(null, own.certificate().toString(), damaged.toString())))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("store.tls.key '" + damaged + "'")
                .hasMessageContaining("its Base64 is damaged");
        String certificate = own.certificate().toString();
        assertThatThrownBy(() -> open(uri, new ClientTls(null, certificate, certificate)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(
                        "store.tls.key '" + certificate + "' must be a PEM file of a PKCS #8 private key");
    }

    @Test
    void lookup_clientCertificateDemanded_showsTheConfiguredOne() throws Exception {
        try (RedisProcess server = RedisProcess.startWithTls(folder, own)) {
            RedisClusterProcesses.with(server, redis -> {
                redis.set("ad:1", "c1");
                redis.configSet("tls-auth-clients", "yes");
            });
            assertThatThrownBy(() -> lookUp(server.uri(), trusting(own)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("set redis.crm.tls.certificate and .key");
            try (LookupTables tables = lookUp(server.uri(), identified(own, own))) {
                assertThat(tables.all().values()).extracting(LookupTable::size).containsExactly(1);
            }
        }
    }

    @Test
    void lookup_tls_trustsWhatJavaTrusts() throws Exception {
        Path trusted = folder.resolve("trusted.p12");
        own.writeStore(trusted, "public");
        try (RedisProcess server = RedisProcess.startWithTls(folder, own, USER.split(" ", -1))) {
            RedisClusterProcesses.with(server, redis -> redis.set("ad:1", "c1"));
            URI uri = server.uri("rediss", "default:any");
            assertThatThrownBy(() -> lookUp(uri, null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the server of lookup tables " + server.uri())
                    .hasMessageContaining("check redis.crm.uri")
                    .hasMessageContaining("a certificate that Java trusts (or set redis.crm.tls.ca)")
                    .hasMessageNotContaining("store.");
            System.setProperty("javax.net.ssl.trustStore", trusted.toString());
            System.setProperty("javax.net.ssl.trustStorePassword", "public");
            try (LookupTables tables = lookUp(uri, null)) {
                assertThat(tables.all().values()).extracting(LookupTable::size).containsExactly(1);
            } finally {
                System.clearProperty("javax.net.ssl.trustStore");
                System.clearProperty("javax.net.ssl.trustStorePassword");
            }
        }
    }

    private LookupTables lookUp(URI server, @Nullable ClientTls tls) throws IOException {
        List<FeatureView> views = Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: campaigns
                        source: {topic: events, event_time: {field: ts}}
                        lookup: [{table: {redis: crm, key: "ad:{ad_id}"}, key: ad, fields: [campaign]}]
                        entities: [{name: campaign, field: campaign}]
                        measure: {count: all}
                        windows: {sizes: [1m], every: 1m}
                        """, "campaigns.yaml").views();
        return LookupTables.open(
                "job", views, new RedisLookups(Map.of("crm", new DeploymentConfig.RedisServer(server, tls))), clock);
    }

    private OnlineStore open(URI uri, TestCertificate ca) {
        return open(uri, trusting(ca));
    }

    private OnlineStore open(URI uri, ClientTls tls) {
        return RedisOnlineStore.open(new DeploymentConfig.RedisServer(uri, tls), "t", clock);
    }

    private static ClientTls trusting(TestCertificate ca) {
        return ClientTls.trusting(ca.certificate().toString());
    }

    private static ClientTls identified(TestCertificate ca, TestCertificate client) {
        return new ClientTls(
                ca.certificate().toString(),
                client.certificate().toString(),
                client.key().toString());
    }
}
