package io.thalweg.server.access;

import com.linecorp.armeria.common.CommonPools;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.thalweg.model.deployment.Access;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.telemetry.Metrics;
import java.text.ParseException;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The callers of an issuer's JSON Web Tokens. A token must be signed by a key of the issuer with an asymmetric algorithm, be
 * meant for this audience, and have an end that has not passed.
 *
 * <p><b>Threads.</b> Safe; called on event loops. Verifying a signature takes up to some hundred microseconds of CPU time, so an
 * accepted token is cached until it expires or the issuer's keys change.
 */
final class IssuerTokens implements AutoCloseable {
    /** HTTP headers are not longer either. */
    private static final int LENGTH_MAX = 8_192;

    private static final int SKEW_SECONDS = 30;
    private static final int REMEMBERED_MAX = 10_000;
    private static final long FETCH_MINUTES = 5;
    /** Excludes {@code none} and shared secrets: anyone who can verify a token of theirs can forge one. */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private final Access.Oidc oidc;
    private final IssuerKeys keys;
    private final Clock clock;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    /** By the hash of the token. */
    private final Map<String, Accepted> accepted = new ConcurrentHashMap<>();

    private volatile @Nullable Future<?> fetching;

    private record Accepted(Caller caller, long endMs, int keys) {}

    /** A token that proves nothing; the message gives the reason and repeats no part of the token. */
    static final class UnacceptableException extends Exception {
        private final transient Code code;

        private UnacceptableException(Code code, String message) {
            super(message);
            this.code = code;
        }

        Code code() {
            return code;
        }
    }

    /** Creates the callers of an issuer and fetches its keys, which are then fetched again every five minutes. */
    static IssuerTokens of(Access.Oidc oidc, Metrics metrics) {
        IssuerKeys keys = new IssuerKeys(oidc, CommonPools.blockingTaskExecutor(), System::nanoTime);
        metrics.gauge(
                "thalweg_auth_keys_age_seconds",
                "Time since the keys of the issuer of JSON Web Tokens were fetched; NaN if they never were.",
                Metrics.labels(),
                keys::secondsOld);
        IssuerTokens tokens = new IssuerTokens(oidc, keys, Clock.systemUTC());
        tokens.fetching = CommonPools.blockingTaskExecutor()
                .scheduleWithFixedDelay(keys::fetch, FETCH_MINUTES, FETCH_MINUTES, TimeUnit.MINUTES);
        return tokens;
    }

    IssuerTokens(Access.Oidc oidc, IssuerKeys keys, Clock clock) {
        this.oidc = oidc;
        this.keys = keys;
        this.clock = clock;
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
        DefaultJWTClaimsVerifier<SecurityContext> claims =
                new DefaultJWTClaimsVerifier<>(
                        oidc.audience(),
                        new JWTClaimsSet.Builder().issuer(oidc.issuer()).build(),
                        Set.of("exp", oidc.nameClaim())) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(clock.instant());
                    }
                };
        claims.setMaxClockSkew(SKEW_SECONDS);
        processor.setJWTClaimsSetVerifier(claims);
    }

    /** Whether a bearer token looks like a JSON Web Token. */
    static boolean isOne(String token) {
        return token.startsWith("eyJ"); // {" in Base64
    }

    /**
     * The caller that a token proves.
     *
     * @throws UnacceptableException if it proves none
     */
    Caller caller(String token) throws UnacceptableException {
        if (token.length() > LENGTH_MAX) {
            throw unacceptable("must have at most " + LENGTH_MAX + " characters");
        }
        String hash = Callers.hash(token);
        Accepted known = accepted.get(hash);
        int current = keys.version();
        if (known != null && known.keys == current && clock.millis() < known.endMs) {
            return known.caller;
        }
        JWTClaimsSet claims = claims(token);
        Caller caller = new Caller(name(claims), role(claims));
        if (accepted.size() >= REMEMBERED_MAX) {
            accepted.clear();
        }
        long endMs = claims.getExpirationTime().toInstant().toEpochMilli();
        accepted.put(hash, new Accepted(caller, endMs, current));
        return caller;
    }

    private JWTClaimsSet claims(String token) throws UnacceptableException {
        boolean canVerify = keys.version() > 0;
        try {
            return processor.process(token, null);
        } catch (ExpiredJWTException e) {
            throw unacceptable("has expired; get a new one");
        } catch (BadJWTException e) {
            throw unacceptable("must be of the issuer, for the audience and with the claims of server.auth.oidc,"
                    + " and its time must have come");
        } catch (BadJOSEException | JOSEException e) {
            if (!canVerify) {
                throw new UnacceptableException(
                        Code.UNAVAILABLE, "the keys of the issuer could not be fetched yet; try again later");
            }
            throw unacceptable("must be signed by a key of the issuer, with RS, PS or ES and 256, 384 or 512 bits");
        } catch (ParseException e) {
            throw unacceptable("must have three parts of Base64, of which the first two are JSON");
        }
    }

    private String name(JWTClaimsSet claims) throws UnacceptableException {
        if (claims.getClaim(oidc.nameClaim()) instanceof String name
                && !name.isBlank()
                && name.length() <= Callers.NAME_MAX) {
            return name;
        }
        throw unacceptable(
                "must have a text of 1 to " + Callers.NAME_MAX + " characters in the claim " + oidc.nameClaim());
    }

    private Caller.Role role(JWTClaimsSet claims) throws UnacceptableException {
        Collection<?> roles = roles(claims.getClaims());
        if (oidc.operator() != null && roles.contains(oidc.operator())) {
            return Caller.Role.OPERATOR;
        }
        if (oidc.reader() != null && !roles.contains(oidc.reader())) {
            throw new UnacceptableException(
                    Code.PERMISSION_DENIED,
                    "the claim " + oidc.roleClaim() + " of the JWT must contain " + oidc.reader()
                            + (oidc.operator() == null ? "" : " or " + oidc.operator()));
        }
        return Caller.Role.READER;
    }

    /** Returns the claim of that name or, if there is none, the one at the end of the path, for issuers that nest their claims. */
    private Collection<?> roles(Map<String, Object> claims) {
        Object found = claims.get(oidc.roleClaim());
        if (found == null) {
            found = claims;
            for (String step : oidc.roleClaim().split("\\.", -1)) {
                found = found instanceof Map<?, ?> map ? map.get(step) : null;
            }
        }
        return rolesOf(found);
    }

    private static Collection<?> rolesOf(@Nullable Object claim) {
        if (claim instanceof Collection<?> list) {
            return list;
        }
        return claim instanceof String text ? Arrays.asList(text.split(" ", -1)) : List.of();
    }

    /** Stops the periodic fetch of the keys. */
    @Override
    public void close() {
        Future<?> last = fetching;
        if (last != null) {
            last.cancel(false);
        }
    }

    private static UnacceptableException unacceptable(String rule) {
        return new UnacceptableException(Code.UNAUTHENTICATED, "the JWT is not accepted: it " + rule);
    }
}
