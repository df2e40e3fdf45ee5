package io.thalweg.server;

import com.linecorp.armeria.server.Server;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The port of those who may change things. It takes no request that a page of another site makes a browser send. Its page is for
 * everyone who reaches the port; what the page shows and changes is for operators.
 */
final class AdminServer {
    private static final long BODY_BYTES_MAX = 4 << 20;

    private final Server server;

    private AdminServer(Server server) {
        this.server = server;
    }

    static AdminServer start(Gate gate, String bind, int port, AdminApi api, BackupApi backups) {
        var builder = Server.builder()
                .bossGroupFactory(FeatureServer::acceptor)
                .maxRequestLength(BODY_BYTES_MAX)
                .gracefulShutdownTimeout(Duration.ofMillis(10), Duration.ofSeconds(1))
                .errorHandler(new HttpErrors());
        gate.listen(builder, port);
        backups.addTo(builder);
        api.addTo(builder);
        ConsoleFiles.addTo(builder); // last, because it answers whatever is left
        builder.decorator((delegate, ctx, request) -> {
            if (ConsoleFiles.contain(ctx.path())) {
                gate.requireOwn(request);
            } else {
                gate.require(Caller.Role.OPERATOR, ctx, request);
            }
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
