package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.Secret;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreException.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the nodes of a Cassandra cluster's data center.
 *
 * <p><b>Away.</b> Broken connections are reopened without limit. Meanwhile reads fail, because a caller waits for them, and
 * writes are retried until their patience is over. Write times make duplicate writes harmless. Every statement completes or
 * fails within its timeout, so callers wait without one of their own.
 *
 * <p><b>Load.</b> At most {@value #ON_THEIR_WAY} statements are in flight; the others wait in a queue here.
 *
 * <p><b>Threads.</b> Safe.
 */
final class CassandraLink implements AutoCloseable {
    private static final String CONNECTING = "connecting";
    private static final int PORT = 9042;
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration READ = Duration.ofSeconds(2);
    private static final Duration SCHEMA = Duration.ofSeconds(30);
    private static final int ATTEMPTS = 4;
    private static final long FIRST_PAUSE_MS = 20;
    private static final long LAST_PAUSE_MS = 1_000;
    private static final int CONNECTIONS_PER_NODE = 2;
    private static final int ON_THEIR_WAY = 1_500;
    private static final int WAITING = 1_000_000;
    private static final String WRITE_PROFILE = "write";
    private static final String SCHEMA_PROFILE = "schema";

    private final DeploymentConfig.Cassandra where;
    private final long patienceMs;
    private final @Nullable CassandraLogin login;
    private final CqlSession session;

    /**
     * Connects.
     *
     * @param patience how long writes wait for an unreachable cluster
     * @throws StoreException if it cannot be reached or refuses; the message names the address and what to check
     */
    CassandraLink(DeploymentConfig.Cassandra where, Duration patience) {
        this.where = where;
        this.patienceMs = patience.toMillis();
        String user = where.user();
        this.login = user == null
                ? null
                : new CassandraLogin(user, Objects.requireNonNullElse(where.password(), Secret.of("")));
        try {
            session = builder().build();
        } catch (DriverException | IllegalStateException e) {
            throw failure(CONNECTING, e);
        }
        try {
            requireDatacenter();
        } catch (StoreException e) {
            close();
            throw e;
        }
    }

    private CqlSessionBuilder builder() {
        CqlSessionBuilder builder =
                CqlSession.builder().withApplicationName("thalweg").withConfigLoader(options());
        for (String point : where.contactPoints()) {
            builder.addContactPoint(address(point));
        }
        if (login != null) {
            builder.withAuthProvider(login);
        }
        ClientTls tls = where.tls();
        if (tls != null) {
            builder.withSslEngineFactory(new ProgrammaticSslEngineFactory(context(tls), null, true, false));
        }
        return builder;
    }

    private DriverConfigLoader options() {
        ProgrammaticDriverConfigLoaderBuilder options = DriverConfigLoader.programmaticBuilder()
                .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
                .withString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY, "LOCAL_SERIAL")
                // Every write carries its own timestamp, or reports whether it was the first.
                .withBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE, true)
                .withString(DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS, "ServerSideTimestampGenerator")
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, CONNECT)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, CONNECT)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, CONNECT)
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(2))
                .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, CONNECTIONS_PER_NODE)
                .withString(DefaultDriverOption.REQUEST_THROTTLER_CLASS, "ConcurrencyLimitingRequestThrottler")
                .withInt(DefaultDriverOption.REQUEST_THROTTLER_MAX_CONCURRENT_REQUESTS, ON_THEIR_WAY)
                .withInt(DefaultDriverOption.REQUEST_THROTTLER_MAX_QUEUE_SIZE, WAITING)
                // Token-aware routing needs the replicas of this keyspace; other keyspaces are irrelevant.
                .withStringList(DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, List.of(where.keyspace()))
                .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                // The driver reports the close on its own threads, which must still exist then.
                .withString(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_UNIT, "MILLISECONDS")
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 20)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_TIMEOUT, 2_000)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, READ);
        String datacenter = where.datacenter();
        if (datacenter == null) {
            options.withString(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, "DcInferringLoadBalancingPolicy");
        } else {
            options.withString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER, datacenter);
        }
        return options.startProfile(WRITE_PROFILE)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMillis(patienceMs / ATTEMPTS))
                .endProfile()
                .startProfile(SCHEMA_PROFILE)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, SCHEMA)
                .endProfile()
                .build();
    }

    private static InetSocketAddress address(String point) {
        int colon = point.lastIndexOf(':');
        boolean hasPort = colon > 0 && (point.indexOf(':') == colon || point.charAt(colon - 1) == ']');
        String host = (hasPort ? point.substring(0, colon) : point).replaceAll("[\\[\\]]", "");
        return new InetSocketAddress(host, hasPort ? Integer.parseInt(point.substring(colon + 1)) : PORT);
    }

    private static SSLContext context(ClientTls tls) {
        try {
            return tls.context();
        } catch (IOException e) {
            throw new StoreException("store.tls." + e.getMessage(), e);
        }
    }

    /** Checks the data center, because the driver would only report that no node is available. */
    private void requireDatacenter() {
        Set<String> datacenters = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            datacenters.add(String.valueOf(node.getDatacenter()));
        }
        String wanted = where.datacenter();
        if (wanted != null && !datacenters.contains(wanted)) {
            throw new StoreException("the store " + place() + " has no data center '" + wanted
                    + "'; name one that it has as store.datacenter: " + String.join(", ", datacenters));
        }
    }

    CqlSession session() {
        return session;
    }

    /** Returns the data center in use, with the number of its nodes. */
    Datacenter datacenter() {
        List<Node> local = session.getMetadata().getNodes().values().stream()
                .filter(node -> where.datacenter() == null || where.datacenter().equals(node.getDatacenter()))
                .toList();
        int up = (int)
                local.stream().filter(node -> node.getState() == NodeState.UP).count();
        return new Datacenter(String.valueOf(local.get(0).getDatacenter()), local.size(), up);
    }

    record Datacenter(String name, int nodes, int up) {}

    /** Sends a statement without retries. */
    CompletionStage<AsyncResultSet> read(Statement<?> statement) {
        return session.executeAsync(statement);
    }

    /** Sends a statement and retries it until it succeeds or the patience is over; permanent refusals fail at once. */
    CompletionStage<AsyncResultSet> write(Statement<?> statement) {
        return attempt(statement.setExecutionProfileName(WRITE_PROFILE), patienceMs, FIRST_PAUSE_MS);
    }

    /** Changes the schema, and waits until all nodes that are up agree on it. */
    void define(String cql, String doing) {
        AsyncResultSet done = await(
                session.executeAsync(SimpleStatement.newInstance(cql).setExecutionProfileName(SCHEMA_PROFILE)), doing);
        if (!done.getExecutionInfo().isSchemaInAgreement()) {
            throw new StoreException("the nodes of the store " + place() + " do not agree on the schema after " + doing
                    + "; see nodetool describecluster");
        }
    }

    private CompletionStage<AsyncResultSet> attempt(Statement<?> statement, long leftMs, long pauseMs) {
        return session.executeAsync(statement)
                .exceptionallyCompose(failure -> again(cause(failure), statement, leftMs, pauseMs));
    }

    private CompletionStage<AsyncResultSet> again(
            Throwable failure, Statement<?> statement, long leftMs, long pauseMs) {
        boolean late = isLate(failure);
        long spentMs = late ? patienceMs / ATTEMPTS : pauseMs;
        if (spentMs >= leftMs || isFinal(failure)) {
            return CompletableFuture.failedFuture(failure);
        }
        Executor then = late ? Runnable::run : CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS);
        long nextPauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
        return CompletableFuture.completedFuture(statement)
                .thenComposeAsync(again -> attempt(again, leftMs - spentMs, nextPauseMs), then);
    }

    /** Whether a retry would fail alike: invalid statements, missing rights; all other failures may be transient. */
    private static boolean isFinal(Throwable failure) {
        return failure instanceof QueryValidationException
                || !(failure instanceof DriverException)
                || authentication(failure) != null
                || (failure instanceof AllNodesFailedException all
                        && all.getAllErrors().values().stream()
                                .flatMap(List::stream)
                                .anyMatch(each -> each instanceof QueryValidationException));
    }

    private static boolean isLate(Throwable failure) {
        return failure instanceof DriverTimeoutException;
    }

    private static @Nullable Throwable authentication(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof AuthenticationException) {
                return at;
            }
        }
        if (failure instanceof AllNodesFailedException all) {
            for (List<Throwable> errors : all.getAllErrors().values()) {
                for (Throwable error : errors) {
                    Throwable found = authentication(error);
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        return null;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /**
     * Waits for an answer.
     *
     * @param doing what fails if it fails, such as {@code reading rows of demand}
     */
    <T> T await(CompletionStage<T> answer, String doing) {
        try {
            return answer.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw failure(doing, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while " + doing, e);
        }
    }

    /** Creates the exception; its message names the cluster, its answer and the remedy. */
    StoreException failure(String doing, Throwable failure) {
        String store = "the store " + place();
        Kind kind = isFinal(failure) ? Kind.LASTING : Kind.PASSING;
        Throwable authentication = authentication(failure);
        if (authentication != null) {
            return new StoreException(
                    kind,
                    store + " refused while " + doing + ": " + said(authentication)
                            + "; check store.user and store.password",
                    failure);
        }
        if (failure instanceof UnauthorizedException) {
            return new StoreException(
                    kind,
                    store + " refused while " + doing + ": " + said(failure) + "; let an administrator grant it, "
                            + "or create keyspace and tables as in docs/reference/cassandra.md",
                    failure);
        }
        UnavailableException unavailable = unavailable(failure);
        if (unavailable != null && !CONNECTING.equals(doing)) { // until then, no metadata is known
            return new StoreException(
                    kind,
                    store + " has too few nodes up while " + doing + ": " + said(unavailable) + "; " + copies()
                            + "; start nodes that are down (nodetool status), or have fewer copies: ALTER KEYSPACE "
                            + where.keyspace() + " WITH replication = …",
                    failure);
        }
        if (login != null && login.isRefused() && failure instanceof AllNodesFailedException) {
            return new StoreException(
                    kind,
                    store + " refuses logins while " + doing + "; check store.user and store.password; " + change(),
                    failure);
        }
        if (isLate(failure) || failure instanceof WriteTimeoutException || failure instanceof ReadTimeoutException) {
            return new StoreException(
                    kind,
                    store + " did not answer in time while " + doing + ": " + said(failure)
                            + "; check that its nodes run and can be reached, and what keeps them busy",
                    failure);
        }
        if (failure instanceof AllNodesFailedException || failure instanceof IllegalStateException) {
            return new StoreException(
                    kind,
                    store + " is away while " + doing + ": " + root(failure)
                            + "; check store.contact_points, and that Cassandra runs there" + tlsHint(doing),
                    failure);
        }
        return new StoreException(
                kind,
                store + " refused while " + doing + ": " + said(failure) + "; the server's log may say more",
                failure);
    }

    /** The nodes' answer that too few copies are up, which the driver wraps once it has asked another node. */
    private static @Nullable UnavailableException unavailable(Throwable failure) {
        if (failure instanceof AllNodesFailedException all) {
            return all.getAllErrors().values().stream()
                    .flatMap(List::stream)
                    .filter(UnavailableException.class::isInstance)
                    .map(UnavailableException.class::cast)
                    .findFirst()
                    .orElse(null);
        }
        return failure instanceof UnavailableException unavailable ? unavailable : null;
    }

    /** The copies of the keyspace and the nodes, as the driver last saw them. */
    private String copies() {
        Datacenter datacenter = datacenter();
        String copies = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(where.keyspace()))
                .map(keyspace -> String.valueOf(keyspace.getReplication().get(datacenter.name())))
                .orElse("unknown");
        return "its copies in " + datacenter.name() + ": " + copies + ", nodes up: " + datacenter.up() + " of "
                + datacenter.nodes();
    }

    private String change() {
        Secret password = where.password();
        return password == null || password.files().isEmpty()
                ? "if they have changed, restart with the new ones (of ${file:PATH}, changes need no restart)"
                : "the file of the password is read again for each connection";
    }

    /** A node that requires TLS closes other connections without a reason. */
    private String tlsHint(String doing) {
        ClientTls tls = where.tls();
        boolean connecting = CONNECTING.equals(doing);
        if (tls == null) {
            return connecting ? "; if its nodes require TLS, set store.tls" : "";
        }
        String identity = tls.certificate() == null
                ? "; if its nodes demand a client certificate, set store.tls.certificate and .key"
                : ", and that its nodes accept the certificate of store.tls.certificate";
        return " with a certificate that store.tls.ca trusts" + (connecting ? identity : "");
    }

    private static String said(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    /** Joins the distinct errors of the nodes. */
    private static String root(Throwable failure) {
        if (failure instanceof AllNodesFailedException all
                && !all.getAllErrors().isEmpty()) {
            return all.getAllErrors().values().stream()
                    .flatMap(List::stream)
                    .map(CassandraLink::root)
                    .distinct()
                    .collect(Collectors.joining(", "));
        }
        Throwable root = failure;
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof ClosedChannelException) {
                return "Connection refused or closed";
            }
            root = at.getMessage() == null ? root : at;
        }
        return said(root);
    }

    /** The address without user and password. */
    String place() {
        return where.name();
    }

    @Override
    public void close() {
        session.closeAsync()
                .toCompletableFuture()
                .completeOnTimeout(null, 2, TimeUnit.SECONDS)
                .join();
    }
}
