package io.thalweg.bench.stores;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Meter;
import io.thalweg.devkit.CassandraProcess;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.cassandra.CassandraAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** A Cassandra node on this machine, with the operations of {@code nodetool}. <b>Threads.</b> One. */
public record CassandraNode(CassandraProcess process, CqlSession session, JMXConnector management)
        implements StoreServer {
    private static final String KEYSPACE = "bench";

    private void createKeyspace() {
        session.execute("CREATE KEYSPACE " + KEYSPACE
                + " WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1}");
    }

    @Override
    public void clear() {
        session.execute("DROP KEYSPACE " + KEYSPACE);
        createKeyspace();
    }

    /**
     * Starts a node.
     *
     * @param folder for its files
     * @param jars of its server
     * @throws IllegalStateException if it does not start; the message gives the reason
     */
    public static CassandraNode start(Path folder, Path jars) throws IOException {
        CassandraProcess process =
                CassandraProcess.start(folder, jars, Child::freePort, "-Xmx2g", "-XX:TieredStopAtLevel=4");
        try {
            CassandraNode node = new CassandraNode(process, connect(process.port()), management(process.pid()));
            node.createKeyspace();
            return node;
        } catch (IOException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    private static CqlSession connect(int port) {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .withLocalDatacenter("datacenter1")
                .withAuthCredentials("cassandra", "cassandra")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                        .build())
                .build();
    }

    @SuppressWarnings("BanJNDI") // the address is that of a process that this process has started
    private static JMXConnector management(long pid) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                return JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("Cassandra's JVM cannot be managed", e);
        }
    }

    @Override
    public String name() {
        return "cassandra";
    }

    @Override
    public StoreAddress address() {
        return new CassandraAddress(process.where(KEYSPACE));
    }

    @Override
    public String yaml() {
        DeploymentConfig.Cassandra where = process.where(KEYSPACE);
        String password = Objects.requireNonNull(where.password()).text();
        return "{type: cassandra, contact_points: [\"%s\"], keyspace: %s, datacenter: %s, user: %s, password: %s}"
                .formatted(where.contactPoints().get(0), where.keyspace(), where.datacenter(), where.user(), password);
    }

    /** Returns a table's name in statements. */
    public static String qualified(String table) {
        return KEYSPACE + "." + table;
    }

    /** Determines whether files of a table that are written from now on are compressed. */
    public void compress(String table, boolean compressed) {
        session.execute("ALTER TABLE " + qualified(table) + " WITH compression = "
                + (compressed ? "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4}" : "{'enabled': false}"));
    }

    /** Flushes the memory of a table to files and compacts these into one. */
    @Override
    public void settle(String table) throws IOException {
        String[] tables = {table};
        String text = String.class.getName();
        String names = String[].class.getName();
        ask(beans -> {
            ObjectName storage = new ObjectName("org.apache.cassandra.db:type=StorageService");
            beans.invoke(storage, "forceKeyspaceFlush", new Object[] {KEYSPACE, tables}, new String[] {text, names});
            Object[] arguments = {false, KEYSPACE, tables};
            return beans.invoke(
                    storage, "forceKeyspaceCompaction", arguments, new String[] {boolean.class.getName(), text, names});
        });
    }

    /** Returns the disk space of all files of a table: "space used (live)" of {@code nodetool tablestats}. */
    public long bytes(String table) throws IOException {
        String bean = "org.apache.cassandra.metrics:type=Table,keyspace=%s,scope=%s,name=LiveDiskSpaceUsed";
        Number bytes =
                (Number) ask(beans -> beans.getAttribute(new ObjectName(bean.formatted(KEYSPACE, table)), "Count"));
        return Objects.requireNonNull(bytes).longValue();
    }

    private interface Question {
        @Nullable
        Object of(MBeanServerConnection beans) throws IOException, JMException;
    }

    private @Nullable Object ask(Question question) throws IOException {
        try {
            return question.of(management.getMBeanServerConnection());
        } catch (JMException e) {
            throw new IOException("the node cannot be managed: " + e.getMessage(), e);
        }
    }

    @Override
    public double processorSeconds() {
        return Meter.cpuSeconds(process.pid());
    }

    @Override
    public void close() throws IOException {
        session.close();
        management.close();
        process.close();
    }
}
