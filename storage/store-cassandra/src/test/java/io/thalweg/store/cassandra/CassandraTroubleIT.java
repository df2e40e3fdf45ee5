package io.thalweg.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.metadata.TopologyEvent;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.Secret;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.TestCertificate;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are unreachable, fail, return, or require a password and TLS. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class CassandraTroubleIT {
    /** 2026-01-01T00:00:00Z. */
    private static final long T0 = 1_767_225_600_000L;

    private static final int CELLS = 200;
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: small
                    source: {topic: events, event_time: {field: ts}}
                    entities: [{name: cell, h3: {lat: lat, lng: lng, resolution: 9}}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    online: {ttl: 1d}
                    """, "small.yaml").views().get(0);

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T0));

    @Test
    void open_nobodyThere_namesTheAddressAndTheRemedy() {
        int freePort = FreePorts.next();
        DeploymentConfig.Cassandra where = new DeploymentConfig.Cassandra(
                List.of("127.0.0.1:" + freePort), "market", null, null, null, null, null);
        assertThatThrownBy(() -> CassandraOnlineStore.open(where, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cassandra://127.0.0.1:" + freePort + "/market is away while connecting")
                .hasMessageContaining("Connection refused")
                .hasMessageContaining("check store.contact_points");
    }

    @Test
    void open_wrongPassword_isToldWithoutIt() {
        assertThatThrownBy(() -> CassandraOnlineStore.open(where("market", "cassandra", "guessed"), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refused while connecting")
                .hasMessageContaining("check store.user and store.password")
                .message()
                .doesNotContain("guessed");
        assertThatThrownBy(() -> CassandraOnlineStore.open(where("market", null, null), clock))
                .satisfies(
                        failure -> assertThat(((StoreException) failure).kind()).isEqualTo(StoreException.Kind.LASTING))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("check store.user and store.password");
    }

    @Test
    void open_otherDatacenter_namesThoseThatThereAre() {
        DeploymentConfig.Cassandra right = TestNode.NODE.where("market");
        DeploymentConfig.Cassandra wrong = new DeploymentConfig.Cassandra(
                right.contactPoints(), "market", "west", right.user(), right.password(), null, right.tls());
        assertThatThrownBy(() -> CassandraOnlineStore.open(wrong, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no data center 'west'")
                .hasMessageContaining("datacenter1");
    }

    @Test
    void open_datacenterNotSaid_isThatOfTheContactPoints() {
        DeploymentConfig.Cassandra said = TestNode.NODE.where("market");
        DeploymentConfig.Cassandra where = new DeploymentConfig.Cassandra(
                said.contactPoints(), "inferred", null, said.user(), said.password(), 1, said.tls());
        try (OnlineStore store = CassandraOnlineStore.open(where, clock)) {
            store.write(VIEW, blocks(T0));
            assertThat(read(store)).doesNotContainNull();
        }
        assertThat(TestNode.cql("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = 'inferred'")
                        .one()
                        .getMap("replication", String.class, String.class))
                .containsEntry("datacenter1", "1")
                .containsEntry("class", "org.apache.cassandra.locator.NetworkTopologyStrategy");
    }

    private static DeploymentConfig.Cassandra where(String keyspace, @Nullable String user, @Nullable String password) {
        return TestNode.NODE.where(keyspace, user, password, TestNode.NODE.tls());
    }

    /** The user may create neither keyspaces nor tables; once they exist and are granted, it may write. */
    @Test
    void open_userWithFewRights_isToldWhatItLacks() {
        TestNode.cql("CREATE ROLE IF NOT EXISTS clerk WITH PASSWORD = 'clerk' AND LOGIN = true");
        DeploymentConfig.Cassandra where = where("granted", "clerk", "clerk");
        assertThatThrownBy(() -> CassandraOnlineStore.open(where, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refused while creating keyspace granted")
                .hasMessageContaining("User clerk has no CREATE permission")
                .hasMessageContaining("docs/reference/cassandra.md");

        try (OnlineStore store = CassandraOnlineStore.open(TestNode.NODE.where("granted"), clock)) {
            store.write(VIEW, blocks(T0));
        }
        TestNode.cql("GRANT SELECT ON KEYSPACE granted TO clerk");
        TestNode.cql("GRANT MODIFY ON KEYSPACE granted TO clerk");
        try (OnlineStore store = CassandraOnlineStore.open(where, clock)) {
            store.write(VIEW, blocks(T0 + 60_000));
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 60_000));
        }
    }

    @Test
    void open_withoutTlsWhereItIsRequired_isRefused() {
        DeploymentConfig.Cassandra plain = TestNode.NODE.where("market", "cassandra", "cassandra", null);
        assertThatThrownBy(() -> CassandraOnlineStore.open(plain, clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is away while connecting")
                .hasMessageContaining("if its nodes require TLS, set store.tls");
    }

    @Test
    void open_withTls_trustsAndShowsTheConfiguredCertificates() throws Exception {
        ClientTls known = Objects.requireNonNull(TestNode.NODE.tls());
        try (OnlineStore store = CassandraOnlineStore.open(with(known), clock)) {
            store.write(VIEW, blocks(T0));
            assertThat(read(store)).doesNotContainNull();
        }
        TestCertificate other = TestCertificate.create(folder, "other");
        assertThatThrownBy(() -> CassandraOnlineStore.open(
                        trusting(known, other.certificate().toString()), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is away while connecting")
                .hasMessageContaining("certification path")
                .hasMessageContaining("store.tls.ca");
        assertThatThrownBy(() -> CassandraOnlineStore.open(trusting(known, null), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is away while connecting")
                .hasMessageContaining("certification path");
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        assertThatThrownBy(() -> CassandraOnlineStore.open(trusting(known, empty.toString()), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("store.tls.ca '" + empty + "'");
        assertThatThrownBy(() -> CassandraOnlineStore.open(with(ClientTls.trusting(known.ca())), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is away while connecting")
                .hasMessageContaining("set store.tls.certificate and .key");
        ClientTls stranger = new ClientTls(
                known.ca(), other.certificate().toString(), other.key().toString());
        assertThatThrownBy(() -> CassandraOnlineStore.open(with(stranger), clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is away while connecting")
                .hasMessageContaining("that its nodes accept the certificate of store.tls.certificate");
    }

    private static DeploymentConfig.Cassandra trusting(ClientTls known, @Nullable String ca) {
        return with(new ClientTls(ca, known.certificate(), known.key()));
    }

    private static DeploymentConfig.Cassandra with(ClientTls tls) {
        return TestNode.NODE.where("market", "cassandra", "cassandra", tls);
    }

    /** One of two copies is missing, so no quorum is up, until the keyspace asks for one copy only. */
    @Test
    void write_tooFewNodesForTheCopies_waitsUntilTheyAreEnough() throws Exception {
        DeploymentConfig.Cassandra where = TestNode.NODE.where("thin");
        try (OnlineStore store = CassandraOnlineStore.open(where, clock, Duration.ofMinutes(2));
                OnlineStore hasty = CassandraOnlineStore.open(where, clock, Duration.ofMillis(300))) {
            store.write(VIEW, blocks(T0));
            replicate("thin", 2);
            String copies = "its copies in datacenter1: 2, nodes up: 1 of 1;";
            Await.until(
                    "a refused write",
                    () -> failure(() -> hasty.write(VIEW, blocks(T0 + 60_000))).contains(copies));
            for (Runnable access : List.<Runnable>of(
                    () -> hasty.write(VIEW, blocks(T0 + 60_000)),
                    () -> hasty.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + 60_000)),
                    () -> read(hasty),
                    () -> hasty.watermark(VIEW.qualifiedName()))) {
                assertThatThrownBy(access::run)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("/thin has too few nodes up while")
                        .hasMessageContaining("LOCAL_")
                        .hasMessageContaining("2 required but only 1 alive")
                        .hasMessageContaining(copies)
                        .hasMessageContaining("ALTER KEYSPACE thin")
                        .extracting(failure -> ((StoreException) failure).kind())
                        .isEqualTo(StoreException.Kind.PASSING);
            }
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                store.write(VIEW, blocks(T0 + 60_000));
                store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + 60_000));
            });
            assertThat(written).isNotDone();
            replicate("thin", 1);
            Await.get(written);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(T0 + 60_000));
            assertThat(store.watermark(VIEW.qualifiedName())).hasValue(T0 + 60_000);
        }
    }

    private static void replicate(String keyspace, int copies) {
        TestNode.cql("ALTER KEYSPACE %s WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': %d}"
                .formatted(keyspace, copies));
    }

    private static String failure(Runnable access) {
        try {
            access.run();
            return "";
        } catch (StoreException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Connections stay open when the password changes; those that are opened later are refused until they have the new one. */
    @Test
    void write_passwordChanges_waitsUntilItsFileHasTheNewOne() throws Exception {
        TestNode.cql("CREATE ROLE IF NOT EXISTS guard WITH PASSWORD = 'before' AND LOGIN = true");
        Path file = Files.writeString(folder.resolve("password"), "before\n");
        Secret changing = new Secret("before", List.of("", ""), List.of(file.toString()));
        SimpleStatement statement = SimpleStatement.newInstance("SELECT key FROM system.local");
        try (CassandraLink link = new CassandraLink(login("guard", changing), Duration.ofMillis(300));
                CassandraLink fixed = new CassandraLink(login("guard", Secret.of("before")), Duration.ofMillis(300))) {
            TestNode.cql("ALTER ROLE guard WITH PASSWORD = 'after'");
            assertThat(failure(() -> link.await(link.write(statement), "writing")))
                    .isEmpty();

            reconnect(link);
            reconnect(fixed);
            awaitRefused(link, "the file of the password is read again for each connection");
            awaitRefused(fixed, "restart with the new ones (of ${file:PATH}, changes need no restart)");

            Files.writeString(file, "after\n");
            Await.until(
                    "a write",
                    () -> failure(() -> link.await(link.write(statement), "writing"))
                            .isEmpty());
            awaitRefused(fixed, "restart with the new ones");
            TestNode.cql("ALTER ROLE guard WITH PASSWORD = 'before'");
            Await.until(
                    "a write",
                    () -> failure(() -> fixed.await(fixed.write(statement), "writing"))
                            .isEmpty());
        }
    }

    private static DeploymentConfig.Cassandra login(String user, Secret password) {
        DeploymentConfig.Cassandra like = TestNode.NODE.where("market");
        return new DeploymentConfig.Cassandra(
                like.contactPoints(), "market", like.datacenter(), user, password, null, like.tls());
    }

    /** Closes the connections to the node and opens them again, as after a failure of the network. */
    private static void reconnect(CassandraLink link) {
        InternalDriverContext driver = (InternalDriverContext) link.session().getContext();
        Node node = link.session().getMetadata().getNodes().values().iterator().next();
        InetSocketAddress address = node.getBroadcastRpcAddress().orElseThrow();
        driver.getEventBus().fire(TopologyEvent.forceDown(address));
        Await.until("no connection for statements", () -> node.getState() == NodeState.FORCED_DOWN);
        driver.getEventBus().fire(TopologyEvent.forceUp(address));
    }

    private static void awaitRefused(CassandraLink link, String hint) {
        SimpleStatement statement = SimpleStatement.newInstance("SELECT key FROM system.local");
        String[] last = {""};
        Await.until(() -> "a login that is refused with " + hint + ", was: " + last[0], () -> {
            last[0] = failure(() -> link.await(link.write(statement), "writing"));
            return last[0].contains(" refuses logins while writing; check store.user and store.password; ")
                    && last[0].contains(hint);
        });
        assertThatThrownBy(() -> link.await(link.write(statement), "writing"))
                .isInstanceOf(StoreException.class)
                .extracting(failure -> ((StoreException) failure).kind())
                .isEqualTo(StoreException.Kind.PASSING);
    }

    /** The node is stopped while rows are in flight: the write waits and continues, and in the end every row is stored. */
    @Test
    void write_nodeStoppedAndStartedAgain_waitsAndLosesNothing() throws Exception {
        DeploymentConfig.Cassandra where = TestNode.NODE.where("market");
        try (OnlineStore store = CassandraOnlineStore.open(where, clock, Duration.ofMinutes(2));
                OnlineStore hasty = CassandraOnlineStore.open(where, clock, Duration.ofMillis(300))) {
            eventually(() -> hasty.write(VIEW, blocks(T0)));
            AtomicInteger written = new AtomicInteger();
            AtomicInteger goal = new AtomicInteger(Integer.MAX_VALUE);
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                for (int minute = 0; minute < goal.get(); minute++) {
                    store.write(VIEW, blocks(T0 + minute * 60_000L));
                    store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, T0 + minute * 60_000L));
                    written.set(minute);
                }
            });
            while (written.get() < 20) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            TestNode.NODE.stop();
            int whileAway = written.get();
            assertThatThrownBy(() -> read(hasty))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("while reading rows of small")
                    .hasMessageContaining("cassandra://127.0.0.1:");
            assertThatThrownBy(() -> hasty.write(VIEW, blocks(T0)))
                    .isInstanceOf(StoreException.class)
                    .extracting(failure -> ((StoreException) failure).kind())
                    .as("the publisher retries")
                    .isEqualTo(StoreException.Kind.PASSING);
            assertThatThrownBy(() -> hasty.write(VIEW, blocks(T0)))
                    .hasMessageContaining("while writing rows of small")
                    .hasMessageContaining("batches sent were not written");
            assertThat(writing).as("it waits").isNotDone();
            assertThat(written.get()).as("nothing is taken meanwhile").isEqualTo(whileAway);

            goal.set(whileAway + 20);
            TestNode.NODE.startAgain();
            Await.get(writing);

            long last = T0 + written.get() * 60_000L;
            eventually(() -> read(hasty));
            assertThat(written.get()).isGreaterThan(whileAway);
            assertThat(read(store)).allSatisfy(row -> assertThat(end(row)).isEqualTo(last));
            assertThat(store.watermark(VIEW.qualifiedName())).hasValue(last);
        }
    }

    /** Repeats an access until the node answers in time. */
    private static void eventually(Runnable access) throws InterruptedException {
        for (boolean done = false; !done; TimeUnit.MILLISECONDS.sleep(20)) {
            try {
                access.run();
                done = true;
            } catch (StoreException e) {
                assertThat(e.kind()).isEqualTo(StoreException.Kind.PASSING);
            }
        }
    }

    private static List<@Nullable StoredRow> read(OnlineStore store) {
        return store.read(
                        VIEW,
                        IntStream.range(0, CELLS)
                                .mapToObj(i -> new StoreKey(cell(i), List.of()))
                                .toList())
                .rows();
    }

    private static long end(@Nullable StoredRow row) {
        return row == null ? Long.MIN_VALUE : row.windowEndMs();
    }

    private static List<HexRowBlock> blocks(long windowEndMs) {
        return IntStream.range(0, CELLS)
                .mapToObj(i -> new HexRowBlock(
                        BlockHead.ofFinal(VIEW.qualifiedName(), 0, windowEndMs),
                        0x852a1007fffffffL,
                        List.of(),
                        new long[] {cell(i)},
                        new long[] {i},
                        null))
                .toList();
    }

    /** Returns the {@code n}th of some cells of resolution 9, a few of which are neighbours. */
    private static long cell(int n) {
        return 0x892a0000003ffffL | (long) (n % 7) << 18 | (long) (n / 7 % 7) << 24 | (long) (n / 49 % 7) << 27;
    }
}
