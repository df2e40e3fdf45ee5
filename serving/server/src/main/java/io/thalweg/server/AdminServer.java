package io.thalweg.server;

import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.encoding.EncodingService;
import io.thalweg.server.access.Caller;
import io.thalweg.server.access.Gate;
import io.thalweg.server.access.LocalRequests;
import io.thalweg.server.console.ConsoleFiles;
import io.thalweg.server.http.HttpErrors;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The port for operators. It refuses requests that a page of another site makes a browser send. Everyone who reaches the port can
 * load its page; what the page shows and changes requires the role of an operator.
 */
final class AdminServer {
    private static final long BODY_BYTES_MAX = 4 << 20;
    private static final int COMPRESSED_FROM = 2_000;
    private static final Set<String> COMPRESSED = Set.of("javascript", "octet-stream", "vnd.thalweg.tiles");

    private final Server server;

    private AdminServer(Server server) {
        this.server = server;
    }

    /**
     * Starts to listen.
     *
     * @param protect load management in front of the reads of the console
     * @param routes adds the routes besides the files of the console
     */
    static AdminServer start(
            Gate gate, String bind, int port, DecoratingHttpServiceFunction protect, Consumer<ServerBuilder> routes) {
        var builder = Server.builder()
                .bossGroupFactory(FeatureServer::acceptor)
                .maxRequestLength(BODY_BYTES_MAX)
                .gracefulShutdownTimeout(Duration.ofMillis(10), Duration.ofSeconds(1))
                .errorHandler(new HttpErrors());
        gate.listen(builder, port);
        routes.accept(builder);
        ConsoleFiles.addTo(builder);
        builder.decorator((delegate, ctx, request) -> {
            ConsoleFiles.require(gate, Caller.Role.OPERATOR, ctx, request);
            LocalRequests.requireJson(request);
            return protect.serve(delegate, ctx, request);
        });
        compress(builder);
        Server server = builder.build();
        FeatureServer.listen(server, bind, "server.admin_port", port);
        return new AdminServer(server);
    }

    /** Compresses answers to the console for browsers that accept it. */
    static void compress(ServerBuilder server) {
        server.decorator(EncodingService.builder()
                .encodableContentTypes(AdminServer::isCompressible)
                .minBytesToForceChunkedEncoding(COMPRESSED_FROM)
                .newDecorator());
    }

    private static boolean isCompressible(MediaType type) {
        return type.is(MediaType.ANY_TEXT_TYPE) || type.isJson() || COMPRESSED.contains(type.subtype());
    }

    int port() {
        return server.activeLocalPort();
    }

    /** Begins to stop; a change in progress is completed. */
    CompletableFuture<?> stop() {
        return server.stop();
    }
}
