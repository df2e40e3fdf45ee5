package io.thalweg.model.deployment;

import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.YamlFile;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code thalweg.yaml}. */
final class DeploymentConfigReader {
    private static final int PORT_MAX = 65_535;
    private static final int REPLICATION_MAX = 99;
    private static final URI NO_ADDRESS = URI.create("http://localhost:8081");
    private static final URI NO_REDIS = URI.create("redis://localhost:6379");
    private static final String SIGNS = "write signs other than letters and digits of a password as %XX";
    private static final Pattern SENTINEL =
            Pattern.compile("rediss?-sentinel://([^/@?#,]*@)?HOST(,HOST)*(/\\d{0,5})?#[A-Za-z0-9._-]+"
                    .replace("HOST", "[^\\s:/@?#,\\[\\]]+(:\\d{1,5})?"));

    private final Substitution substitution;
    private final DeploymentConfig standard = DeploymentConfig.defaults();

    private DeploymentConfigReader(Map<String, String> env) {
        this.substitution = new Substitution(env);
    }

    static DeploymentConfig read(String text, String file, Map<String, String> env, Problems problems) {
        List<YamlValue> documents = YamlFile.documents(text, file, problems);
        if (documents.isEmpty()) {
            return DeploymentConfig.defaults();
        }
        if (documents.size() > 1) {
            documents.get(1).problem("must be the only document of the file; remove what follows ---");
        }
        return new DeploymentConfigReader(env).read(documents.get(0).map());
    }

    private DeploymentConfig read(YamlMap map) {
        String deployment = map.optional("deployment").map(this::name).orElse(standard.deployment());
        DeploymentConfig read = new DeploymentConfig(
                deployment,
                map.optional("kafka").map(this::clusters).orElse(standard.kafka()),
                map.optional("redis").map(this::redisServers).orElse(standard.redis()),
                map.optional("catalogs").map(this::catalogs).orElse(standard.catalogs()),
                map.optional("schema_registry").map(this::schemaRegistries).orElse(standard.schemaRegistries()),
                map.optional("google").map(this::google).orElse(standard.google()),
                map.optional("checkpoints").map(this::checkpoints).orElse(standard.checkpoints()),
                map.optional("store").map(store -> store(store, deployment)).orElse(standard.store()),
                map.optional("server").map(this::server).orElse(standard.server()),
                map.optional("load").map(DeploymentConfigReader::load).orElse(standard.load()),
                map.optional("flink").map(this::flink).orElse(null),
                map.optional("views").map(YamlValue::list).orElse(List.of()).stream()
                        .map(this::path)
                        .toList(),
                substitution.paths());
        map.close();
        return read;
    }

    private String name(YamlValue value) {
        String name = substitution.text(value);
        if (value.isText() && !name.matches("[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}")) {
            value.wrong("a name of a-z, A-Z, 0-9, '.', '_' and '-', such as local");
        }
        return name;
    }

    private Map<String, DeploymentConfig.Catalog> catalogs(YamlValue value) {
        Map<String, DeploymentConfig.Catalog> catalogs = new LinkedHashMap<>();
        value.map().all().forEach((name, catalog) -> catalogs.put(name, catalog(catalog)));
        return catalogs;
    }

    private DeploymentConfig.Catalog catalog(YamlValue value) {
        YamlMap map = value.map();
        if (map.has("folder") == map.has("rest")) {
            value.wrong("exactly one of folder and rest, such as folder: warehouse or rest: \"http://localhost:8181\"");
        }
        DeploymentConfig.Catalog read = map.has("rest")
                ? new DeploymentConfig.RestCatalog(
                        map.optional("rest").map(this::catalogUri).orElse(NO_ADDRESS),
                        map.optional("warehouse").map(substitution::text).orElse(null),
                        map.optional("token").map(substitution::text).orElse(null))
                : new DeploymentConfig.FolderCatalog(
                        map.optional("folder").map(this::path).orElse(Path.of("?")));
        map.close();
        return read;
    }

    private Map<String, DeploymentConfig.SchemaRegistry> schemaRegistries(YamlValue value) {
        Map<String, DeploymentConfig.SchemaRegistry> registries = new LinkedHashMap<>();
        value.map().all().forEach((name, registry) -> registries.put(name, schemaRegistry(registry)));
        return registries;
    }

