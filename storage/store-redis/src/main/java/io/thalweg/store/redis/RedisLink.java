package io.thalweg.store.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The connections to a Redis server or a Redis Cluster; the server itself reports which of the two it is. Of servers that Redis
 * Sentinel watches, these are connections to the master, for which the Sentinels are asked whenever a connection is opened.
 *
 * <p><b>Away.</b> Broken connections are reopened without limit. Meanwhile reads fail at once (in a cluster within
 * seconds), because a caller waits for them. Writes are retried until their patience is over, so that they reach a server
 * that restarts or a replica that was promoted. The order rule makes duplicate writes harmless. Every command completes or
 * fails within its timeout, so callers wait without one of their own.
 *
 * <p><b>Threads.</b> Safe.
 */
final class RedisLink implements AutoCloseable {
    private static final String CONNECTING = "connecting";
    private static final String ASKING = "asking the Sentinels for the master";
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration READ = Duration.ofSeconds(2);
    private static final int ATTEMPTS = 4;
    private static final long FIRST_PAUSE_MS = 20;
    private static final long LAST_PAUSE_MS = 1_000;
    /** Errors of a server that are expected to pass soon. */
    private static final List<String> PASSING = List.of("CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN");

    private static final String REPLICA = "READONLY";
    /** Errors that pass when an operator or another server acts; of a write, a script's error contains them. */
    private static final List<String> MENDABLE = List.of("OOM", REPLICA, "MISCONF", "NOREPLICAS");

    private final DeploymentConfig.RedisServer server;
    private final Naming naming;
    private final ClientTls tls;
    private final SslOptions ssl;
    private final long patienceMs;
    private final boolean cluster;
    private final ClientResources resources;
    private final List<AbstractRedisClient> clients = new ArrayList<>();
    private final List<StatefulConnection<byte[], byte[]>> writers = new ArrayList<>();
    /** The writers' connections that are being opened again, by index. */
    private final Set<Integer> leaving = ConcurrentHashMap.newKeySet();

    /** What the server answered when a connection could not be opened again; null once one could. */
    private volatile @Nullable RedisCommandExecutionException refusal;

    private final StatefulConnection<byte[], byte[]> reader;

    /**
     * The names that messages use for a server and its settings.
     *
     * @param server such as {@code the store}
     * @param section of {@code thalweg.yaml} that contains its settings
     */
    record Naming(String server, String section) {
        static final Naming STORE = new Naming("the store", "store");

        /** The naming for a server of lookup tables in {@code thalweg.yaml}. */
        static Naming lookups(String name) {
            return new Naming("the server of lookup tables", "redis." + name);
        }

        String uri() {
            return section + ".uri";
        }

        String tls() {
            return section + ".tls";
        }
    }

    /**
     * Connects.
     *
     * @param naming for messages
     * @param patience how long writes wait for an unreachable server
     * @param writerCount connections for writes
     * @throws StoreException if it cannot be reached or refuses; the message names the address and what to check
     */
    RedisLink(DeploymentConfig.RedisServer server, Naming naming, Duration patience, int writerCount) {
        this.server = server;
        this.naming = naming;
        this.tls = server.tls() == null ? ClientTls.DEFAULT : server.tls();
        this.ssl = server.encrypts() ? ssl(naming, this.tls) : SslOptions.create();
        this.patienceMs = patience.toMillis();
        this.resources = DefaultClientResources.builder()
                .commandLatencyRecorder(CommandLatencyRecorder.disabled()) // its events have no subscriber
                .reconnectDelay(Delay.fullJitter(Duration.ofMillis(5), Duration.ofSeconds(1), 5, TimeUnit.MILLISECONDS))
                .build();
        Disposable unused = resources.eventBus().get().subscribe(this::noteReconnects);
        try {
            requireMaster();
            cluster = !server.isBySentinel() && isCluster();
            // The driver connects to the nodes of a cluster on first use; until then they only seem disconnected.
            ClientOptions.DisconnectedBehavior reading = cluster
                    ? ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS
                    : ClientOptions.DisconnectedBehavior.REJECT_COMMANDS;
            reader = connector(READ, reading).get();
            Supplier<StatefulConnection<byte[], byte[]>> connect =
                    connector(patience.dividedBy(ATTEMPTS), ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS);
            for (int i = 0; i < writerCount; i++) {
                writers.add(connect.get());
            }
        } catch (RedisException e) {
            close();
            throw failure(CONNECTING, e);
        } catch (StoreException e) {
            close();
            throw e;
        }
    }

