package io.thalweg.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.grpc.GrpcClients;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.Server;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.thalweg.api.v1.ListViewsRequest;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.model.deployment.Access;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.HeldStore;
import io.thalweg.server.MetricsServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS and authentication, and its clients. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class AccessTest {
    private static final String READ = "/v1/views/demand:read";
    private static final String SCAN = "/v1/views/demand:scan";
    private static final String BODY = "{\"entities\":[{\"cell\":\"%s\",\"product\":\"%s\"}]}"
            .formatted(Long.toHexString(ServerFixture.CELL), ServerFixture.PRODUCT);
    private static final String RULES = "/v1/qalm/rules";

    @TempDir
    static Path certificates;

    private static TestCertificate own;
    private static TestCertificate client;
    private static TestCertificate stranger;

    @TempDir
    Path folder;

    private final Metrics metrics = new Metrics();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void makeCertificates() throws Exception {
        own = TestCertificate.create(certificates, "server");
        client = TestCertificate.create(certificates, "search");
        stranger = TestCertificate.create(certificates, "stranger");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private Access access(boolean takesCertificates) throws Exception {
        Path callers = folder.resolve("callers.yaml");
        Files.writeString(callers, """
                callers:
                  - {name: checkout, role: reader, token: "%s"}
                  - {name: alice, role: operator, token: "%s"}
                """.formatted(Callers.hash("of-checkout"), Callers.hash("of-alice")));
        return new Access(
                new Access.Tls(own.certificate(), own.key(), takesCertificates ? client.certificate() : null),
                callers,
                false);
    }

    private FeatureServer start(String bind, Access access) {
        HeldStore store = new HeldStore();
        store.release.countDown();
        ServerConfig config = ServerConfig.loopback(0)
                .withBind(bind, access)
                .withAdminPort(0)
                .withReads(2, 16)
                .withDrain(Duration.ofMillis(100))
                .withRequestTimeout(Await.PATIENCE)
                .withQalm(new ServerConfig.Qalm(Mode.ON, null, folder.resolve("qalm")));
        FeatureServer server = FeatureServer.start(
                config,
                List.of(ServerFixture.DEMAND),
                store,
                null,
                new FakeClock(Instant.ofEpochMilli(ServerFixture.T)),
                metrics);
        // The server waits a second for its connections; a test does not need to.
        open.add(() -> {
            var unused = CompletableFuture.runAsync(server::stop);
        });
        return server;
    }

    /** A client that trusts the server, with a certificate if there is one. */
    private ClientFactory factory(@Nullable TestCertificate identity) {
        var factory = ClientFactory.builder()
                .connectTimeout(Await.PATIENCE) // a timeout of the handshake, too
                .tlsCustomizer(tls -> tls.trustManager(own.certificate().toFile()));
        if (identity != null) {
            factory.tls(TlsKeyPair.of(
                    identity.key().toFile(), identity.certificate().toFile()));
        }
        ClientFactory built = factory.build();
        open.add(0, built);
        return built;
    }

    private WebClient web(String host, int port, @Nullable TestCertificate identity) {
        return WebClient.builder("https://" + host + ":" + port)
                .factory(factory(identity))
                .build();
    }

    private static AggregatedHttpResponse get(WebClient web, String path, @Nullable String token) {
        return web.execute(headers(HttpMethod.GET, path, token).build())
                .aggregate()
                .join();
    }

    private static AggregatedHttpResponse post(WebClient web, String path, @Nullable String token, String body) {
        RequestHeaders headers = headers(HttpMethod.POST, path, token)
                .contentType(MediaType.JSON)
                .build();
        return web.execute(headers, body).aggregate().join();
    }

    private static RequestHeadersBuilder headers(HttpMethod method, String path, @Nullable String token) {
        RequestHeadersBuilder headers = RequestHeaders.builder(method, path);
        return token == null ? headers : headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + token);
    }

    @Test
    void http_withoutAValidToken_isUnauthenticated() throws Exception {
        WebClient web = web("localhost", start("127.0.0.1", access(false)).port(), null);

        AggregatedHttpResponse missing = post(web, READ, null, BODY);
        assertThat(missing.status().code()).isEqualTo(401);
        assertThat(missing.headers().get("www-authenticate")).isEqualTo("Bearer realm=\"thalweg\"");
        assertThat(missing.contentUtf8()).contains("UNAUTHENTICATED", "authorization: must be Bearer and a token");
        AggregatedHttpResponse unknown = post(web, READ, "of-nobody", BODY);
        assertThat(unknown.status().code()).isEqualTo(401);
        assertThat(unknown.contentUtf8()).contains("no caller has this token").doesNotContain("of-nobody");
        for (String path : List.of("/", "/v1/views", "/metrics", "/no/such/path")) {
            assertThat(get(web, path, null).status().code()).as(path).isEqualTo(401);
        }
        for (String probe : List.of("/livez", "/readyz", "/healthz")) {
            assertThat(get(web, probe, null).status().code()).as(probe).isNotEqualTo(401);
        }
        assertThat(new String(metrics.expose(), StandardCharsets.UTF_8))
                .contains("thalweg_auth_refused_total{reason=\"missing\"} 5.0")
                .contains("thalweg_auth_refused_total{reason=\"unknown\"} 1.0")
                .containsPattern("thalweg_tls_certificate_seconds_left [1-9]");
    }

    @Test
    void http_reader_readsAndDoesNotOperate() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        WebClient web = web("localhost", server.port(), null);
        WebClient admin = web("localhost", server.adminPort().orElseThrow(), null);

        assertThat(post(web, READ, "of-checkout", BODY).status().code()).isEqualTo(200);
        assertThat(get(web, "/metrics", "of-checkout").status().code()).isEqualTo(200);
        AggregatedHttpResponse refused = get(admin, RULES, "of-checkout");
        assertThat(refused.status().code()).isEqualTo(403);
        assertThat(refused.contentUtf8()).contains("caller checkout is a reader; this needs the role operator");
        assertThat(get(admin, RULES, null).status().code()).isEqualTo(401);
        for (String page : List.of("/", "/console.js", "/load.js", "/map.js", "/console.css", "/chart.js")) {
            assertThat(get(admin, page, null).status().code()).as(page).isEqualTo(200);
        }
        for (String other :
                List.of("//v1/qalm/rules", "/%76%31/qalm/rules", "/x/../v1/qalm/rules", "/v1;a/qalm/rules")) {
            assertThat(get(admin, other, null).status().code()).as(other).isNotEqualTo(200);
        }
    }

    @Test
    void portOfAJob_reader_readsAndDoesNotRecord() throws Exception {
        MetricsServer server = MetricsServer.start("127.0.0.1", 0, access(false), JobProbe.NONE, metrics);
        open.add(server);
        WebClient web = web("localhost", server.port(), null);

        assertThat(get(web, "/v1/jobs", "of-checkout").contentUtf8()).isEqualTo("{\"jobs\":[]}");
        AggregatedHttpResponse refused = post(web, "/v1/jobs:profile", "of-checkout", "{}");
        assertThat(refused.status().code()).isEqualTo(403);
        assertThat(refused.contentUtf8()).contains("caller checkout is a reader; this needs the role operator");
        AggregatedHttpResponse nothing = post(web, "/v1/jobs:profile", "of-alice", "{}");
        assertThat(nothing.status().code()).isEqualTo(400);
        assertThat(nothing.contentUtf8()).contains("no job runs in this process");
    }

    @Test
    void admin_operator_isTheAuthorWhateverTheRequestSays() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        WebClient admin = web("localhost", server.adminPort().orElseThrow(), null);

        AggregatedHttpResponse changed = post(
                admin, RULES + ":set_mode", "of-alice", "{\"version\":0,\"author\":\"mallory\",\"mode\":\"shadow\"}");
        assertThat(changed.status().code()).as(changed.contentUtf8()).isEqualTo(200);
        assertThat(get(admin, "/v1/qalm/audit", "of-alice").contentUtf8())
                .contains("\"author\":\"alice\"")
                .doesNotContain("mallory");
    }

    @Test
    void qalm_provenCaller_isNotTheOneOfTheHeader() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        WebClient web = web("localhost", server.port(), null);
        RequestHeaders pretending = headers(HttpMethod.POST, READ, "of-checkout")
                .set(CallHeaders.CALLER, "payments")
                .contentType(MediaType.JSON)
                .build();

        assertThat(web.execute(pretending, BODY).aggregate().join().status().code())
                .isEqualTo(200);

        WebClient admin = web("localhost", server.adminPort().orElseThrow(), null);
        assertThat(get(admin, "/v1/qalm/endpoints", "of-alice").contentUtf8())
                .contains("\"caller\":\"checkout\"")
                .doesNotContain("payments");
    }

    /** {@link IssuerTokensTest} covers the tokens that prove nothing. */
    @Test
    void tokensOfAnIssuer_proveNameAndRoleBesideThoseOfTheFile() throws Exception {
        ECKey key = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
        Path keys = folder.resolve("keys.json");
        Files.writeString(keys, new JWKSet(key.toPublicJWK()).toString());
        Access file = access(false);
        Access.Oidc issuer = new Access.Oidc("login", "thalweg", keys.toUri(), null, "sub", "roles", "features", "ops");
        FeatureServer server = start("127.0.0.1", new Access(file.tls(), file.callers(), issuer, false));
        WebClient web = web("localhost", server.port(), null);
        WebClient admin = web("localhost", server.adminPort().orElseThrow(), null);
        String reader = jwt(key, "search", "features");
        String operator = jwt(key, "bob", "ops");

        assertThat(post(web, READ, reader, BODY).status().code()).isEqualTo(200);
        assertThat(post(web, READ, "of-checkout", BODY).status().code()).isEqualTo(200);
        assertThat(post(web, READ, jwt(key, "search", "wiki"), BODY).status().code())
                .isEqualTo(403);
        AggregatedHttpResponse forged = post(web, READ, reader.substring(0, reader.length() - 4) + "AAAA", BODY);
        assertThat(forged.status().code()).isEqualTo(401);
        assertThat(forged.contentUtf8()).contains("the JWT is not accepted").doesNotContain(reader.substring(0, 40));
        assertThat(get(admin, RULES, reader).contentUtf8()).contains("caller search is a reader");
        assertThat(post(admin, RULES + ":set_mode", operator, "{\"version\":0,\"mode\":\"shadow\"}")
                        .status()
                        .code())
                .isEqualTo(200);
        assertThat(get(admin, "/v1/qalm/audit", "of-alice").contentUtf8()).contains("\"author\":\"bob\"");
        assertThat(get(admin, "/v1/qalm/endpoints", operator).contentUtf8()).contains("\"caller\":\"search\"");
        var stub = GrpcClients.builder("https://localhost:" + server.port())
                .factory(factory(null))
                .setHeader(HttpHeaderNames.AUTHORIZATION, "Bearer " + reader)
                .build(ServingServiceGrpc.ServingServiceBlockingStub.class);
        assertThat(stub.listViews(ListViewsRequest.getDefaultInstance()).getViewsCount())
                .isEqualTo(1);
        var forger = GrpcClients.builder("https://localhost:" + server.port())
                .factory(factory(null))
                .setHeader(HttpHeaderNames.AUTHORIZATION, "Bearer " + reader.substring(0, reader.length() - 4) + "AAAA")
                .build(ServingServiceGrpc.ServingServiceBlockingStub.class);
        assertThatThrownBy(() -> forger.listViews(ListViewsRequest.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        assertThat(new String(metrics.expose(), StandardCharsets.UTF_8))
                .contains("thalweg_auth_refused_total{reason=\"jwt\"} 2.0")
                .contains("thalweg_auth_refused_total{reason=\"role\"} 2.0")
                .containsPattern("thalweg_auth_keys_age_seconds [0-9]");
    }

    private static String jwt(ECKey key, String name, String role) throws Exception {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k").build(),
                new JWTClaimsSet.Builder()
                        .issuer("login")
                        .audience("thalweg")
                        .subject(name)
                        .claim("roles", List.of(role))
                        .expirationTime(Date.from(Instant.now().plusSeconds(600)))
                        .build());
        token.sign(new ECDSASigner(key));
        return token.serialize();
    }

    @Test
    void http_certificateOfAnAcceptedAuthority_provesItsName() throws Exception {
        FeatureServer server = start("127.0.0.1", access(true));

        WebClient known = web("localhost", server.port(), client);
        assertThat(post(known, READ, null, BODY).status().code()).isEqualTo(200);
        assertThat(get(web("localhost", server.adminPort().orElseThrow(), client), RULES, null)
                        .contentUtf8())
                .contains("caller search is a reader");
        WebClient tokenOnly = web("localhost", server.port(), null);
        assertThat(post(tokenOnly, READ, null, BODY).status().code()).isEqualTo(401);
        assertThat(post(tokenOnly, READ, "of-checkout", BODY).status().code()).isEqualTo(200);
        // A well-behaved client does not even send a certificate that the server would not accept.
        WebClient foreign = web("localhost", server.port(), stranger);
        assertThat(post(foreign, READ, null, BODY).status().code()).isEqualTo(401);
        assertThatThrownBy(() -> sendStubbornly(server.port(), stranger)).isInstanceOf(IOException.class);
        assertThat(sendStubbornly(server.port(), client)).isEqualTo(200);
    }

    /** With TLS, too, the server's side ends with the answer, and as TLS demands: a cut-off answer is an error to this client. */
    @Test
    void http_connectionClose_isClosedWithTheAnswer() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusting(own.certificate()), null);

        Await.until("a connection that ends with its answer", () -> {
            long begin = System.nanoTime();
            try (Socket socket = context.getSocketFactory().createSocket("localhost", server.port())) {
                socket.getOutputStream()
                        .write("GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .contains("{\"status\":\"OK\"}\n");
            }
            return System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2);
        });
    }

    /** Sends a certificate whatever the server asks for, and returns the status of the answer. */
    private static int sendStubbornly(int port, TestCertificate identity) throws Exception {
        TlsKeyPair pair =
                TlsKeyPair.of(identity.key().toFile(), identity.certificate().toFile());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {new Stubborn(pair)}, trusting(own.certificate()), null);
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/v1/views"))
                // With HTTP/2, Java's client may wait forever if the server closes the connection.
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Await.PATIENCE)
                .build();
        return HttpClient.newBuilder()
                .sslContext(context)
                .build()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static TrustManager[] trusting(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "own", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }

    private static final class Stubborn extends X509ExtendedKeyManager {
        private final TlsKeyPair pair;

        Stubborn(TlsKeyPair pair) {
            this.pair = pair;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {"key"};
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
            return "key";
        }

        @Override
        public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
            return "key";
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public @Nullable String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return pair.certificateChain().toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return pair.privateKey();
        }
    }

    @Test
    void grpc_token_isRequired() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        var stub = GrpcClients.builder("https://localhost:" + server.port())
                .factory(factory(null))
                .build(ServingServiceGrpc.ServingServiceBlockingStub.class);

        assertThatThrownBy(() -> stub.listViews(ListViewsRequest.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        var proven = GrpcClients.builder("https://localhost:" + server.port())
                .factory(factory(null))
                .addHeader(HttpHeaderNames.AUTHORIZATION, "Bearer of-checkout")
                .build(ServingServiceGrpc.ServingServiceBlockingStub.class);
        assertThat(proven.listViews(ListViewsRequest.getDefaultInstance()).getViewsCount())
                .isEqualTo(1);
    }

    @Test
    void bind_everyAddress_isPossibleWithTlsAndAuthentication() throws Exception {
        FeatureServer server = start("0.0.0.0", access(false));
        String address = otherAddress().orElse("127.0.0.1");

        // The certificate is for localhost, whatever address the client connects to.
        WebClient web = WebClient.builder("https://" + address + ":" + server.port())
                .factory(insecure())
                .build();
        assertThat(post(web, READ, "of-checkout", BODY).status().code()).isEqualTo(200);
        assertThat(post(web, READ, null, BODY).status().code()).isEqualTo(401);
        String region = "{\"region\":{\"parent\":\"%s\"},\"where\":{\"product\":\"%s\"}}"
                .formatted(Long.toHexString(ServerFixture.CELL), ServerFixture.PRODUCT);
        assertThat(post(web, SCAN, null, region).status().code()).isEqualTo(401);
        assertThat(post(web, SCAN, "of-checkout", region).status().code()).isEqualTo(200);
        RequestHeaders fromAPage = headers(HttpMethod.POST, READ, "of-checkout")
                .set(HttpHeaderNames.ORIGIN, "https://thalweg.example")
                .build();
        assertThat(web.execute(fromAPage, BODY).aggregate().join().status().code())
                .isEqualTo(403);
    }

    private ClientFactory insecure() {
        ClientFactory factory = ClientFactory.builder().tlsNoVerify().build();
        open.add(0, factory);
        return factory;
    }

    private static Optional<String> otherAddress() throws Exception {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address.getAddress().length == 4 && !address.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .findFirst();
    }

    @Test
    void plainHttp_onAPortWithTls_isNotAnswered() throws Exception {
        FeatureServer server = start("127.0.0.1", access(false));
        WebClient plain = WebClient.of("http://localhost:" + server.port());
        assertThatThrownBy(() -> get(plain, "/livez", null)).isInstanceOf(CompletionException.class);
    }

    @Test
    void requireBindable_beyondLoopback_needsTlsAndAuthentication() throws Exception {
        Access both = access(false);
        Access.Tls tls = both.tls();
        Path callers = both.callers();
        Access mutual = new Access(access(true).tls(), null, false);

        for (Access enough : List.of(both, mutual, new Access(null, null, true), new Access(null, callers, true))) {
            assertThatCode(() -> Gate.requireBindable("0.0.0.0", enough)).doesNotThrowAnyException();
        }
        for (Access less : List.of(Access.OPEN, new Access(tls, null, false), new Access(null, callers, false))) {
            assertThatThrownBy(() -> Gate.requireBindable("0.0.0.0", less))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("server.insecure");
            assertThatCode(() -> Gate.requireBindable("localhost", less)).doesNotThrowAnyException();
        }
        assertThat(Gate.isExposed("0.0.0.0", both)).isFalse();
        assertThat(Gate.isExposed("0.0.0.0", new Access(null, callers, true))).isTrue();
    }

    @Test
    void tls_filesThatCannotBeUsed_areNamed() throws Exception {
        Path gone = folder.resolve("gone.pem");
        Path text = Files.writeString(folder.resolve("text.pem"), "no PEM");
        assertRefused(new Access.Tls(gone, own.key(), null), "server.tls.certificate: " + gone);
        assertRefused(new Access.Tls(own.certificate(), gone, null), "server.tls.key: " + gone);
        assertRefused(new Access.Tls(own.certificate(), own.key(), gone), "server.tls.client_ca: " + gone);
        assertRefused(new Access.Tls(text, own.key(), null), "must be PEM certificates");
        assertRefused(new Access.Tls(own.certificate(), text, null), "must be PEM certificates");
        assertRefused(new Access.Tls(own.certificate(), own.key(), text), "server.tls.client_ca must be PEM");
        assertRefused(
                new Access.Tls(own.certificate(), client.key(), null), "is not the key of the first certificate in");
    }

    private static void assertRefused(Access.Tls files, String message) {
        assertThatThrownBy(() -> new TlsFiles(files))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining(message);
    }

    @Test
    void tls_renewedCertificate_isUsedWithoutARestart() throws Exception {
        Path certificate = Files.copy(own.certificate(), folder.resolve("current.pem"));
        Path key = Files.copy(own.key(), folder.resolve("current.key"));
        TlsFiles files = new TlsFiles(new Access.Tls(certificate, key, null), Duration.ofMillis(50));
        var builder = Server.builder()
                .https(0)
                .service("/", (ctx, request) -> com.linecorp.armeria.common.HttpResponse.of(200));
        files.addTo(builder);
        Server server = builder.build();
        server.start().join();
        open.add(() -> {
            var unused = server.closeAsync();
        });
        int port = server.activeLocalPort();
        assertThat(get(web("localhost", port, null), "/", null).status().code()).isEqualTo(200);
        assertThat(files.secondsLeft(Clock.systemUTC())).isPositive();

        TlsKeyPair first = files.renewed();
        Files.writeString(certificate, "half a ");
        assertThat(files.renewed().certificateChain())
                .as("a broken file is read, and does not change anything")
                .isEqualTo(first.certificateChain());
        assertThat(get(web("localhost", port, null), "/", null).status().code()).isEqualTo(200);
        Files.copy(stranger.key(), key, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(stranger.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);

        ClientFactory trusting = ClientFactory.builder()
                .tlsCustomizer(tls -> tls.trustManager(stranger.certificate().toFile()))
                .build();
        open.add(0, trusting);
        WebClient web =
                WebClient.builder("https://localhost:" + port).factory(trusting).build();
        Await.until("an answer with the new certificate", () -> answers(web));
    }

    private static boolean answers(WebClient web) {
        try {
            return get(web, "/", null).status().code() == 200;
        } catch (RuntimeException e) {
            return false; // the first certificate, which this client does not trust
        }
    }
}
