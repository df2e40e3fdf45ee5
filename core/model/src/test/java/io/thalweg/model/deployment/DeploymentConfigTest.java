package io.thalweg.model.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Views;
import io.thalweg.model.yaml.DurationText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeploymentConfigTest {
    @Test
    void parse_labels_areByEntityAndValue() {
        DeploymentConfig read =
                DeploymentConfig.parse("server: {labels: {product: {a1: Pool, b2: XL}}}", "t.yaml", Map.of());

        assertThat(read.server().labels()).isEqualTo(Map.of("product", Map.of("a1", "Pool", "b2", "XL")));
        assertThatThrownBy(() -> DeploymentConfig.parse("server: {labels: {product: Pool}}", "t.yaml", Map.of()))
                .hasMessageContaining("server.labels.product");
    }

    @Test
    void load_example_saysTheDefaults() {
        DeploymentConfig example = DeploymentConfig.load(Views.EXAMPLES.resolve("thalweg.yaml"), Map.of());
        DeploymentConfig defaults = DeploymentConfig.defaults();
        assertThat(example.deployment()).isEqualTo(defaults.deployment());
        assertThat(example.kafka()).isEqualTo(defaults.kafka());
        assertThat(example.server()).isEqualTo(defaults.server());
        assertThat(Path.of(example.checkpoints().dir()).normalize())
                .isEqualTo(Path.of(defaults.checkpoints().dir()));
        assertThat(example.checkpoints().every())
                .isEqualTo(defaults.checkpoints().every());
        assertThat(((DeploymentConfig.RocksDb) example.store()).path().normalize())
                .isEqualTo(((DeploymentConfig.RocksDb) defaults.store()).path());
        assertThat(example.views()).isEqualTo(List.of(Path.of("examples")));
    }

    @Test
    void parse_variables_areSubstituted() {
        DeploymentConfig read = DeploymentConfig.parse("""
                deployment: ${NAME}
                kafka:
                  default: {bootstrap: "${HOST:-broker}:${PORT:-9092}", properties: {a: "$${x} ${NAME}", linger.ms: 5}}
                """, "t.yaml", Map.of("NAME", "prod", "PORT", ""));
        assertThat(read.deployment()).isEqualTo("prod");
        assertThat(read.kafka())
                .isEqualTo(Map.of(
                        "default",
                        new DeploymentConfig.Kafka("broker:9092", Map.of("a", "${x} prod", "linger.ms", "5"))));
    }

    @Test
    void parse_files_areSubstitutedAndPrintAsStars(@TempDir Path folder) throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "plain1 ${NAME}\r\n");
        Path user = Files.writeString(folder.resolve("user"), "plain2");

        DeploymentConfig read = DeploymentConfig.parse(
                "store: {type: redis, uri: \"redis://${file:%s}:${file:%s}@host/1\"}"
                        .formatted(user, Files.writeString(folder.resolve("p"), "plain3\n")),
                "t.yaml",
                Map.of());
        DeploymentConfig kafka = DeploymentConfig.parse(
                "kafka: {default: {bootstrap: \"b:1\", properties: {x: \"<${file:%s}>\"}}}".formatted(password),
                "t.yaml",
                Map.of("NAME", "not replaced"));

        assertThat(((DeploymentConfig.Redis) read.store()).server().uri().toString())
                .contains("plain2:plain3@host");
        assertThat(read.describe()).doesNotContain("plain");
        assertThat(kafka.kafka())
                .containsEntry("default", new DeploymentConfig.Kafka("b:1", Map.of("x", "<plain1 ${NAME}>")));
        assertThat(kafka.describe())
                .contains("kafka.default.properties.x = ***")
                .doesNotContain("plain");
    }

    @Test
    void parse_fileThatCannotBeRead_isNamedWithTheReason(@TempDir Path folder) throws IOException {
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff});
        String yaml = "kafka: {default: {bootstrap: \"b:1\", properties: {x: \"${file:%s}\"}}}";

        assertThatThrownBy(() -> DeploymentConfig.parse(yaml.formatted("/no/such"), "t.yaml", Map.of()))
                .hasMessage("t.yaml:1: kafka.default.properties.x: the file /no/such cannot be read: no such file");
        assertThatThrownBy(() -> DeploymentConfig.parse(yaml.formatted(folder), "t.yaml", Map.of()))
                .hasMessageContaining("it is a folder");
        assertThatThrownBy(() -> DeploymentConfig.parse(yaml.formatted(binary), "t.yaml", Map.of()))
                .hasMessageContaining("it must be UTF-8");
        assertThatThrownBy(() -> DeploymentConfig.parse(yaml.formatted(""), "t.yaml", Map.of()))
                .hasMessageContaining("${file:PATH}");
    }

    @Test
    void parse_reader_isOneOfTwo() {
        String yaml = "kafka: {default: {bootstrap: \"b:9092\", reader: %s}}";
        assertThat(DeploymentConfig.parse(yaml.formatted("consumer"), "t.yaml", Map.of())
                        .kafka())
                .isEqualTo(Map.of(
                        "default",
                        new DeploymentConfig.Kafka("b:9092", Map.of(), DeploymentConfig.Kafka.Reader.CONSUMER)));
        assertThatThrownBy(() -> DeploymentConfig.parse(yaml.formatted("poll"), "t.yaml", Map.of()))
                .hasMessageContaining("kafka.default.reader")
                .hasMessageContaining("batches");
    }

    @Test
    void parse_unsetVariable_namesIt() {
        assertThatThrownBy(() -> DeploymentConfig.parse("deployment: ${NOWHERE}", "t.yaml", Map.of()))
                .hasMessage("t.yaml:1: deployment: the environment variable NOWHERE is not set;"
                        + " set it, or write ${NOWHERE:-default}");
    }

    @Test
    void describe_secrets_areStars() {
        DeploymentConfig read = DeploymentConfig.parse("""
                deployment: ${NAME}
                kafka:
                  default:
                    bootstrap: "b:1"
                    properties: {sasl.jaas.config: plain1, ssl.key.password: plain2, url: "http://u:plain3@host/x", acks: all}
                checkpoints: {options: {s3.secret-key: plain5, fs.azure.account.key: plain6, s3.endpoint: "https://s3"}}
                """, "t.yaml", Map.of("NAME", "plain4"));
        assertThat(read.describe())
                .contains("kafka.default.properties.sasl.jaas.config = ***")
                .contains("http://***@host/x")
                .contains("acks = all")
                .contains("checkpoints.options.s3.endpoint = https://s3")
                .doesNotContain("plain");
        assertThat(read.toString()).doesNotContain("plain");
        assertThat(read.kafka().toString()).doesNotContain("plain");
        assertThat(read.checkpoints().toString()).contains("s3.endpoint").doesNotContain("plain");
    }

    @Test
    void parse_checkpoints_areAPathOrAUriWithOptions() {
        DeploymentConfig read =
                DeploymentConfig.parse("""
                checkpoints:
                  dir: s3://bucket/${NAME}/checkpoints
                  options: {s3.endpoint: "${ENDPOINT}", s3.path.style.access: true}
                """, "t.yaml", Map.of("NAME", "prod", "ENDPOINT", "http://127.0.0.1:9000"));
        assertThat(read.checkpoints())
                .isEqualTo(new DeploymentConfig.Checkpoints(
                        "s3://bucket/prod/checkpoints",
                        DurationText.parse("10s"),
                        Map.of("s3.endpoint", "http://127.0.0.1:9000", "s3.path.style.access", "true")));
        assertThat(DeploymentConfig.parse("checkpoints: {dir: a/b}", "t.yaml", Map.of())
                        .checkpoints()
                        .dir())
                .isEqualTo("a/b");
    }

    @Test
    void parse_load_boundsAreReadAndChecked() {
        DeploymentConfig read = DeploymentConfig.parse(
                "load: {batch_rows: 100, linger: 0ms, in_flight: 2, target_latency: 1s}", "t.yaml", Map.of());
        assertThat(read.load())
                .isEqualTo(new DeploymentConfig.Load(
                        100, 4 << 20, DurationText.parse("0ms"), 2, DurationText.parse("1s")));
        assertThat(DeploymentConfig.defaults().load()).isEqualTo(DeploymentConfig.Load.DEFAULTS);
        assertThatThrownBy(() -> DeploymentConfig.parse("load: {batch_rows: 0, in_flght: 2}", "t.yaml", Map.of()))
                .hasMessageContaining("load.batch_rows: must be a whole number from 1 to 1000000, was 0")
                .hasMessageContaining("in_flight");
    }

    @Test
    void parse_redis_projectIsTheDeploymentUnlessSaid() {
        DeploymentConfig read = DeploymentConfig.parse("""
                deployment: market
                store: {type: redis, uri: "redis://localhost:6379/1"}
                """, "t.yaml", Map.of());
        assertThat(read.store()).isEqualTo(redis("redis://localhost:6379/1", "market"));
        DeploymentConfig other = DeploymentConfig.parse(
                "store: {type: redis, uri: \"${REDIS}\", project: p}",
                "t.yaml",
                Map.of("REDIS", "rediss://u:p%40ss@r.example:6380"));
        assertThat(other.store()).isEqualTo(redis("rediss://u:p%40ss@r.example:6380", "p"));
    }

    private static DeploymentConfig.Redis redis(String uri, String project) {
        return new DeploymentConfig.Redis(new DeploymentConfig.RedisServer(URI.create(uri), null), project);
    }

    @Test
    void parse_redisServers_areThoseOfTheFile() {
        assertThat(DeploymentConfig.defaults().redis())
                .containsExactly(Map.entry(
                        "default", new DeploymentConfig.RedisServer(URI.create("redis://localhost:6379"), null)));
        DeploymentConfig read = DeploymentConfig.parse("""
                redis:
                  ads:
                    uri: "rediss://ann:plain@r.example:6380"
                    tls: {ca: ca.pem, certificate: me.pem, key: me.key}
                  b: {uri: "${R}"}
                """, "t.yaml", Map.of("R", "redis://s"));
        assertThat(read.redis())
                .containsOnly(
                        Map.entry(
                                "ads",
                                new DeploymentConfig.RedisServer(
                                        URI.create("rediss://ann:plain@r.example:6380"),
                                        new ClientTls("ca.pem", "me.pem", "me.key"))),
                        Map.entry("b", new DeploymentConfig.RedisServer(URI.create("redis://s"), null)));
        assertThat(read.redis().get("ads")).asString().doesNotContain("plain");
        assertThat(read.describe())
                .contains("redis.ads.uri = rediss://***@r.example:6380")
                .contains("redis.ads.tls.ca = ca.pem")
                .contains("redis.ads.tls.certificate = me.pem")
                .contains("redis.ads.tls.key = me.key")
                .contains("redis.b.uri = ***");
    }

    @Test
    void parse_tlsOfARedisServer_needsItsSchemeAndAWholePair() {
        assertThatThrownBy(() -> DeploymentConfig.parse(
                        "redis: {a: {uri: \"redis://r\", tls: {}}, b: {uri: \"rediss://r\", tls: {key: me.key}}}",
                        "t.yaml",
                        Map.of()))
                .hasMessageContaining(
                        "redis.a.tls: needs an address of TLS in redis.a.uri: rediss:// instead of redis://")
                .hasMessageContaining("redis.b.tls: must have both certificate and key, or neither");
    }

    @Test
    void parse_sentinels_areReadWithTheirOwnLogin() {
        DeploymentConfig read = DeploymentConfig.parse("""
                store:
                  type: redis
                  uri: "rediss-sentinel://ann:p%40ss@s1,s2:26380/2#market-1"
                  sentinel: {user: sam, password: "${WATCH}"}
                  tls: {ca: ca.pem}
                """, "t.yaml", Map.of("WATCH", "plain"));
        DeploymentConfig.Redis store = (DeploymentConfig.Redis) read.store();
        assertThat(store.server())
                .isEqualTo(new DeploymentConfig.RedisServer(
                        URI.create("rediss-sentinel://ann:p%40ss@s1,s2:26380/2#market-1"),
                        null,
                        new DeploymentConfig.Login("sam", Secret.of("plain")),
                        ClientTls.trusting("ca.pem")));
        assertThat(store.name()).isEqualTo("rediss-sentinel://s1,s2:26380/2#market-1 project local");
        assertThat(read.describe())
                .contains("store.uri = rediss-sentinel://***@s1,s2:26380/2#market-1")
                .contains("store.sentinel.user = sam")
                .contains("store.sentinel.password = ***")
                .doesNotContain("plain")
                .doesNotContain("p%40ss");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://s1,s2",
                "redis-sentinel://s1,,s2#m",
                "redis-sentinel://a,b@s1#m",
                "redis-sentinel://s1/x#m",
                "redis-sentinel://#m",
                "redis-sentinel://s1?master=m",
            })
    void parse_sentinelsThatCannotBeUsed_namesTheForm(String uri) {
        assertThatThrownBy(() -> DeploymentConfig.parse(
                        "store: {type: redis, uri: \"%s\", sentinel: {password: p}}".formatted(uri),
                        "t.yaml",
                        Map.of()))
                .hasMessageNotContaining("store.sentinel:")
                .hasMessageContaining("store.uri: must be redis-sentinel://[[USER:]PASSWORD@]SENTINEL[:PORT]")
                .hasMessageContaining("such as \"redis-sentinel://s1:26379,s2:26379#mymaster\"");
    }

    @Test
    void parse_loginAtSentinelsOrTls_needTheirAddresses() {
        assertThatThrownBy(() -> DeploymentConfig.parse(
                        "store: {type: redis, uri: \"redis://r\", sentinel: {password: p}}", "t.yaml", Map.of()))
                .hasMessageContaining("store.sentinel: needs an address of Redis Sentinel in store.uri, such as");
        assertThatThrownBy(() -> DeploymentConfig.parse(
                        "store: {type: redis, uri: \"redis-sentinel://r#m\", tls: {}}", "t.yaml", Map.of()))
                .hasMessageContaining("store.tls: needs an address of TLS in store.uri:"
                        + " rediss-sentinel:// instead of redis-sentinel://");
    }

    @Test
    void describe_redis_hidesUserAndPassword() {
        DeploymentConfig read = DeploymentConfig.parse(
                "store: {type: redis, uri: \"redis://ann:plain@localhost:6379\", project: market}", "t.yaml", Map.of());
        assertThat(read.describe())
                .contains("store.type = redis")
                .contains("store.uri = redis://***@localhost:6379")
                .contains("store.project = market")
                .doesNotContain("plain");
        assertThat(read.store().toString()).isEqualTo("Redis[redis://localhost:6379 project market]");
        assertThat(DeploymentConfig.parse(
                                "store: {type: redis, uri: \"${R}\"}", "t.yaml", Map.of("R", "redis://localhost:6379"))
                        .describe())
                .contains("store.uri = ***");
    }

    @Test
    void parse_cassandra_readsAllThatMayBeSaid() {
        DeploymentConfig least = DeploymentConfig.parse(
                "store: {type: cassandra, contact_points: [\"${HOST}\"], keyspace: market}",
                "t.yaml",
                Map.of("HOST", "c1"));
        assertThat(least.store())
                .isEqualTo(new DeploymentConfig.Cassandra(List.of("c1"), "market", null, null, null, null, null));
        DeploymentConfig most = DeploymentConfig.parse("""
                store:
                  type: cassandra
                  contact_points: ["c1:9043", "[::1]:9042", c2]
                  keyspace: market
                  datacenter: dc1
                  user: ann
                  password: ${PASSWORD}
                  replication: 3
                  tls: {ca: ca.pem}
                """, "t.yaml", Map.of("PASSWORD", "plain"));
        assertThat(most.store())
                .isEqualTo(new DeploymentConfig.Cassandra(
                        List.of("c1:9043", "[::1]:9042", "c2"),
                        "market",
                        "dc1",
                        "ann",
                        Secret.of("plain"),
                        3,
                        ClientTls.trusting("ca.pem")));
        assertThat(most.describe())
                .contains("store.contact_points = c1:9043, [::1]:9042, c2")
                .contains("store.keyspace = market")
                .contains("store.datacenter = dc1")
                .contains("store.user = ann")
                .contains("store.password = ***")
                .contains("store.replication = 3")
                .contains("store.tls.ca = ca.pem")
                .doesNotContain("plain");
        assertThat(most.store().toString()).isEqualTo("Cassandra[cassandra://c1:9043,[::1]:9042,c2/market]");
        assertThat(most.toString()).doesNotContain("plain");
    }

    @Test
    void parse_qalm_isReadAndDescribed() {
        DeploymentConfig read = DeploymentConfig.parse(
                "server: {qalm: {mode: shadow, rules: \"${RULES}\", control: https://rules.example/qalm.yaml}}",
                "t.yaml",
                Map.of("RULES", "qalm.yaml"));
        assertThat(read.server().qalm())
                .isEqualTo(new DeploymentConfig.Qalm(
                        DeploymentConfig.Qalm.Mode.SHADOW,
                        Path.of("qalm.yaml"),
                        URI.create("https://rules.example/qalm.yaml"),
                        Path.of(".thalweg", "qalm")));
        assertThat(read.describe()).contains("server.qalm.control = https://rules.example/qalm.yaml");
        for (String wrong :
                List.of("ftp://rules.example/a", "qalm.yaml", "http://me:secret@rules.example/a", "\"http://a b\"")) {
            assertThatThrownBy(() ->
                            DeploymentConfig.parse("server: {qalm: {control: " + wrong + "}}", "t.yaml", Map.of()))
                    .hasMessageContaining("t.yaml:1: server.qalm.control")
                    .hasMessageContaining("http://localhost:8000/qalm.yaml");
        }
        assertThat(read.describe()).contains("server.qalm.mode = shadow").contains("server.qalm.rules = ***");
        assertThatThrownBy(() -> DeploymentConfig.parse("server: {qalm: {mode: maybe}}", "t.yaml", Map.of()))
                .hasMessageContaining("t.yaml:1: server.qalm.mode")
                .hasMessageContaining("off, shadow, on")
                .hasMessageContaining("maybe");
    }

    @Test
    void parse_everyAddress_isAcceptedIfProtectedOrSaidToBeInsecure() {
        String tls = "certificate: s.pem, key: s.key";
        for (String access : List.of(
                "tls: {" + tls + "}, auth: {callers: callers.yaml}",
                "tls: {" + tls + ", client_ca: clients.pem}",
                "insecure: true")) {
            DeploymentConfig config =
                    DeploymentConfig.parse("server: {bind: 0.0.0.0, " + access + "}", "t.yaml", Map.of());
            assertThat(config.server().bind()).as(access).isEqualTo("0.0.0.0");
        }
        for (String less : List.of("auth: {callers: callers.yaml}", "tls: {" + tls + "}", "insecure: false")) {
            assertThatThrownBy(
                            () -> DeploymentConfig.parse("server: {bind: 0.0.0.0, " + less + "}", "t.yaml", Map.of()))
                    .as(less)
                    .hasMessageContaining("t.yaml:1: server.bind: must be a loopback address");
        }
    }

    @Test
    void parse_access_isReadAndDescribed() {
        DeploymentConfig config = DeploymentConfig.parse(
                "server: {tls: {certificate: s.pem, key: s.key, client_ca: c.pem}, auth: {callers: who.yaml}}",
                "t.yaml",
                Map.of());
        assertThat(config.server().access())
                .isEqualTo(new Access(
                        new Access.Tls(Path.of("s.pem"), Path.of("s.key"), Path.of("c.pem")),
                        Path.of("who.yaml"),
                        false));
        assertThat(config.describe())
                .contains("server.tls.certificate = s.pem", "server.tls.key = s.key", "server.tls.client_ca = c.pem")
                .contains("server.auth.callers = who.yaml");
    }

    @Test
    void parse_issuer_isReadAndDescribed() {
        DeploymentConfig config = DeploymentConfig.parse(
                "server: {auth: {oidc: {issuer: https://login.example, audience: thalweg, operator: ops}}}",
                "t.yaml",
                Map.of());
        assertThat(config.server().access().authenticates()).isTrue();
        assertThat(config.server().access().oidc())
                .isEqualTo(
                        new Access.Oidc("https://login.example", "thalweg", null, null, "sub", "roles", null, "ops"));
        assertThat(config.describe())
                .contains("server.auth.oidc.issuer = https://login.example", "server.auth.oidc.operator = ops");
    }

    @Test
    void parse_issuerWhoseKeysAnybodyCouldChange_isRefused() {
        Map<String, String> wrong = Map.of(
                "{issuer: http://login.example, audience: a}",
                "server.auth.oidc.issuer: must be an https address or an http one of this machine",
                "{issuer: market, audience: a}",
                "server.auth.oidc.issuer: must be an https address or an http one of this machine",
                "{issuer: market, audience: a, jwks: http://login.example/keys}",
                "server.auth.oidc.jwks: must be an https address, an http one of this machine, or a file",
                "{issuer: market, audience: ' ', jwks: keys.json}",
                "server.auth.oidc.audience: must not be blank",
                "{audience: a}",
                "server.auth.oidc.issuer: is required");
        wrong.forEach((oidc, problem) -> assertThatThrownBy(
                        () -> DeploymentConfig.parse("server: {auth: {oidc: " + oidc + "}}", "t.yaml", Map.of()))
                .as(oidc)
                .hasMessageContaining(problem));
        assertThatThrownBy(() -> DeploymentConfig.parse("server: {auth: {}}", "t.yaml", Map.of()))
                .hasMessageContaining("server.auth.callers: is required");
    }

    @Test
    void parse_tracing_isReadAndItsHeadersAreHidden() {
        DeploymentConfig config = DeploymentConfig.parse("""
                server:
                  tracing:
                    endpoint: "https://otlp.example:4318/otlp"
                    ratio: 1
                    service_name: reads
                    headers: {x-scope: "tenant 7", x-key: "Key ${OTLP_KEY}"}
                    ca: ca.pem
                """, "t.yaml", Map.of("OTLP_KEY", "abc"));

        assertThat(config.server().tracing())
                .isEqualTo(new TracingConfig(
                        URI.create("https://otlp.example:4318/otlp"),
                        1,
                        "reads",
                        Map.of("x-scope", "tenant 7", "x-key", "Key abc"),
                        Path.of("ca.pem")));
        assertThat(config.describe())
                .contains(
                        "server.tracing.endpoint = https://otlp.example:4318/otlp",
                        "server.tracing.headers.x-key = ***",
                        "server.tracing.headers.x-scope = ***")
                .doesNotContain("tenant 7", "abc");
        assertThat(String.valueOf(config.server())).doesNotContain("tenant 7", "abc");
    }

    @Test
    void parse_tracing_isOffWithoutItsKeyAndTracesOneInAHundredWithIt() {
        assertThat(DeploymentConfig.defaults().server().tracing()).isNull();
        assertThat(DeploymentConfig.parse(
                                "server: {tracing: {endpoint: \"http://localhost:4318\"}}", "t.yaml", Map.of())
                        .server()
                        .tracing())
                .isEqualTo(new TracingConfig(URI.create("http://localhost:4318"), 0.01, "thalweg", Map.of(), null));
    }

    @Test
    void parse_servingLog_isReadAndItsSecretIsHidden() {
        DeploymentConfig config = DeploymentConfig.parse("""
                server:
                  serving_log:
                    dir: served
                    sample: 0.5
                    max_per_second: 10
                    views: [demand]
                    keep: 36h
                    hash_secret: ${SERVED_SECRET}
                """, "t.yaml", Map.of("SERVED_SECRET", "0123456789abcdef"));

        assertThat(config.server().servingLog())
                .isEqualTo(new ServingLogConfig(
                        Path.of("served"), 0.5, 10, List.of("demand"), DurationText.parse("36h"), "0123456789abcdef"));
        assertThat(config.describe())
                .contains("server.serving_log.sample = 0.5", "server.serving_log.hash_secret = ***")
                .doesNotContain("0123456789abcdef");
        assertThat(String.valueOf(config.server())).doesNotContain("0123456789abcdef");
    }

    @Test
    void parse_servingLog_badValues_areReportedTogether() {
        assertThatThrownBy(() -> DeploymentConfig.parse(
                        "server: {serving_log: {sample: 0, max_per_second: 0, hash_secret: short}}",
                        "t.yaml",
                        Map.of()))
                .hasMessageContainingAll(
                        "server.serving_log.dir",
                        "server.serving_log.sample: must be a number above 0 to 1",
                        "server.serving_log.max_per_second",
                        "server.serving_log.hash_secret: must have at least 16 characters, had 5");
    }

    @Test
    void parse_loopbackBinds_areAccepted() {
        for (String bind : List.of("localhost", "127.0.0.1", "127.1.2.3", "\"::1\"")) {
            assertThat(DeploymentConfig.parse("server: {bind: " + bind + "}", "t.yaml", Map.of())
                            .server()
                            .port())
                    .isEqualTo(8080);
        }
    }
}
