package io.thalweg.server.access;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerListener;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AsciiString;
import io.thalweg.model.deployment.Access;
import io.thalweg.server.http.HttpErrors;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks in front of every port: encryption, authentication and authorization. The ports of a server share one gate.
 *
 * <p><b>Threads.</b> Safe; {@link #require} is called on event loops.
 */
public final class Gate {
    /** What HTTP/2 adds to the size of each header. */
    private static final int HEADER_OVERHEAD = 32;

    /** Netty ends a connection whose headers are above its own limit, and with it the other calls. */
    private static final int NETTY_HEADER_BYTES_MAX = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

    private final String bind;
    private final Access access;
    private final @Nullable TlsFiles tls;
    private final Authentication authentication;

    /**
     * Reads certificates and callers.
     *
     * @throws IllegalArgumentException if the address may not be bound
     * @throws ServerStartException if a certificate or key cannot be used
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong with the callers file
     */
    public Gate(String bind, Access access, Metrics metrics) {
        requireBindable(bind, access);
        this.bind = bind;
        this.access = access;
        Access.Tls files = access.tls();
        tls = files == null ? null : new TlsFiles(files);
        authentication = new Authentication(access, metrics);
        if (tls != null) {
            metrics.gauge(
                    "thalweg_tls_certificate_seconds_left",
                    "Time until the server's certificate expires.",
                    Metrics.labels(),
                    () -> tls.secondsLeft(Clock.systemUTC()));
        }
        if (isExposed(bind, access)) {
            LOG.warn("server.insecure: the ports on {} are open to other machines; {}", bind, danger());
        }
    }

    /**
     * Requires that an address may be bound.
     *
     * @throws IllegalArgumentException if it is beyond loopback and not protected, or not an address of this machine
     */
    public static void requireBindable(String bind, Access access) {
        if (isExposed(bind, access) && !access.insecure()) {
            throw new IllegalArgumentException(
                    "server.bind must be a loopback address, such as 127.0.0.1, unless server.tls and server.auth protect the"
                            + " port; was '" + bind + "'; server.insecure: true allows it");
        }
    }

    /** Whether other machines can use the ports without authentication. */
    static boolean isExposed(String bind, Access access) {
        return !isLoopback(bind) && !access.isProtected();
    }

    private static boolean isLoopback(String bind) {
        try {
            return InetAddress.getByName(bind).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("server.bind must be an address of this machine, was '" + bind + "'", e);
        }
    }

    private String danger() {
        return access.authenticates()
                ? "tokens cross the network unencrypted, because there is no server.tls"
                : "everyone who reaches them can use them, because there is no server.auth";
    }

    /** Makes a server listen on a port of the address; 0 = any free one. */
    public void listen(ServerBuilder server, int port) {
        server.serverListener(ServerListener.builder()
                .whenStopped(stopped -> authentication.close())
                .build());
        server.http2MaxHeaderListSize(NETTY_HEADER_BYTES_MAX);
        InetSocketAddress address = new InetSocketAddress(bind, port);
        if (tls == null) {
            server.http(address);
            server.childChannelPipelineCustomizer(HalfClose::addTo);
        } else {
            server.https(address);
            server.childChannelPipelineCustomizer(HalfClose::addAfterHandshake);
            tls.addTo(server);
        }
    }

    /**
     * Requires that a request does not come from a page of another site and, on a port without authentication, that it addresses
     * this machine. Requires headers of a limited size, and one host.
     *
     * @throws RefusedRequestException PERMISSION_DENIED, INVALID_ARGUMENT
     * @throws HttpStatusException 431 if the headers are too long
     */
    public void requireOwn(HttpRequest request) {
        requireShortHeaders(request);
        LocalRequests.requireOneHost(request);
        if (!access.authenticates() && isLoopback(bind)) {
            LocalRequests.requireHost(request);
        }
        LocalRequests.requireOrigin(request, access.scheme());
    }

    private static void requireShortHeaders(HttpRequest request) {
        int bytes = 0;
        for (Map.Entry<AsciiString, String> header : request.headers()) {
            bytes += header.getKey().length() + header.getValue().length() + HEADER_OVERHEAD;
        }
        if (bytes > HttpErrors.HEADER_BYTES_MAX) {
            throw HttpStatusException.of(HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
    }

    /**
     * Requires the same, and that the sender has at least this role.
     *
     * @throws RefusedRequestException PERMISSION_DENIED, UNAUTHENTICATED
     */
    public void require(Caller.Role role, ServiceRequestContext ctx, HttpRequest request) {
        requireOwn(request);
        authentication.require(role, ctx, request);
    }
}
