package io.thalweg.model.deployment;

import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlFile;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a deployment, {@code thalweg.yaml}: addresses, folders, ports. The keys are documented in {@code
 * docs/reference/configuration.md}. Relative paths are relative to the working directory.
 *
 * <p><b>Secrets.</b> {@link #toString} and {@link #describe} print {@code ***} for values from <code>${}</code>, for keys that
 * match password, secret, token, jaas or auth, for options of checkpoints that match key, and for user info in URIs.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param deployment names the job, its checkpoint folder, consumer group and transaction prefix
 * @param kafka clusters by the name that definitions use
 * @param redis servers that lookup tables are in, by the name that definitions use
 * @param catalogs of tables, by the name that definitions use
 * @param schemaRegistries by the name that definitions use
 * @param google endpoints and credentials of Google's services
 * @param load how rows are published into the store
 * @param flink the cluster that jobs run on; null = this process
 * @param views definition files and folders in which names on the command line are looked up
 * @param secrets paths of the values that came from <code>${}</code>, such as {@code kafka.default.bootstrap}
 */
public record DeploymentConfig(
        String deployment,
        Map<String, Kafka> kafka,
        Map<String, RedisServer> redis,
        Map<String, Catalog> catalogs,
        Map<String, SchemaRegistry> schemaRegistries,
        Google google,
        Checkpoints checkpoints,
        Store store,
        Server server,
        Load load,
        @Nullable Flink flink,
        List<Path> views,
        Set<String> secrets) {
    static final Path STORE_PATH = Path.of(".thalweg", "store");

    /** A "key" of a file system is a secret, as in {@code fs.azure.account.key}; in {@code thalweg.yaml}, keys name a file. */
    private static final Pattern SECRET =
            Pattern.compile("(?i).*(password|secret|token|jaas|auth).*|checkpoints\\.options\\..*key.*");

    private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s,]+@");

    public DeploymentConfig {
        kafka = Map.copyOf(kafka);
        redis = Map.copyOf(redis);
        catalogs = Map.copyOf(catalogs);
        schemaRegistries = Map.copyOf(schemaRegistries);
        views = List.copyOf(views);
        secrets = Set.copyOf(secrets);
    }

    /**
     * A Kafka cluster.
     *
     * @param bootstrap {@code host:port}, several separated by commas
     * @param properties passed to every client as they are
     * @param reader how {@code run} reads its topics
     */
    public record Kafka(String bootstrap, Map<String, String> properties, Reader reader) {
        /** How topics are read: {@code kafka.NAME.reader}. */
        public enum Reader {
            /** Whole batches, as brokers store and send them. */
            BATCHES,
            /** Kafka's own consumer, record by record. */
            CONSUMER
        }

        public Kafka {
            properties = Map.copyOf(properties);
        }

        /** Creates a cluster that is read in batches. */
        public Kafka(String bootstrap, Map<String, String> properties) {
            this(bootstrap, properties, Reader.BATCHES);
        }

        /** Prints only the names of the properties, because values may be secrets. */
        @Override
        public String toString() {
            return "Kafka[bootstrap=***, properties="
                    + properties.keySet().stream().sorted().toList() + "]";
        }
    }

    /**
     * Where and how often state is checkpointed.
     *
     * @param dir a path of this machine, or the URI of a folder that one of Flink's file systems reaches
     * @param options of Flink for that file system
     */
    public record Checkpoints(String dir, DurationText every, Map<String, String> options) {
        public Checkpoints {
            options = Map.copyOf(options);
        }

        /** Creates checkpoints in a folder of this machine. */
        public static Checkpoints in(Path dir, DurationText every) {
            return new Checkpoints(dir.toString(), every, Map.of());
        }

        /** Prints only the names of the options, because values may be secrets. */
        @Override
        public String toString() {
            return "Checkpoints[dir=" + dir + ", every=" + every.text() + ", options="
                    + options.keySet().stream().sorted().toList() + "]";
        }
    }

    /** The online store. */
    public sealed interface Store {
        /** The value of {@code store.type}. */
        String type();
    }

    /** The embedded store, RocksDB in a folder; it belongs to one process. */
    public record RocksDb(Path path) implements Store {
        @Override
        public String type() {
            return "rocksdb";
        }
    }

    /**
     * A store in Redis.
     *
     * @param project prefix of all keys
     */
    public record Redis(RedisServer server, String project) implements Store {
        @Override
        public String type() {
            return "redis";
        }

        /** Identifies the store, also in messages; contains neither user nor password. */
        public String name() {
            return server.name() + " project " + project;
        }

        @Override
        public String toString() {
            return "Redis[" + name() + "]";
        }
    }

    /**
     * A Cassandra cluster.
     *
     * @param contactPoints {@code host[:port]} of some of its nodes, at least one
     * @param keyspace created if it does not exist
     * @param datacenter whose nodes receive requests; null = that of the contact points
     * @param user null if the cluster requires none
     * @param password of the user, read again for each new connection
     * @param replication of a keyspace that is created: copies in the data center; null = 3, or the number of its nodes
     * @param tls null = unencrypted
     */
    public record Cassandra(
            List<String> contactPoints,
            String keyspace,
            @Nullable String datacenter,
            @Nullable String user,
            @Nullable Secret password,
            @Nullable Integer replication,
            @Nullable ClientTls tls)
            implements Store, Serializable {
        /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
        public Cassandra(
                List<String> contactPoints,
                String keyspace,
                @Nullable String datacenter,
                @Nullable String user,
                @Nullable Secret password,
                @Nullable Integer replication,
                @Nullable ClientTls tls) {
            this.contactPoints = List.copyOf(contactPoints);
            this.keyspace = keyspace;
            this.datacenter = datacenter;
            this.user = user;
            this.password = password;
            this.replication = replication;
            this.tls = tls;
        }

        @Override
        public String type() {
            return "cassandra";
        }

        /** Identifies the store, also in messages; contains neither user nor password. */
        public String name() {
            return "cassandra://" + String.join(",", contactPoints) + "/" + keyspace;
        }

        @Override
        public String toString() {
            return "Cassandra[" + name() + "]";
        }
    }

    /**
     * A Redis server, a Redis Cluster, or the master that Redis Sentinel names.
     *
     * @param uri {@code redis://[[user:]password@]host[:port][/database]}; of a cluster any of its nodes. With Sentinel
     *   {@code redis-sentinel://[[user:]password@]host[:port][,host[:port]…][/database]#master}, the hosts being Sentinels. With TLS
     *   {@code rediss} and {@code rediss-sentinel}
     * @param current the text of {@code uri}, from which user and password are read for each new connection; null = they do not
     *   change
     * @param sentinel the login at the Sentinels; null = they require none
     * @param tls with {@code rediss} and {@code rediss-sentinel} only; null = {@link ClientTls#DEFAULT} there
     */
    public record RedisServer(
            URI uri,
            @Nullable Secret current,
            @Nullable Login sentinel,
            @Nullable ClientTls tls) implements Serializable {
        /** Creates an address whose secrets do not change. */
        public RedisServer(URI uri, @Nullable ClientTls tls) {
            this(uri, null, null, tls);
        }

        /** Whether Sentinels name the server. */
        public boolean isBySentinel() {
            return uri.getScheme().endsWith("-sentinel");
        }

        /** Whether connections are encrypted. */
        public boolean encrypts() {
            return uri.getScheme().startsWith("rediss");
        }

        /** Returns the address without user and password. */
        public String name() {
            return USER_INFO.matcher(uri.toString()).replaceAll("$1");
        }

        /** Omits user and password. */
        @Override
        public String toString() {
            return "RedisServer[" + name() + "]";
        }
    }

    /**
     * A user and a password.
     *
     * @param user null = the default user
     */
    public record Login(@Nullable String user, Secret password) implements Serializable {}

    /**
     * The feature server. Port 0 = any free one.
     *
     * @param adminPort port for administration; null = none
     * @param basemap GeoJSON file that is drawn below the map of the console; null = none
     * @param labels names of the values of entities in the console, by the entity's name
     * @param deadLetters whether the console shows dead letters
     * @param readyMaxAge how far a view's watermark may lag while the server is ready; null = the view's {@code ttl}
     * @param access who may use it
     * @param tracing null = reads are not traced
     * @param servingLog null = no answers are kept
     */
    public record Server(
            String bind,
            int port,
            @Nullable Integer adminPort,
            @Nullable Path basemap,
            Map<String, Map<String, String>> labels,
            boolean deadLetters,
            @Nullable DurationText readyMaxAge,
            Access access,
            @Nullable TracingConfig tracing,
            @Nullable ServingLogConfig servingLog,
            Qalm qalm) {
        /** Creates a server on 127.0.0.1, open to all programs of this machine. */
        public static Server loopback(int port) {
            return new Server(
                    "127.0.0.1", port, null, null, Map.of(), true, null, Access.OPEN, null, null, Qalm.DEFAULT);
        }

        /** Returns a copy that keeps a sample of answers. */
        public Server withServingLog(ServingLogConfig other) {
            return new Server(
                    bind, port, adminPort, basemap, labels, deadLetters, readyMaxAge, access, tracing, other, qalm);
        }
    }

    /**
     * Load management of the feature server.
     *
     * @param mode upper bound of what it does
     * @param rules file of the rules; null = none
     * @param control address of rules shared by many servers; null = none. Without both, all callers are treated alike
     * @param dir where the rules in force and the audit trail are kept
     */
    public record Qalm(
            Mode mode, @Nullable Path rules, @Nullable URI control, Path dir) {
        /** On, with all callers treated alike. */
        public static final Qalm DEFAULT = new Qalm(Mode.ON, null, null, Path.of(".thalweg", "qalm"));

        /** The mode of load management. */
        public enum Mode {
            OFF,
            SHADOW,
            ON
        }
    }

    /**
     * How a load job writes a store: bounds within which it adapts automatically.
     *
     * @param batchRows maximum rows of a write
     * @param batchBytes approximate maximum memory of the rows of a write
     * @param linger how long rows wait to be written in a batch
     * @param inFlight maximum writes in flight, per subtask
     * @param targetLatency latency of a write above which batches get smaller
     */
    public record Load(int batchRows, int batchBytes, DurationText linger, int inFlight, DurationText targetLatency)
            implements Serializable {
        /** The settings if the key is absent. */
        public static final Load DEFAULTS =
                new Load(5_000, 4 << 20, DurationText.parse("20ms"), 4, DurationText.parse("200ms"));
    }

    /** A catalog of tables. */
    public sealed interface Catalog {}

    /** A folder that contains a folder for each namespace, which contains one for each table. */
    public record FolderCatalog(Path folder) implements Catalog {}

    /**
     * A service with Iceberg's REST protocol.
     *
     * @param warehouse which of its warehouses; null = its only one
     * @param token a bearer token; null = none
     */
    public record RestCatalog(
            URI rest, @Nullable String warehouse, @Nullable String token) implements Catalog {
        /** Omits the token. */
        @Override
        public String toString() {
            return "RestCatalog[rest=***, warehouse=" + warehouse + "]";
        }
    }

    /**
     * A schema registry with the API of Confluent's.
     *
     * @param user with {@code password}; null = none
     * @param token a bearer token; null = none
     */
    public record SchemaRegistry(
            URI url,
            @Nullable String user,
            @Nullable String password,
            @Nullable String token) {
        /** Omits the secrets. */
        @Override
        public String toString() {
            return "SchemaRegistry[url=***]";
        }
    }

    /**
     * Endpoints and credentials of Google's services.
     *
     * @param credentials file of a service account; null = those of the environment
     * @param endpoint {@code host:port} of BigQuery's Storage Write API; null = Google's
     * @param restEndpoint {@code host:port} of BigQuery's REST API; null = Google's
     * @param pubsubEndpoint {@code host:port} of Pub/Sub; null = Google's, or the emulator that the environment names
     */
    public record Google(
            @Nullable Path credentials,
            @Nullable String endpoint,
            @Nullable String restEndpoint,
            @Nullable String pubsubEndpoint) {
        /** Google's own endpoints, with the credentials of the environment. */
        public static final Google DEFAULT = new Google(null, null, null, null);
    }

    /**
     * A Flink cluster.
     *
     * @param rest the address of its REST API: {@code http://host:port}
     * @param tls identity used by, and required from, live readers of its processes; null = none
     */
    public record Flink(URI rest, @Nullable PeerTls tls) {}

    /**
     * The identity of a process among others of the same kind.
     *
     * @param certificate PEM file of its certificate and those up to the authority's
     * @param key PEM file of its private key, PKCS #8
     * @param ca PEM file of the authorities that sign the certificates of all of them
     */
    public record PeerTls(Path certificate, Path key, Path ca) {}

    /** Returns the configuration that applies without a file. */
    public static DeploymentConfig defaults() {
        return new DeploymentConfig(
                "local",
                Map.of("default", new Kafka("localhost:9092", Map.of())),
                Map.of("default", new RedisServer(URI.create("redis://localhost:6379"), null)),
                Map.of("default", new FolderCatalog(Path.of(".thalweg", "warehouse"))),
                Map.of(),
                Google.DEFAULT,
                Checkpoints.in(Path.of(".thalweg", "checkpoints"), DurationText.parse("10s")),
                new RocksDb(STORE_PATH),
                Server.loopback(8080),
                Load.DEFAULTS,
                null,
                List.of(),
                Set.of());
    }

    /**
     * Reads a file.
     *
     * @param env the environment for <code>${VAR}</code>
     * @throws DefinitionException with all problems
     */
    public static DeploymentConfig load(Path file, Map<String, String> env) {
        Problems problems = new Problems();
        DeploymentConfig read = YamlFile.text(file, problems)
                .map(text -> DeploymentConfigReader.read(text, file.toString(), env, problems))
                .orElseGet(DeploymentConfig::defaults);
        problems.throwIfAny();
        return read;
    }

    /**
     * Reads a text.
     *
     * @param fileName the name in the problems
     * @throws DefinitionException with all problems
     */
    public static DeploymentConfig parse(String yaml, String fileName, Map<String, String> env) {
        Problems problems = new Problems();
        DeploymentConfig read = DeploymentConfigReader.read(yaml, fileName, env, problems);
        problems.throwIfAny();
        return read;
    }

    /** Returns all values as sorted lines {@code path = value}, secrets as {@code ***}, for display. */
    public String describe() {
        return values().entrySet().stream()
                .map(entry -> entry.getKey() + " = " + entry.getValue())
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    @Override
    public String toString() {
        return "DeploymentConfig" + values();
    }

    private Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>();
        put(values, "deployment", deployment);
        new java.util.TreeMap<>(kafka).forEach((name, cluster) -> {
            put(values, "kafka." + name + ".bootstrap", cluster.bootstrap());
            new java.util.TreeMap<>(cluster.properties())
                    .forEach((key, value) -> put(values, "kafka." + name + ".properties." + key, value));
            put(values, "kafka." + name + ".reader", cluster.reader().name().toLowerCase(Locale.ROOT));
        });
        Path credentials = google.credentials();
        if (credentials != null) {
            put(values, "google.credentials", credentials.toString());
        }
        String endpoint = google.endpoint();
        if (endpoint != null) {
            put(values, "google.endpoint", endpoint);
        }
        String restEndpoint = google.restEndpoint();
        if (restEndpoint != null) {
            put(values, "google.rest_endpoint", restEndpoint);
        }
        String pubsubEndpoint = google.pubsubEndpoint();
        if (pubsubEndpoint != null) {
            put(values, "google.pubsub_endpoint", pubsubEndpoint);
        }
        new java.util.TreeMap<>(catalogs).forEach((name, catalog) -> {
            String key = "catalogs." + name;
            if (catalog instanceof FolderCatalog in) {
                put(values, key + ".folder", in.folder().toString());
            } else if (catalog instanceof RestCatalog at) {
                put(values, key + ".rest", at.rest().toString());
                putIfSaid(values, key + ".warehouse", at.warehouse());
                putIfSaid(values, key + ".token", at.token());
            }
        });
        new java.util.TreeMap<>(schemaRegistries).forEach((name, registry) -> {
            String key = "schema_registry." + name;
            put(values, key + ".url", registry.url().toString());
            putIfSaid(values, key + ".auth.user", registry.user());
            putIfSaid(values, key + ".auth.password", registry.password());
            putIfSaid(values, key + ".auth.token", registry.token());
        });
        new java.util.TreeMap<>(redis).forEach((name, server) -> put(values, "redis." + name, server));
        put(values, "checkpoints.dir", checkpoints.dir());
        put(values, "checkpoints.every", checkpoints.every().text());
        new java.util.TreeMap<>(checkpoints.options())
                .forEach((key, value) -> put(values, "checkpoints.options." + key, value));
        put(values, "store.type", store.type());
        if (store instanceof RocksDb rocks) {
            put(values, "store.path", rocks.path().toString());
        } else if (store instanceof Redis redis) {
            put(values, "store", redis.server());
            put(values, "store.project", redis.project());
        } else if (store instanceof Cassandra cassandra) {
            put(values, cassandra);
        }
        put(values, "server.bind", server.bind());
        put(values, "server.port", String.valueOf(server.port()));
        Integer adminPort = server.adminPort();
        if (adminPort != null) {
            put(values, "server.admin_port", adminPort.toString());
        }
        Path basemap = server.basemap();
        if (basemap != null) {
            put(values, "server.basemap", basemap.toString());
        }
        new java.util.TreeMap<>(server.labels())
                .forEach((entity, names) -> new java.util.TreeMap<>(names)
                        .forEach((named, label) -> put(values, "server.labels." + entity + "." + named, label)));
        if (!server.deadLetters()) {
            put(values, "server.dead_letters", "false");
        }
        DurationText readyMaxAge = server.readyMaxAge();
        if (readyMaxAge != null) {
            put(values, "server.ready_max_age", readyMaxAge.text());
        }
        Access.Tls serverTls = server.access().tls();
        if (serverTls != null) {
            put(values, "server.tls.certificate", serverTls.certificate().toString());
            put(values, "server.tls.key", serverTls.key().toString());
            putIfSaid(values, "server.tls.client_ca", serverTls.clientCa());
        }
        Path callers = server.access().callers();
        if (callers != null) {
            values.put("server.auth.callers", callers.toString()); // the path is not a secret
        }
        Access.Oidc oidc = server.access().oidc();
        if (oidc != null) {
            describe(oidc).forEach((key, value) -> {
                if (value != null) {
                    values.put("server.auth.oidc." + key, value.toString()); // not a secret either
                }
            });
        }
        if (server.access().insecure()) {
            put(values, "server.insecure", "true");
        }
        TracingConfig tracing = server.tracing();
        if (tracing != null) {
            put(values, tracing);
        }
        ServingLogConfig servingLog = server.servingLog();
        if (servingLog != null) {
            put(values, servingLog);
        }
        put(values, "server.qalm.mode", server.qalm().mode().name().toLowerCase(Locale.ROOT));
        Path rules = server.qalm().rules();
        if (rules != null) {
            put(values, "server.qalm.rules", rules.toString());
        }
        URI control = server.qalm().control();
        if (control != null) {
            put(values, "server.qalm.control", control.toString());
        }
        if (rules != null || control != null || adminPort != null) {
            put(values, "server.qalm.dir", server.qalm().dir().toString());
        }
        put(values, "load.batch_rows", String.valueOf(load.batchRows()));
        put(values, "load.batch_bytes", String.valueOf(load.batchBytes()));
        put(values, "load.linger", load.linger().text());
        put(values, "load.in_flight", String.valueOf(load.inFlight()));
        put(values, "load.target_latency", load.targetLatency().text());
        if (flink != null) {
            put(values, "flink.rest", flink.rest().toString());
            PeerTls peer = flink.tls();
            if (peer != null) {
                put(values, "flink.tls.certificate", peer.certificate().toString());
                put(values, "flink.tls.key", peer.key().toString());
                put(values, "flink.tls.ca", peer.ca().toString());
            }
        }
        for (int i = 0; i < views.size(); i++) {
            put(values, "views[" + i + "]", views.get(i).toString());
        }
        return values;
    }

    private void put(Map<String, String> values, ServingLogConfig log) {
        put(values, "server.serving_log.dir", log.dir().toString());
        put(values, "server.serving_log.sample", String.valueOf(log.sample()));
        put(values, "server.serving_log.max_per_second", String.valueOf(log.maxPerSecond()));
        for (int i = 0; i < log.views().size(); i++) {
            put(values, "server.serving_log.views[" + i + "]", log.views().get(i));
        }
        put(values, "server.serving_log.keep", log.keep().text());
        putIfSaid(values, "server.serving_log.hash_secret", log.hashSecret());
    }

    private void put(Map<String, String> values, TracingConfig tracing) {
        put(values, "server.tracing.endpoint", tracing.endpoint().toString());
        put(values, "server.tracing.ratio", String.valueOf(tracing.ratio()));
        put(values, "server.tracing.service_name", tracing.serviceName());
        tracing.headers().keySet().forEach(name -> values.put("server.tracing.headers." + name, "***"));
        putIfSaid(values, "server.tracing.ca", tracing.ca());
    }

    private void put(Map<String, String> values, String path, RedisServer server) {
        put(values, path + ".uri", server.uri().toString());
        Login sentinel = server.sentinel();
        if (sentinel != null) {
            putIfSaid(values, path + ".sentinel.user", sentinel.user());
            put(values, path + ".sentinel.password", sentinel.password().text());
        }
        put(values, path + ".tls", server.tls());
    }

    private void put(Map<String, String> values, Cassandra cassandra) {
        put(values, "store.contact_points", String.join(", ", cassandra.contactPoints()));
        put(values, "store.keyspace", cassandra.keyspace());
        putIfSaid(values, "store.datacenter", cassandra.datacenter());
        putIfSaid(values, "store.user", cassandra.user());
        putIfSaid(values, "store.password", cassandra.password());
        putIfSaid(values, "store.replication", cassandra.replication());
        put(values, "store.tls", cassandra.tls());
    }

    private void put(Map<String, String> values, String path, @Nullable ClientTls tls) {
        if (tls != null) {
            put(values, path + ".ca", Objects.requireNonNullElse(tls.ca(), ""));
            putIfSaid(values, path + ".certificate", tls.certificate());
            putIfSaid(values, path + ".key", tls.key());
        }
    }

    private static Map<String, @Nullable Object> describe(Access.Oidc oidc) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("issuer", oidc.issuer());
        values.put("audience", oidc.audience());
        values.put("jwks", oidc.jwks());
        values.put("ca", oidc.ca());
        values.put("name_claim", oidc.nameClaim());
        values.put("role_claim", oidc.roleClaim());
        values.put("reader", oidc.reader());
        values.put("operator", oidc.operator());
        return values;
    }

    private void putIfSaid(Map<String, String> values, String path, @Nullable Object value) {
        if (value != null) {
            put(values, path, String.valueOf(value));
        }
    }

    private void put(Map<String, String> values, String path, String value) {
        boolean secret = secrets.contains(path) || SECRET.matcher(path).matches();
        values.put(path, secret ? "***" : USER_INFO.matcher(value).replaceAll("$1***@"));
    }
}
