package io.thalweg.server;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.Server;
import io.thalweg.server.Refusal.Code;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The port of those who may change things. It has neither TLS nor tokens, so it is for this machine only: it listens on loopback,
 * and takes no request that a page of somebody else has a browser send.
 */
final class AdminServer {
    private static final Pattern THIS_MACHINE = Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?");
    private static final long BODY_BYTES_MAX = 4 << 20;

    private final Server server;

    private AdminServer(Server server) {
        this.server = server;
    }

    static AdminServer start(String bind, int port, AdminApi api) {
        var builder = Server.builder()
                .http(new InetSocketAddress(bind, port))
                .bossGroupFactory(FeatureServer::acceptor)
                .maxRequestLength(BODY_BYTES_MAX)
                .gracefulShutdownTimeout(Duration.ofMillis(10), Duration.ofSeconds(1))
                .errorHandler(new HttpErrors());
        api.addTo(builder);
        builder.decorator((delegate, ctx, request) -> {
            requireOurs(request);
            return delegate.serve(ctx, request);
        });
        Server server = builder.build();
        FeatureServer.listen(server, bind, "server.admin_port", port);
        return new AdminServer(server);
    }

    /**
     * A name that its owner makes point here would let a page of his read and change everything, and a form needs not even that:
     * hence the host must be this machine's own, and changes must be JSON, which browsers ask us about before they send it from
     * another page, and get no leave.
     */
    private static void requireOurs(HttpRequest request) {
        String host = request.headers().authority();
        if (host == null || !THIS_MACHINE.matcher(host).matches()) {
            throw new Refusal(
                    Code.PERMISSION_DENIED, "host: must be localhost, 127.0.0.1 or [::1] on this port, was " + host);
        }
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equals("http://" + host)) {
            throw new Refusal(Code.PERMISSION_DENIED, "origin: pages of others may not come here, was " + origin);
        }
        boolean reads = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
        if (!reads && !isJson(request.headers().get(HttpHeaderNames.CONTENT_TYPE))) {
            throw Refusal.invalid("content-type: must be application/json");
        }
    }

    private static boolean isJson(@Nullable String type) {
        return type != null && type.startsWith("application/json");
    }

    int port() {
        return server.activeLocalPort();
    }

    /** Begins to stop; a change under way is finished. */
    CompletableFuture<?> stop() {
        return server.stop();
    }
}
