package io.thalweg.bench.stores;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Ports;
import io.thalweg.devkit.CassandraProcess;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.cassandra.CassandraAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** A Cassandra node on this machine, with the operations of {@code nodetool}. <b>Threads.</b> One. */
public final class CassandraNode extends StoreServer {
    private static final String KEYSPACE = "bench";

    private final CassandraProcess process;
    private final CqlSession session;
    private final JMXConnector management;

    private CassandraNode(CassandraProcess process) throws IOException {
        this.process = process;
        this.management = management(process.pid());
        this.session = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()))
                .withLocalDatacenter("datacenter1")
                .withAuthCredentials("cassandra", "cassandra")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                        .build())
                .build();
        createKeyspace();
    }

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
                CassandraProcess.start(folder, jars, CassandraNode::freePort, "-Xmx2g", "-XX:TieredStopAtLevel=4");
        try {
            return new CassandraNode(process);
        } catch (IOException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    private static int freePort() {
        try {
            return Ports.free();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** The session for statements of a benchmark. */
    public CqlSession session() {
        return session;
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
        return "{type: cassandra, contact_points: [\"%s\"], keyspace: %s, datacenter: %s, user: %s, password: %s}"
                .formatted(
                        where.contactPoints().get(0),
                        where.keyspace(),
                        where.datacenter(),
                        where.user(),
                        Objects.requireNonNull(where.password()).text());
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
        String names = String[].class.getName();
        invoke("forceKeyspaceFlush", new Object[] {KEYSPACE, tables}, String.class.getName(), names);
        invoke(
                "forceKeyspaceCompaction",
                new Object[] {false, KEYSPACE, tables},
                boolean.class.getName(),
                String.class.getName(),
                names);
    }

    private void invoke(String operation, Object[] arguments, String... types) throws IOException {
        try {
            beans().invoke(new ObjectName("org.apache.cassandra.db:type=StorageService"), operation, arguments, types);
        } catch (JMException e) {
            throw new IOException(operation + " failed", e);
        }
    }

    /** Returns the disk space of all files of a table: "space used (live)" of {@code nodetool tablestats}. */
    public long bytes(String table) throws IOException {
        try {
            ObjectName bean =
                    new ObjectName("org.apache.cassandra.metrics:type=Table,keyspace=%s,scope=%s,name=LiveDiskSpaceUsed"
                            .formatted(KEYSPACE, table));
            return ((Number) beans().getAttribute(bean, "Count")).longValue();
        } catch (JMException e) {
            throw new IOException("the size of table " + table + " cannot be read", e);
        }
    }

    private MBeanServerConnection beans() throws IOException {
        return management.getMBeanServerConnection();
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