    private DeploymentConfig.SchemaRegistry schemaRegistry(YamlValue value) {
        YamlMap map = value.map();
        URI url = map.required("url", "\"http://localhost:8081\"")
                .map(given -> httpUri(given, "the address of a schema registry, such as \"http://localhost:8081\""))
                .orElse(NO_ADDRESS);
        YamlMap auth = map.optional("auth").map(YamlValue::map).orElse(null);
        DeploymentConfig.SchemaRegistry read = new DeploymentConfig.SchemaRegistry(
                url, secret(auth, "user"), secret(auth, "password"), secret(auth, "token"));
        boolean isOne = (read.token() == null) != (read.user() == null);
        if (auth != null && (!isOne || (read.user() == null) != (read.password() == null))) {
            auth.self().problem("must have user and password, or token");
        }
        if (auth != null) {
            auth.close();
        }
        map.close();
        return read;
    }

    private @Nullable String secret(@Nullable YamlMap auth, String key) {
        return auth == null
                ? null
                : auth.optional(key).map(this::password).map(Secret::text).orElse(null);
    }

    private DeploymentConfig.Google google(YamlValue value) {
        YamlMap map = value.map();
        DeploymentConfig.Google read = new DeploymentConfig.Google(
                map.optional("credentials").map(this::path).orElse(null),
                map.optional("endpoint").map(this::endpoint).orElse(null),
                map.optional("rest_endpoint").map(this::endpoint).orElse(null),
                map.optional("pubsub_endpoint").map(this::endpoint).orElse(null));
        map.close();
        return read;
    }

    private String endpoint(YamlValue value) {
        String text = substitution.text(value);
        if (value.isText() && !text.matches("[^\\s:/\\[\\]]+:\\d{1,5}")) {
            value.wrong("host:port, such as \"localhost:9050\"");
        }
        return text;
    }

    private URI catalogUri(YamlValue value) {
        return httpUri(value, "the address of an Iceberg REST catalog without /v1, such as \"http://localhost:8181\"");
    }

    private URI httpUri(YamlValue value, String rule) {
        String text = substitution.text(value);
        try {
            URI uri = new URI(text);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getRawQuery() == null && uri.getRawUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.wrong(rule);
        }
        return NO_ADDRESS;
    }

    private Map<String, DeploymentConfig.Kafka> clusters(YamlValue value) {
        Map<String, DeploymentConfig.Kafka> clusters = new LinkedHashMap<>();
        value.map().all().forEach((name, cluster) -> clusters.put(name, cluster(cluster)));
        return clusters;
    }

    private DeploymentConfig.Kafka cluster(YamlValue value) {
        YamlMap map = value.map();
        String bootstrap = map.required("bootstrap", "\"localhost:9092\"")
                .map(this::bootstrap)
                .orElse("");
        Map<String, String> properties = new LinkedHashMap<>();
        map.optional("properties")
                .ifPresent(all ->
                        all.map().all().forEach((key, property) -> properties.put(key, property(key, property))));
        DeploymentConfig.Kafka.Reader reader = map.optional("reader")
                .map(text -> text.oneOf(DeploymentConfig.Kafka.Reader.class))
                .orElse(DeploymentConfig.Kafka.Reader.BATCHES);
        map.close();
        return new DeploymentConfig.Kafka(bootstrap, properties, reader);
    }

    private String bootstrap(YamlValue value) {
        String text = substitution.text(value);
        for (String address : text.split(",", -1)) {
            if (value.isText() && !address.strip().matches("(\\[[0-9a-fA-F:.%]+]|[^\\s:/\\[\\]]+):\\d{1,5}")) {
                value.wrong("host:port, several separated by commas, such as \"localhost:9092\"");
                break;
            }
        }
        return text;
    }

    private String property(String key, YamlValue value) {
        if (key.equals("bootstrap.servers")) {
            value.problem("is said by bootstrap; remove it");
        }
        return scalar(value);
    }

    private String scalar(YamlValue value) {
        Object scalar = value.scalar();
        if (scalar == null) {
            value.wrong("text, a number, true or false");
            return "";
        }
        return value.isText() ? substitution.text(value) : String.valueOf(scalar);
    }

