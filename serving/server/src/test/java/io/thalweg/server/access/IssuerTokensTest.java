package io.thalweg.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.Server;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.thalweg.model.deployment.Access;
import io.thalweg.server.access.IssuerTokens.UnacceptableException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.TestCertificate;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of an issuer that answers by HTTP, and of impostors. */
@SuppressWarnings("NullAway.Init")
class IssuerTokensTest {
    private static final String ISSUER = "https://login.example/market";
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    private static RSAKey rsa;
    private static ECKey ec;
    private static RSAKey other;

    @TempDir
    Path folder;

    private final FakeClock clock = new FakeClock(NOW);
    private final AtomicInteger fetches = new AtomicInteger();
    private final List<Server> servers = new ArrayList<>();
    private volatile @Nullable JWKSet published;
    private long nanos = 1;

    @BeforeAll
    static void makeKeys() throws Exception {
        rsa = new RSAKeyGenerator(2048).keyID("first").generate();
        ec = new ECKeyGenerator(Curve.P_256).keyID("second").generate();
        other = new RSAKeyGenerator(2048).keyID("first").generate(); // the same name, another key
    }

    @AfterEach
    void close() {
        // Their network threads take two seconds to stop; a test does not need to wait for them.
        servers.forEach(server -> {
            var unused = server.stop();
        });
    }

    @Test
    void caller_tokensOfTheIssuer_haveNameAndRole() throws Exception {
        IssuerTokens tokens = tokens(issuer(rsa, ec), "ops");
        assertThat(tokens.caller(signed(rsa, JWSAlgorithm.RS256, claims().build())))
                .isEqualTo(new Caller("checkout", Caller.Role.READER));
        assertThat(tokens.caller(signed(rsa, JWSAlgorithm.PS384, claims().build()))
                        .name())
                .isEqualTo("checkout");
        assertThat(tokens.caller(signed(ec, JWSAlgorithm.ES256, claims().build()))
                        .name())
                .isEqualTo("checkout");
        for (JWTClaimsSet.Builder operator :
                List.of(claims().claim("roles", List.of("dev", "ops")), claims().claim("roles", "dev ops"))) {
            assertThat(tokens.caller(signed(ec, JWSAlgorithm.ES256, operator.build()))
                            .role())
                    .isEqualTo(Caller.Role.OPERATOR);
        }
    }

    @Test
    void caller_rolesAtTheEndOfAPath_areFound() throws Exception {
        Access.Oidc oidc =
                new Access.Oidc(ISSUER, "thalweg", issuer(ec), null, "sub", "realm_access.roles", "features", "ops");
        IssuerTokens tokens = tokens(oidc);
        assertThat(tokens.caller(signed(
                                ec,
                                JWSAlgorithm.ES256,
                                claims().claim("realm_access", Map.of("roles", List.of("ops")))
                                        .build()))
                        .role())
                .isEqualTo(Caller.Role.OPERATOR);
        assertThat(tokens.caller(signed(
                                ec,
                                JWSAlgorithm.ES256,
                                claims().claim("realm_access.roles", "features").build()))
                        .role())
                .isEqualTo(Caller.Role.READER);
        refused(
                        tokens,
                        signed(
                                ec,
                                JWSAlgorithm.ES256,
                                claims().claim("roles", "ops").build()),
                        Code.PERMISSION_DENIED)
                .hasMessageContaining("realm_access.roles of the JWT must contain features or ops");
    }

