package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.thalweg.devkit.CassandraProcess;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Objects;
import javax.net.ssl.SSLContext;

/**
 * The one node of this module's tests: it takes seconds to start, so they share it; its user for tests is an administrator. It
 * requires TLS and a certificate of all its clients.
 */
final class TestNode {
    static final CassandraProcess NODE = start();
    static final CqlSession ADMIN = admin();

    private TestNode() {}

    private static CassandraProcess start() {
        try {
            Path folder =
                    Files.createDirectories(Path.of("target", "cassandra")).toAbsolutePath();
            Path own = Files.createTempDirectory(folder, "node");
            TestCertificate.create(own, "node").writeStore(own.resolve("node.p12"), "thalweg");
            CassandraProcess node = CassandraProcess.start(
                    own,
                    Checkout.file("storage/store-cassandra/server/target/lib"),
                    FreePorts::next,
                    "-Dcassandra.role_password_update_min_interval_in_ms=0");
            Runtime.getRuntime().addShutdownHook(new Thread(node::close));
            return node;
        } catch (IOException | InterruptedException | GeneralSecurityException e) {
            throw new IllegalStateException("the node of the tests cannot start", e);
        }
    }

    private static CqlSession admin() {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), NODE.port()))
                .withLocalDatacenter("datacenter1")
                .withAuthCredentials("cassandra", "cassandra")
                .withSslContext(context())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(60))
                        .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                        .build())
                .build();
    }

    private static SSLContext context() {
        try {
            return Objects.requireNonNull(NODE.tls()).context();
        } catch (IOException e) {
            throw new IllegalStateException("the certificate of the tests' own node", e);
        }
    }

    static ResultSet cql(String cql, Object... values) {
        return ADMIN.execute(SimpleStatement.newInstance(cql, values));
    }

    /** Empties the non-empty tables of a keyspace, if it exists. */
    static void empty(String keyspace) {
        cql("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", keyspace)
                .forEach(row -> {
                    String table = keyspace + "." + row.getString("table_name");
                    if (cql("SELECT * FROM " + table + " LIMIT 1").one() != null) {
                        cql("TRUNCATE " + table);
                    }
                });
    }
}