    /** The driver fails commands meanwhile without the reason. */
    private void noteReconnects(Event event) {
        if (event instanceof ConnectionActivatedEvent) {
            refusal = null;
        } else if (event instanceof ReconnectFailedEvent failed) {
            refusal = root(failed.getCause()) instanceof RedisCommandExecutionException answer ? answer : null;
        }
    }

    /** Reads the files here, because the driver would report an unusable file as an unreachable server. */
    private static SslOptions ssl(Naming naming, ClientTls tls) {
        try {
            SslOptions.Builder options = SslOptions.builder().jdkSslProvider().trustManager(tls.trust());
            KeyManagerFactory identity = tls.identity();
            return (identity == null ? options : options.keyManager(identity)).build();
        } catch (IOException e) {
            throw new StoreException(naming.tls() + "." + e.getMessage(), e);
        }
    }

    /** Asks for the names of masters, because the driver would only report that it has no address. */
    private void requireMaster() {
        if (!server.isBySentinel()) {
            return;
        }
        RedisURI address = address(CONNECT);
        try (RedisClient client = RedisClient.create(resources, address)) {
            client.setOptions(options(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS));
            try (StatefulRedisSentinelConnection<String, String> connection = client.connectSentinel()) {
                List<String> names = connection.sync().masters().stream()
                        .map(master -> String.valueOf(master.get("name")))
                        .sorted()
                        .toList();
                if (!names.contains(address.getSentinelMasterId())) {
                    throw new StoreException("the Sentinels of " + naming.server() + " " + place() + " know no master '"
                            + address.getSentinelMasterId() + "'"
                            + (names.isEmpty()
                                    ? ", nor any other: their configuration needs sentinel monitor"
                                    : "; name one that they know in " + naming.uri() + ", after the #: "
                                            + String.join(", ", names)));
                }
            }
        } catch (RedisException e) {
            throw failure(ASKING, e);
        }
    }

    private boolean isCluster() {
        try {
            return askForCluster();
        } catch (RedisConnectionException e) {
            // A server that refuses a password may close the connection before its answer is seen; the second attempt
            // reports the reason.
            if (!String.valueOf(root(e).getMessage()).contains("closed prematurely")) {
                throw e;
            }
            return askForCluster();
        }
    }