    /** Each differs from an accepted token in one thing. */
    @Test
    void caller_forgedOrForeignTokens_areRefusedWithoutRepeatingThem() throws Exception {
        IssuerTokens tokens = tokens(issuer(rsa, ec), "ops");
        JWTClaimsSet good = claims().build();
        String whole = signed(rsa, JWSAlgorithm.RS256, good);
        String[] parts = whole.split("\\.");
        byte[] publicKey = rsa.toRSAPublicKey().getEncoded();
        Map<String, String> bad = Map.ofEntries(
                Map.entry("another key of the same name", signed(other, JWSAlgorithm.RS256, good)),
                Map.entry("no signature", new PlainJWT(good).serialize()),
                Map.entry("its signature cut off", parts[0] + "." + parts[1] + "."),
                Map.entry("claims of another", parts[0] + "." + base64("{\"sub\":\"root\"}") + "." + parts[2]),
                Map.entry("the public key as a secret", mac(publicKey, good)),
                Map.entry("its own key in the header", embedded(good)),
                Map.entry(
                        "another issuer",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().issuer(ISSUER + "/").build())),
                Map.entry(
                        "another audience",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().audience("shop").build())),
                Map.entry(
                        "no audience",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().audience((String) null).build())),
                Map.entry(
                        "no end",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().expirationTime(null).build())),
                Map.entry(
                        "ended",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().expirationTime(at(-31)).build())),
                Map.entry(
                        "not begun",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().notBeforeTime(at(31)).build())),
                Map.entry(
                        "no name",
                        signed(rsa, JWSAlgorithm.RS256, claims().subject(null).build())),
                Map.entry(
                        "a long name",
                        signed(
                                rsa,
                                JWSAlgorithm.RS256,
                                claims().subject("x".repeat(101)).build())),
                Map.entry("the address of its keys", addressed(good)),
                Map.entry("a path as the name of its key", named("../../first", good)),
                Map.entry("another kind of token", typed("logout+jwt", good)),
                Map.entry("too long", whole + "A".repeat(8_192)),
                Map.entry("one part", "eyJhbGciOiJSUzI1NiJ9"),
                Map.entry("no JSON", "eyJ.eyJ.eyJ"));
        bad.forEach((what, token) -> refused(tokens, token, Code.UNAUTHENTICATED)
                .as(what)
                .hasMessageStartingWith("the JWT is not accepted: it ")
                .message()
                .doesNotContain(token, parts[1], "checkout", "root", "shop"));
        assertThat(tokens.caller(whole).name()).isEqualTo("checkout");
    }

    @Test
    void caller_clockIsABitOff_isAccepted() throws Exception {
        IssuerTokens tokens = tokens(issuer(ec), null);
        JWTClaimsSet off =
                claims().expirationTime(at(-20)).notBeforeTime(at(20)).build();
        assertThat(tokens.caller(signed(ec, JWSAlgorithm.ES256, off)).name()).isEqualTo("checkout");
    }

    @Test
    void caller_acceptedBefore_isRefusedOnceItsTimeIsOver() throws Exception {
        IssuerTokens tokens = tokens(issuer(ec), null);
        String token =
                signed(ec, JWSAlgorithm.ES256, claims().expirationTime(at(60)).build());
        assertThat(tokens.caller(token).name()).isEqualTo("checkout");
        clock.advance(Duration.ofSeconds(59));
        assertThat(tokens.caller(token).name()).isEqualTo("checkout");
        clock.advance(Duration.ofSeconds(32));
        refused(tokens, token, Code.UNAUTHENTICATED).hasMessageContaining("has expired");
    }

    @Test
    void caller_keysRotate_areFetchedAgainButNotForEveryToken() throws Exception {
        Access.Oidc oidc = new Access.Oidc(ISSUER, "thalweg", issuer(rsa), null, "sub", "roles", null, null);
        IssuerKeys keys = new IssuerKeys(oidc, Runnable::run, () -> nanos);
        IssuerTokens tokens = new IssuerTokens(oidc, keys, clock);
        assertThat(fetches).hasValue(1);
        String next = signed(ec, JWSAlgorithm.ES256, claims().build());
        published = new JWKSet(List.<JWK>of(rsa, ec)).toPublicJWKSet();
        for (int i = 0; i < 20; i++) {
            refused(tokens, next, Code.UNAUTHENTICATED);
        }
        assertThat(fetches).as("within ten seconds of the last").hasValue(1);
        nanos += TimeUnit.SECONDS.toNanos(11);
        refused(tokens, next, Code.UNAUTHENTICATED);
        assertThat(fetches).hasValue(2);
        assertThat(tokens.caller(next).name()).isEqualTo("checkout");

        String ofFirst = signed(rsa, JWSAlgorithm.RS256, claims().build());
        assertThat(tokens.caller(ofFirst).name()).isEqualTo("checkout");
        published = new JWKSet(ec.toPublicJWK()); // the first key is withdrawn
        keys.fetch();
        refused(tokens, ofFirst, Code.UNAUTHENTICATED);
        assertThat(tokens.caller(next).name()).isEqualTo("checkout");
    }

    @Test
    void caller_issuerAwayAtTheStart_isRefusedUntilItAnswers() throws Exception {
        URI address = issuer();
        IssuerTokens tokens = tokens(address, null);
        String token = signed(ec, JWSAlgorithm.ES256, claims().build());
        refused(tokens, token, Code.UNAVAILABLE).hasMessageContaining("could not be fetched yet");
        published = new JWKSet(ec.toPublicJWK());
        nanos += TimeUnit.SECONDS.toNanos(11);
        refused(tokens, token, Code.UNAVAILABLE);
        assertThat(tokens.caller(token).name()).isEqualTo("checkout");

        published = null; // unavailable again: the previous keys stay
        nanos += TimeUnit.MINUTES.toNanos(6);
        refused(tokens, signed(other, JWSAlgorithm.RS256, claims().build()), Code.UNAUTHENTICATED);
        assertThat(fetches).as("in vain").hasValue(3);
        assertThat(tokens.caller(token).name()).isEqualTo("checkout");
        assertThat(tokens.caller(signed(
                                ec,
                                JWSAlgorithm.ES256,
                                claims().subject("search").build()))
                        .name())
                .isEqualTo("search");
    }

    @Test
    void keys_ofAFileAndByTheConfigurationOverTls_areFound() throws Exception {
        Path file = folder.resolve("keys.json");
        Files.writeString(file, new JWKSet(ec.toPublicJWK()).toString());
        String token = signed(ec, JWSAlgorithm.ES256, claims().build());
        assertThat(tokens(file.toUri(), null).caller(token).name()).isEqualTo("checkout");

        published = new JWKSet(ec.toPublicJWK());
        TestCertificate own = TestCertificate.create(folder, "issuer");
        Server server = Server.builder()
                .https(0)
                .tls(TlsKeyPair.of(own.key().toFile(), own.certificate().toFile()))
                .service("/keys", (ctx, request) -> answer())
                .service(
                        "/.well-known/openid-configuration",
                        (ctx, request) -> HttpResponse.of(
                                MediaType.JSON_UTF_8,
                                "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}"
                                        .formatted(origin(request.authority()), origin(request.authority()))))
                .build();
        server.start().join();
        servers.add(server);
        String issuer = "https://localhost:" + server.activeLocalPort();
        String ofIt = signed(ec, JWSAlgorithm.ES256, claims().issuer(issuer).build());
        assertThat(tokens(new Access.Oidc(issuer, "thalweg", null, own.certificate(), "sub", "roles", null, null))
                        .caller(ofIt)
                        .name())
                .isEqualTo("checkout");
        IssuerTokens untrusting = tokens(new Access.Oidc(issuer, "thalweg", null, null, "sub", "roles", null, null));
        refused(untrusting, ofIt, Code.UNAVAILABLE);
    }

    private static String origin(@Nullable String authority) {
        return "https://" + authority;
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ?> refused(
            IssuerTokens tokens, String token, Code code) {
        return assertThatThrownBy(() -> tokens.caller(token))
                .isInstanceOfSatisfying(
                        UnacceptableException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private IssuerTokens tokens(URI jwks, @Nullable String operator) {
        return tokens(new Access.Oidc(ISSUER, "thalweg", jwks, null, "sub", "roles", null, operator));
    }

    /** Fetches keys on the calling thread, so that tests do not need to wait. */
    private IssuerTokens tokens(Access.Oidc oidc) {
        return new IssuerTokens(oidc, new IssuerKeys(oidc, Runnable::run, () -> nanos), clock);
    }

    /** Publishes keys by HTTP. */
    private URI issuer(JWK... keys) {
        published = keys.length == 0 ? null : new JWKSet(List.of(keys)).toPublicJWKSet();
        Server server = Server.builder()
                .http(0)
                .service("/keys", (ctx, request) -> answer())
                .build();
        server.start().join();
        servers.add(server);
        return URI.create("http://127.0.0.1:" + server.activeLocalPort() + "/keys");
    }

    private HttpResponse answer() {
        fetches.incrementAndGet();
        JWKSet keys = published;
        return keys == null
                ? HttpResponse.of(HttpStatus.INTERNAL_SERVER_ERROR)
                : HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, HttpData.ofUtf8(keys.toString()));
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(List.of("other", "thalweg"))
                .subject("checkout")
                .expirationTime(at(600));
    }

    private static Date at(int seconds) {
        return Date.from(NOW.plusSeconds(seconds));
    }

    private static String signed(JWK key, JWSAlgorithm algorithm, JWTClaimsSet claims) throws Exception {
        JWSSigner signer = key instanceof RSAKey secret ? new RSASSASigner(secret) : new ECDSASigner((ECKey) key);
        return signed(new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), signer, claims);
    }

    private static String signed(JWSHeader header, JWSSigner signer, JWTClaimsSet claims) throws Exception {
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(signer);
        return token.serialize();
    }

    private static String mac(byte[] secret, JWTClaimsSet claims) throws Exception {
        return signed(new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build(), new MACSigner(secret), claims);
    }

    private static String embedded(JWTClaimsSet claims) throws Exception {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .jwk(other.toPublicJWK())
                .build();
        return signed(header, new RSASSASigner(other), claims);
    }

    private static String addressed(JWTClaimsSet claims) throws Exception {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .jwkURL(URI.create("https://evil.example/keys"))
                .build();
        return signed(header, new RSASSASigner(other), claims);
    }

    private static String named(String key, JWTClaimsSet claims) throws Exception {
        return signed(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key).build(), new RSASSASigner(other), claims);
    }

    private static String typed(String type, JWTClaimsSet claims) throws Exception {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID("first")
                .type(new JOSEObjectType(type))
                .build();
        return signed(header, new RSASSASigner(rsa), claims);
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
