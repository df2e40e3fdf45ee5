package io.thalweg.server;

import com.linecorp.armeria.server.Server;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The port of those who may change things. It has neither TLS nor tokens, so it is for this machine only: it listens on loopback,
 * and takes no request that a page of another site makes a browser send.
 */
final class AdminServer {
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
            LocalRequests.requireLocal(request);
            LocalRequests.requireJson(request);
            return delegate.serve(ctx, request);
        });
        Server server = builder.build();
        FeatureServer.listen(server, bind, "server.admin_port", port);
        return new AdminServer(server);
    }

    int port() {
        return server.activeLocalPort();
    }

    /** Begins to stop; a change under way is finished. */
    CompletableFuture<?> stop() {
        return server.stop();
    }
}