    private boolean askForCluster() {
        try (RedisClient client = RedisClient.create(resources, address(CONNECT))) {
            client.setOptions(options(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS));
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                return connection.sync().info("cluster").contains("cluster_enabled:1");
            }
        }
    }

    private Supplier<StatefulConnection<byte[], byte[]>> connector(
            Duration timeout, ClientOptions.DisconnectedBehavior away) {
        if (!cluster) {
            RedisClient client = RedisClient.create(resources, address(timeout));
            clients.add(client);
            client.setOptions(options(away));
            return () -> client.connect(ByteArrayCodec.INSTANCE);
        }
        RedisClusterClient client = RedisClusterClient.create(resources, address(timeout));
        clients.add(client);
        client.setOptions(ClusterClientOptions.builder(options(away))
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        // A node that is down cannot report which node has taken over.
                        .enablePeriodicRefresh(Duration.ofSeconds(3))
                        .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(1))
                        .build())
                .build());
        return () -> client.connect(ByteArrayCodec.INSTANCE);
    }

    private RedisURI address(Duration timeout) {
        RedisURI address = RedisLogins.address(server);
        address.setTimeout(timeout);
        address.setClientName("thalweg");
        return address;
    }

    private ClientOptions options(ClientOptions.DisconnectedBehavior away) {
        return ClientOptions.builder()
                .disconnectedBehavior(away)
                .timeoutOptions(TimeoutOptions.enabled())
                .sslOptions(ssl)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECT)
                        .keepAlive(true)
                        .build())
                .build();
    }

    private RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return cluster
                ? ((StatefulRedisClusterConnection<byte[], byte[]>) connection).async()
                : ((StatefulRedisConnection<byte[], byte[]>) connection).async();
    }

    RedisClusterAsyncCommands<byte[], byte[]> reader() {
        return commands(reader);
    }

    /** Whether one server executes the commands of readers in the order in which they are sent. */
    boolean inOrder() {
        return !cluster;
    }

    /**
     * Returns the slot of a key: in a cluster that of Redis, otherwise the number of a connection. One call may write several keys
     * of a slot, and the calls of a slot arrive in the order in which they are made.
     */
    int slot(byte[] key) {
        return cluster ? SlotHash.getSlot(key) : Math.floorMod(Arrays.hashCode(key), writers.size());
    }

    /**
     * Sends commands of a reader.
     *
     * @param doing as of {@link #await}
     */
    void read(String doing, List<? extends RedisCommand<byte[], byte[], ?>> commands) {
        try {
            dispatch(reader, commands);
        } catch (RedisException e) { // the driver throws some failures, and returns others
            throw failure(doing, e);
        }
    }

    private void dispatch(
            StatefulConnection<byte[], byte[]> connection, List<? extends RedisCommand<byte[], byte[], ?>> commands) {
        if (cluster) { // a batch would wait for an unreachable node
            commands.forEach(connection::dispatch);
        } else {
            connection.dispatch(commands);
        }
    }

    /**
     * A script call that is ready to be sent.
     *
     * @param connection the connection on which {@link #send} sends it
     * @param reply completes after it is sent; while the server is unreachable, the call is retried until the patience
     *   is over
     */
    record Call(int connection, AsyncCommand<byte[], byte[], Long> command, CompletionStage<Long> reply) {}

    /** Creates a call of a script that writes keys of one slot. */
    Call call(Script script, byte[][] keys, byte[]... arguments) {
        int connection = slot(keys[0]) % writers.size();
        AsyncCommand<byte[], byte[], Long> command = script.command(keys, arguments);
        CompletionStage<Long> reply = script.orAsText(command, commands(writers.get(connection)), keys, arguments)
                .exceptionallyCompose(failure -> again(failure, script, keys, arguments, patienceMs, FIRST_PAUSE_MS));
        return new Call(connection, command, reply);
    }

    /** Sends calls of one connection, to a single server in one write; their replies report the outcome. */
    void send(int connection, List<AsyncCommand<byte[], byte[], Long>> commands) {
        try {
            dispatch(writers.get(connection), commands);
        } catch (RedisException e) {
            commands.forEach(command -> command.completeExceptionally(e));
        }
    }

    private CompletionStage<Long> attempt(Script script, byte[][] keys, byte[][] arguments, long leftMs, long pauseMs) {
        return script.call(commands(writers.get(slot(keys[0]) % writers.size())), keys, arguments)
                .exceptionallyCompose(failure -> again(failure, script, keys, arguments, leftMs, pauseMs));
    }

    private CompletionStage<Long> again(
            Throwable failure, Script script, byte[][] keys, byte[][] arguments, long leftMs, long pauseMs) {
        Throwable cause = Script.cause(failure);
        if (!cluster && String.valueOf(cause.getMessage()).contains(REPLICA)) {
            leave(slot(keys[0]) % writers.size());
        }
        boolean late = cause instanceof RedisCommandTimeoutException;
        long spentMs = late ? patienceMs / ATTEMPTS : pauseMs;
        if (spentMs >= leftMs || !(late || isPassing(cause))) {
            return CompletableFuture.failedFuture(cause);
        }
        Executor now = late ? Runnable::run : CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS);
        long nextPauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
        return CompletableFuture.completedFuture(script)
                .thenComposeAsync(call -> attempt(call, keys, arguments, leftMs - spentMs, nextPauseMs), now);
    }

    /** Opens a connection to a demoted master again, because its address may lead to the new master now. */
    private void leave(int connection) {
        if (leaving.add(connection)) {
            var unused = commands(writers.get(connection))
                    .quit()
                    .whenComplete((reply, failure) -> leaving.remove(connection));
        }
    }

    private static boolean isPassing(Throwable failure) {
        String said = String.valueOf(failure.getMessage());
        return failure instanceof RedisConnectionException
                || failure instanceof IOException // the socket's error, reported to the oldest waiting command
                || failure instanceof PartitionSelectorException
                || PASSING.stream().anyMatch(said::startsWith);
    }

    /**
     * Waits for a reply.
     *
     * @param doing what fails if it fails, such as {@code reading rows of demand}
     */
    <T> T await(CompletionStage<T> reply, String doing) {
        try {
            return reply.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw failure(doing, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while " + doing, e);
        }
    }

    /** Creates the exception; its message names the server, its answer and the remedy. */
    StoreException failure(String doing, Throwable failure) {
        Throwable root = root(failure);
        // The system's own transport puts its call first: "finishConnect(..) failed with error(-111): Connection
        // refused".
        String said = String.valueOf(root.getMessage()).replaceFirst("^\\w+\\(\\.\\.\\) failed[^:]*: ", "");
        String store = naming.server() + " " + place();
        RedisCommandExecutionException answer = refusal;
        if (answer != null && !(root instanceof RedisCommandExecutionException)) {
            String refused = String.valueOf(answer.getMessage());
            return new StoreException(
                    Kind.PASSING,
                    store + " refuses connections while " + doing + ": " + refused + "; " + remedy(refused, doing),
                    failure);
        }
        if (root instanceof RedisCommandTimeoutException) {
            return new StoreException(
                    Kind.PASSING,
                    store + " did not answer in time while " + doing
                            + "; check that the server runs and can be reached, and what keeps it busy"
                            + (isOpening(doing) && server.encrypts() ? ", and that it speaks TLS on this port" : ""),
                    failure);
        }
        if (root instanceof RedisCommandExecutionException) {
            return new StoreException(
                    kind(said), store + " refused while " + doing + ": " + said + "; " + remedy(said, doing), failure);
        }
        return new StoreException(
                Kind.PASSING,
                store + " is away while " + doing + ": " + said + "; check " + naming.uri() + ", and that a Redis "
                        + (ASKING.equals(doing) ? "Sentinel" : "server") + " runs there" + tlsHint(doing, root),
                failure);
    }

    private static boolean isOpening(String doing) {
        return CONNECTING.equals(doing) || ASKING.equals(doing);
    }

    /** A server that speaks only TLS, or demands a client certificate, may close a connection without a reason. */
    private String tlsHint(String doing, Throwable root) {
        boolean closed = isOpening(doing)
                && !(root instanceof ConnectException
                        || root instanceof NoRouteToHostException
                        || root instanceof UnknownHostException);
        if (server.encrypts()) {
            String trust =
                    tls.ca() == null ? "Java trusts (or set " + naming.tls() + ".ca)" : naming.tls() + ".ca trusts";
            return " with TLS and a certificate that " + trust + (closed ? identityHint() : "");
        }
        String scheme = server.uri().getScheme();
        return closed
                ? "; if it speaks only TLS, write " + scheme.replace("redis", "rediss") + ":// instead of " + scheme
                        + "://"
                : "";
    }

    private String identityHint() {
        return tls.certificate() == null
                ? "; if it demands a client certificate, set " + naming.tls() + ".certificate and .key, or"
                        + " tls-auth-clients no in redis.conf"
                : ", and that it accepts the certificate of " + naming.tls() + ".certificate";
    }

    /** Returns the answer of the server, or the root cause if there is none; of a refused connection the one with its address. */
    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null
                && !(root instanceof RedisCommandExecutionException || root instanceof ConnectException)) {
            root = root.getCause();
        }
        return root;
    }

    /** Classifies an answer of the server by whether it may change soon. */
    private static Kind kind(String said) {
        if (said.contains("WRONGTYPE")) {
            return Kind.ROWS;
        }
        boolean passes = said.startsWith("BUSY")
                || MENDABLE.stream().anyMatch(said::contains)
                || PASSING.stream().anyMatch(said::startsWith);
        return passes ? Kind.PASSING : Kind.LASTING;
    }

    private String remedy(String said, String doing) {
        if (said.contains("OOM")) {
            return "raise its maxmemory, or keep rows for less time (online.ttl, online.history)";
        }
        if (said.contains("WRONGTYPE")) {
            return "something else writes under these keys; name another store.project";
        }
        if (said.contains("NOAUTH") || said.contains("WRONGPASS") || said.contains("invalid password")) {
            return ASKING.equals(doing)
                    ? "check " + naming.section() + ".sentinel.user and .password"
                    : "check the user and the password in " + naming.uri() + ": "
                            + server.uri().getScheme() + "://USER:PASSWORD@HOST:PORT"
                            + (isOpening(doing) ? "" : change());
        }
        if (said.contains("NOPERM")) {
            return "allow this user the commands that docs/reference/redis.md lists";
        }
        if (said.contains("MISCONF")) {
            return "it cannot save to its disk: make room there, see the server's log";
        }
        if (said.contains("NOREPLICAS")) {
            return "start its replicas, or lower its min-replicas-to-write";
        }
        if (said.contains(REPLICA)) {
            return server.isBySentinel()
                    ? "it goes on when the Sentinels name a master that accepts writes"
                    : naming.uri() + " names a replica; name the master, or make it one: REPLICAOF NO ONE";
        }
        return "the server's log may say more";
    }

    private String change() {
        return server.current() == null
                ? "; if they have changed, restart with the new ones (of ${file:PATH}, changes need no restart)"
                : "; its files are read again for each connection";
    }

    /** The address without user and password. */
    String place() {
        if (server.isBySentinel()) {
            return server.name();
        }
        URI uri = server.uri();
        int port = uri.getPort() < 0 ? RedisURI.DEFAULT_REDIS_PORT : uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + ":" + port + uri.getPath();
    }

    @Override
    public void close() {
        clients.forEach(AbstractRedisClient::close);
        var unused = resources.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