    private DeploymentConfig.Checkpoints checkpoints(YamlValue value) {
        YamlMap map = value.map();
        DeploymentConfig.Checkpoints read = new DeploymentConfig.Checkpoints(
                map.optional("dir")
                        .map(this::folder)
                        .orElse(standard.checkpoints().dir()),
                map.optional("every")
                        .map(YamlValue::positiveDuration)
                        .orElse(standard.checkpoints().every()),
                map.optional("options").map(this::options).orElse(Map.of()));
        map.close();
        return read;
    }

    /** Reads a local path, or a folder of another storage. It is printed and recorded, so it must not contain credentials. */
    private String folder(YamlValue value) {
        String text = substitution.text(value);
        if (!text.contains(":/")) {
            return path(value).toString();
        }
        try {
            URI uri = new URI(text);
            if (uri.getScheme() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && !String.valueOf(uri.getRawAuthority()).contains("@")
                    && uri.getPath() != null
                    && uri.getPath().startsWith("/")
                    && uri.getPath().length() > 1) {
                return text;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.problem("must be a path, or a URI of a bucket and a folder in it without credentials, such as"
                    + " s3://bucket/checkpoints, was '" + value.text().replaceAll("//[^/]*@", "//***@")
                    + "'; credentials are taken from the environment or checkpoints.options");
        }
        return standard.checkpoints().dir();
    }

    private Map<String, String> options(YamlValue value) {
        Map<String, String> options = new LinkedHashMap<>();
        value.map().all().forEach((key, option) -> options.put(key, scalar(option)));
        return options;
    }

    private DeploymentConfig.Store store(YamlValue value, String deployment) {
        YamlMap map = value.map();
        int problems = value.problems().count();
        StoreType type =
                map.optional("type").map(text -> text.oneOf(StoreType.class)).orElse(StoreType.ROCKSDB);
        if (value.problems().count() > problems) {
            return standard.store(); // the other keys belong to an unknown store
        }
        DeploymentConfig.Store read = switch (type) {
            case ROCKSDB ->
                new DeploymentConfig.RocksDb(
                        map.optional("path").map(this::path).orElse(DeploymentConfig.STORE_PATH));
            case REDIS -> redis(map, deployment);
            case CASSANDRA -> cassandra(map);
        };
        map.close();
        return read;
    }

    private enum StoreType {
        ROCKSDB,
        REDIS,
        CASSANDRA
    }

    private DeploymentConfig.Cassandra cassandra(YamlMap map) {
        String user = map.optional("user").map(substitution::text).orElse(null);
        Secret password = map.optional("password").map(this::password).orElse(null);
        if ((user == null) != (password == null)) {
            map.self().problemAt(user == null ? "user" : "password", "is required beside the other: user and password");
        }
        return new DeploymentConfig.Cassandra(
                map.required("contact_points", "[\"localhost:9042\"]")
                        .map(this::contactPoints)
                        .orElse(List.of()),
                map.required("keyspace", "market").map(this::keyspace).orElse(""),
                map.optional("datacenter").map(substitution::text).orElse(null),
                user,
                password,
                map.optional("replication")
                        .map(value -> value.integer(1, REPLICATION_MAX))
                        .orElse(null),
                map.optional("tls").map(this::clientTls).orElse(null));
    }

    /** Reads a password. Problems never show the value. */
    private Secret password(YamlValue value) {
        if (!value.isText()) {
            value.problem("must be text; write it in quotes");
            return Secret.of("");
        }
        return substitution.secret(value);
    }

    private List<String> contactPoints(YamlValue value) {
        List<String> points = value.list().stream().map(this::contactPoint).toList();
        if (value.isList() && points.isEmpty()) {
            value.wrong("a list of at least one host[:port], such as [\"localhost:9042\"]");
        }
        return points;
    }

    private String contactPoint(YamlValue value) {
        String text = substitution.text(value);
        if (value.isText() && !text.matches("(\\[[0-9a-fA-F:.%]+]|[^\\s:/\\[\\]]+)(:\\d{1,5})?")) {
            value.wrong("host[:port], such as \"localhost:9042\"");
        }
        return text;
    }

    private String keyspace(YamlValue value) {
        String name = substitution.text(value);
        if (value.isText() && !name.matches("[a-zA-Z][a-zA-Z0-9_]{0,47}")) {
            value.wrong("a name of a-z, A-Z, 0-9 and '_' that begins with a letter, of at most 48, such as market");
        }
        return name;
    }

    private ClientTls clientTls(YamlValue value) {
        YamlMap map = value.map();
        String ca = map.optional("ca").map(this::file).orElse(null);
        String certificate = map.optional("certificate").map(this::file).orElse(null);
        String key = map.optional("key").map(this::file).orElse(null);
        map.close();
        if ((certificate == null) != (key == null)) {
            value.problem("must have both certificate and key, or neither");
            return ClientTls.trusting(ca);
        }
        return new ClientTls(ca, certificate, key);
    }

    private String file(YamlValue value) {
        return path(value).toString();
    }

    private DeploymentConfig.Redis redis(YamlMap map, String deployment) {
        return new DeploymentConfig.Redis(
                redisServer(map, "store.uri"),
                map.optional("project").map(this::name).orElse(deployment));
    }

    private Map<String, DeploymentConfig.RedisServer> redisServers(YamlValue value) {
        Map<String, DeploymentConfig.RedisServer> servers = new LinkedHashMap<>();
        value.map().all().forEach((name, server) -> {
            YamlMap map = server.map();
            servers.put(name, redisServer(map, "redis." + name + ".uri"));
            map.close();
        });
        return servers;
    }

    private DeploymentConfig.RedisServer redisServer(YamlMap map, String address) {
        int problems = map.self().problems().count();
        Secret text = map.required("uri", "\"redis://localhost:6379\"")
                .map(substitution::secret)
                .orElse(Secret.of(""));
        DeploymentConfig.RedisServer server = new DeploymentConfig.RedisServer(
                map.optional("uri").map(value -> redisUri(value, text.text())).orElse(NO_REDIS),
                text.files().isEmpty() ? null : text,
                map.optional("sentinel").map(this::login).orElse(null),
                map.optional("tls").map(this::clientTls).orElse(null));
        if (map.self().problems().count() > problems) {
            return server; // what follows depends on its address
        }
        if (!server.encrypts()) {
            String scheme = server.uri().getScheme();
            map.optional("tls")
                    .ifPresent(tls -> tls.problem("needs an address of TLS in " + address + ": "
                            + scheme.replace("redis", "rediss") + ":// instead of " + scheme + "://"));
        }
        if (!server.isBySentinel()) {
            map.optional("sentinel")
                    .ifPresent(login -> login.problem("needs an address of Redis Sentinel in " + address + ", such as"
                            + " \"redis-sentinel://localhost:26379#mymaster\""));
        }
        return server;
    }

    private DeploymentConfig.Login login(YamlValue value) {
        YamlMap map = value.map();
        String user = map.optional("user").map(substitution::text).orElse(null);
        Secret password = map.required("password", "${SENTINEL_PASSWORD}")
                .map(this::password)
                .orElse(Secret.of(""));
        map.close();
        return new DeploymentConfig.Login(user, password);
    }

    private static URI redisUri(YamlValue value, String text) {
        try {
            URI uri = new URI(text);
            if (SENTINEL.matcher(text).matches()
                    || (Set.of("redis", "rediss").contains(String.valueOf(uri.getScheme()))
                            && uri.getHost() != null
                            && uri.getRawPath().matches("(/\\d{0,5})?")
                            && uri.getRawQuery() == null
                            && uri.getRawFragment() == null)) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.problem(
                    text.matches("rediss?-sentinel:.*")
                            ? "must be redis-sentinel://[[USER:]PASSWORD@]SENTINEL[:PORT][,SENTINEL[:PORT]…][/DATABASE]#MASTER,"
                                    + " or rediss-sentinel:// for TLS, such as \"redis-sentinel://s1:26379,s2:26379#mymaster\","
                                    + " with the name by which the Sentinels know the master; "
                                    + SIGNS
                            : "must be redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS, such as"
                                    + " \"redis://localhost:6379\"; "
                                    + SIGNS);
        }
        return NO_REDIS;
    }

    private DeploymentConfig.Server server(YamlValue value) {
        YamlMap map = value.map();
        Access access = access(map);
        DeploymentConfig.Server read = new DeploymentConfig.Server(
                map.optional("bind")
                        .map(bind -> bind(bind, access))
                        .orElse(standard.server().bind()),
                map.optional("port")
                        .map(DeploymentConfigReader::port)
                        .orElse(standard.server().port()),
                map.optional("admin_port").map(DeploymentConfigReader::port).orElse(null),
                map.optional("basemap").map(this::path).orElse(null),
                map.optional("labels").map(DeploymentConfigReader::labels).orElse(Map.of()),
                map.optional("dead_letters").map(YamlValue::bool).orElse(true),
                map.optional("ready_max_age").map(YamlValue::positiveDuration).orElse(null),
                access,
                map.optional("tracing")
                        .map(new TracingReader(substitution::text, this::path)::read)
                        .orElse(null),
                map.optional("serving_log")
                        .map(new ServingLogReader(substitution::text, this::path)::read)
                        .orElse(null),
                map.optional("qalm").map(this::qalm).orElse(standard.server().qalm()));
        Integer adminPort = read.adminPort();
        if (adminPort != null && adminPort != 0 && adminPort == read.port()) {
            map.optional("admin_port")
                    .ifPresent(port -> port.problem("must differ from server.port, was " + adminPort + "; such as "
                            + (adminPort < PORT_MAX ? adminPort + 1 : adminPort - 1)));
        }
        map.close();
        return read;
    }

    private static Map<String, Map<String, String>> labels(YamlValue value) {
        Map<String, Map<String, String>> labels = new LinkedHashMap<>();
        value.map().all().forEach((entity, names) -> {
            Map<String, String> named = new LinkedHashMap<>();
            names.map().all().forEach((of, label) -> named.put(of, label.text()));
            labels.put(entity, named);
        });
        return labels;
    }

    private DeploymentConfig.Qalm qalm(YamlValue value) {
        YamlMap map = value.map();
        DeploymentConfig.Qalm usual = standard.server().qalm();
        DeploymentConfig.Qalm read = new DeploymentConfig.Qalm(
                map.optional("mode")
                        .map(mode -> mode.oneOf(DeploymentConfig.Qalm.Mode.class))
                        .orElse(usual.mode()),
                map.optional("rules").map(this::path).orElse(usual.rules()),
                map.optional("control").map(this::control).orElse(usual.control()),
                map.optional("dir").map(this::path).orElse(usual.dir()));
        map.close();
        return read;
    }

    private URI control(YamlValue value) {
        String text = substitution.text(value);
        try {
            URI control = new URI(text);
            if (Set.of("http", "https").contains(String.valueOf(control.getScheme()))
                    && control.getHost() != null
                    && control.getRawUserInfo() == null
                    && control.getRawFragment() == null) {
                return control;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.wrong("an address of rules without user and password, such as \"http://localhost:8000/qalm.yaml\"");
        }
        return NO_ADDRESS;
    }

    private static DeploymentConfig.Load load(YamlValue value) {
        DeploymentConfig.Load standard = DeploymentConfig.Load.DEFAULTS;
        YamlMap map = value.map();
        DeploymentConfig.Load read = new DeploymentConfig.Load(
                map.optional("batch_rows")
                        .map(rows -> rows.integer(1, 1_000_000))
                        .orElse(standard.batchRows()),
                map.optional("batch_bytes")
                        .map(bytes -> bytes.integer(1_024, 1 << 30))
                        .orElse(standard.batchBytes()),
                map.optional("linger").map(YamlValue::duration).orElse(standard.linger()),
                map.optional("in_flight").map(writes -> writes.integer(1, 256)).orElse(standard.inFlight()),
                map.optional("target_latency").map(YamlValue::positiveDuration).orElse(standard.targetLatency()));
        map.close();
        return read;
    }

    private DeploymentConfig.Flink flink(YamlValue value) {
        YamlMap map = value.map();
        URI rest = map.required("rest", "\"http://localhost:8081\"")
                .map(this::rest)
                .orElse(NO_ADDRESS);
        DeploymentConfig.PeerTls tls = map.optional("tls").map(this::peerTls).orElse(null);
        map.close();
        return new DeploymentConfig.Flink(rest, tls);
    }

    private DeploymentConfig.PeerTls peerTls(YamlValue value) {
        YamlMap map = value.map();
        DeploymentConfig.PeerTls tls = new DeploymentConfig.PeerTls(
                map.required("certificate", "live.pem").map(this::path).orElse(Path.of(".")),
                map.required("key", "live.key").map(this::path).orElse(Path.of(".")),
                map.required("ca", "flink-ca.pem").map(this::path).orElse(Path.of(".")));
        map.close();
        return tls;
    }

    private URI rest(YamlValue value) {
        String text = substitution.text(value);
        try {
            URI rest = new URI(text);
            if ("http".equals(rest.getScheme())
                    && rest.getHost() != null
                    && rest.getPort() > 0
                    && Set.of("", "/").contains(rest.getRawPath())
                    && rest.getRawQuery() == null) {
                return rest;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.wrong("the address of Flink's REST API, such as \"http://localhost:8081\"");
        }
        return NO_ADDRESS;
    }

    private static int port(YamlValue value) {
        return value.integer(0, PORT_MAX);
    }

    private Access access(YamlMap server) {
        Optional<YamlMap> auth = server.optional("auth").map(YamlValue::map);
        Access access = new Access(
                server.optional("tls").map(this::serverTls).orElse(null),
                auth.flatMap(map -> map.optional("callers")).map(this::path).orElse(null),
                auth.flatMap(map -> map.optional("oidc")).map(this::oidc).orElse(null),
                server.optional("insecure").map(YamlValue::bool).orElse(false));
        auth.ifPresent(map -> {
            if (!map.has("callers") && !map.has("oidc")) {
                map.required("callers", "callers.yaml");
            }
            map.close();
        });
        return access;
    }

    private Access.Oidc oidc(YamlValue value) {
        YamlMap map = value.map();
        Access.Oidc oidc = new Access.Oidc(
                map.required("issuer", "https://login.example")
                        .map(issuer -> issuer(issuer, map.has("jwks")))
                        .orElse(""),
                map.required("audience", "thalweg").map(this::filled).orElse(""),
                map.optional("jwks").map(this::jwks).orElse(null),
                map.optional("ca").map(this::path).orElse(null),
                map.optional("name_claim").map(this::filled).orElse("sub"),
                map.optional("role_claim").map(this::filled).orElse("roles"),
                map.optional("reader").map(this::filled).orElse(null),
                map.optional("operator").map(this::filled).orElse(null));
        map.close();
        return oidc;
    }

    /** Reads the issuer. Its OpenID configuration is below its address, unless the location of its keys is given. */
    private String issuer(YamlValue value, boolean hasKeys) {
        String issuer = filled(value);
        if (value.isText() && !issuer.isBlank() && !hasKeys && Access.Oidc.address(issuer) == null) {
            value.wrong("an https address or an http one of this machine, or oidc.jwks must say where its keys are");
        }
        return issuer;
    }

    private String filled(YamlValue value) {
        String text = substitution.text(value);
        if (value.isText() && text.isBlank()) {
            value.problem("must not be blank");
        }
        return text;
    }

    /** Reads an address whose responses cannot be altered in transit, or a file. */
    private URI jwks(YamlValue value) {
        String text = substitution.text(value);
        if (!text.contains("://")) {
            return path(value).toAbsolutePath().toUri();
        }
        URI address = Access.Oidc.address(text);
        if (address == null) {
            value.wrong("an https address, an http one of this machine, or a file");
            return NO_ADDRESS;
        }
        return address;
    }

    private Access.Tls serverTls(YamlValue value) {
        YamlMap map = value.map();
        Access.Tls tls = new Access.Tls(
                map.required("certificate", "server.pem").map(this::path).orElse(Path.of(".")),
                map.required("key", "server.key").map(this::path).orElse(Path.of(".")),
                map.optional("client_ca").map(this::path).orElse(null));
        map.close();
        return tls;
    }

    /** Reads the bind address. Names are not resolved: only addresses that are certainly loopback count as such. */
    private String bind(YamlValue value, Access access) {
        String bind = substitution.text(value);
        boolean isLoopback =
                Set.of("localhost", "::1").contains(bind) || bind.matches("127(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}");
        if (value.isText() && !isLoopback && !access.isProtected() && !access.insecure()) {
            value.wrong(
                    "a loopback address such as 127.0.0.1, unless server.tls and server.auth protect the port: anyone who"
                            + " reaches it could read features and change rules; server.insecure: true allows that");
        }
        return bind;
    }

    private Path path(YamlValue value) {
        String text = substitution.text(value);
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            // noted below
        }
        if (value.isText()) {
            value.wrong("a path such as ./.thalweg/store");
        }
        return Path.of(".");
    }
}
