package io.thalweg.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.health.v1.HealthGrpc;
import io.netty.util.AttributeKey;
import io.thalweg.model.deployment.Access;
import io.thalweg.qalm.wire.PeerIdentity;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.telemetry.Metrics;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the sender of a request: by a bearer token of the callers file or of an issuer, or by a certificate that an
 * accepted authority has signed. Where authentication is off, requests have no caller, and load management trusts their headers.
 *
 * <p><b>Threads.</b> Safe; called on event loops.
 */
public final class Authentication implements AutoCloseable {
    private static final AttributeKey<Caller> CALLER = AttributeKey.valueOf(Authentication.class, "CALLER");
    private static final String BEARER = "bearer ";
    /** Probes of orchestrators have no token; they only learn whether the server works. */
    private static final Set<String> PROBES =
            Set.of("/livez", "/readyz", "/healthz", "/" + HealthGrpc.SERVICE_NAME + "/Check");

    /** Why a request was refused. */
    private enum Reason {
        MISSING,
        UNKNOWN,
        JWT,
        ROLE
    }

    private final boolean required;
    private final boolean certificates;
    private final @Nullable CallersFile file;
    private final @Nullable IssuerTokens issuer;
    private final Map<Reason, LongAdder> refused = new EnumMap<>(Reason.class);

    /**
     * Reads the callers file, if there is one.
     *
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong with it
     */
    Authentication(Access access, Metrics metrics) {
        required = access.authenticates();
        certificates = access.tls() != null && access.tls().clientCa() != null;
        file = access.callers() == null ? null : new CallersFile(access.callers(), System::nanoTime);
        issuer = access.oidc() == null ? null : IssuerTokens.of(access.oidc(), metrics);
        for (Reason reason : Reason.values()) {
            LongAdder count = new LongAdder();
            refused.put(reason, count);
            if (required) {
                metrics.counter(
                        "thalweg_auth_refused_total",
                        "Requests refused because their caller is not proven or may not do that.",
                        Metrics.labels("reason", reason.name().toLowerCase(Locale.ROOT)),
                        count::sum);
            }
        }
    }

    /**
     * Requires that the sender has at least this role. Probes always pass.
     *
     * @throws RefusedRequestException UNAUTHENTICATED, PERMISSION_DENIED
     */
    void require(Caller.Role needed, ServiceRequestContext ctx, HttpRequest request) {
        if (!required || PROBES.contains(ctx.path())) {
            return;
        }
        Caller caller = caller(ctx, request);
        if (!caller.may(needed)) {
            throw refuse(
                    Reason.ROLE,
                    Code.PERMISSION_DENIED,
                    "caller %s is a %s; this needs the role %s"
                            .formatted(caller.name(), text(caller.role()), text(needed)));
        }
        ctx.setAttr(CALLER, caller);
    }

    /** The authenticated name of a request's sender; null where authentication is off. */
    public static @Nullable String callerOf(ServiceRequestContext ctx) {
        Caller caller = ctx.attr(CALLER);
        return caller == null ? null : caller.name();
    }

    private Caller caller(ServiceRequestContext ctx, HttpRequest request) {
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (authorization != null) {
            return ofToken(authorization);
        }
        String name = certificates ? PeerIdentity.of(ctx.sslSession()) : null;
        if (name == null) {
            throw refuse(
                    Reason.MISSING,
                    Code.UNAUTHENTICATED,
                    "authorization: must be Bearer and a token"
                            + (certificates ? ", unless a certificate proves who calls" : ""));
        }
        return callers().ofCertificate(name);
    }

    private Caller ofToken(String authorization) {
        if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw refuse(
                    Reason.UNKNOWN,
                    Code.UNAUTHENTICATED,
                    "authorization: must be Bearer and a token; other schemes are not supported");
        }
        String token = authorization.substring(BEARER.length()).strip();
        Caller caller = callers().ofToken(token);
        if (caller != null) {
            return caller;
        }
        if (issuer != null && IssuerTokens.isOne(token)) {
            return ofIssuer(issuer, token);
        }
        throw refuse(Reason.UNKNOWN, Code.UNAUTHENTICATED, "authorization: no caller has this token");
    }

    private Caller ofIssuer(IssuerTokens tokens, String token) {
        try {
            return tokens.caller(token);
        } catch (IssuerTokens.UnacceptableException e) {
            Reason reason = e.code() == Code.PERMISSION_DENIED ? Reason.ROLE : Reason.JWT;
            throw refuse(reason, e.code(), "authorization: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        if (issuer != null) {
            issuer.close();
        }
    }

    private Callers callers() {
        return file == null ? Callers.NONE : file.current();
    }

    private RefusedRequestException refuse(Reason reason, Code code, String message) {
        Objects.requireNonNull(refused.get(reason)).increment();
        return new RefusedRequestException(code, message);
    }

    private static String text(Caller.Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }
}
