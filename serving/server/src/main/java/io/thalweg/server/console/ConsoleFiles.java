package io.thalweg.server.console;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.file.FileService;
import io.thalweg.server.access.Caller;
import io.thalweg.server.access.Gate;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import java.util.Set;

/**
 * The files of the console, which are in the module {@code console}. They contain no data, so they are served without a token.
 * The browser loads nothing from other sites for them, runs only their scripts, and does not show them in a frame.
 */
public final class ConsoleFiles {
    static final String FOLDER = "io/thalweg/console";
    static final Set<String> PATHS = Set.of(
            "/",
            "/index.html",
            "/console.css",
            "/console.js",
            "/api.js",
            "/basemap.js",
            "/board.js",
            "/chart.js",
            "/commands.js",
            "/draw.js",
            "/frames.js",
            "/gestures.js",
            "/graph.js",
            "/jobs.js",
            "/keys.js",
            "/letters.js",
            "/live.js",
            "/load.js",
            "/map.js",
            "/marks.js",
            "/panel.js",
            "/parts.js",
            "/past.js",
            "/ramp.js",
            "/reading.js",
            "/selectors.js",
            "/state.js",
            "/tiles.js",
            "/time.js",
            "/views.js",
            "/world.bin",
            "/world.js");
    private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private ConsoleFiles() {}

    /** Requires a role for everything that is not a file of the console. */
    public static void require(Gate gate, Caller.Role role, ServiceRequestContext ctx, HttpRequest request) {
        if (PATHS.contains(ctx.path())) {
            gate.requireOwn(request);
        } else {
            gate.require(role, ctx, request);
        }
    }

    /** Serves the files. Paths without a route are answered with 404. */
    public static void addTo(ServerBuilder server) {
        FileService files = FileService.builder(ConsoleFiles.class.getClassLoader(), FOLDER)
                .addHeader(HttpHeaderNames.CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY)
                .addHeader(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff")
                .addHeader(HttpHeaderNames.REFERRER_POLICY, "no-referrer")
                .addHeader(HttpHeaderNames.CROSS_ORIGIN_OPENER_POLICY, "same-origin")
                .addHeader(HttpHeaderNames.CACHE_CONTROL, "no-cache")
                .build();
        server.serviceUnder("/", files.orElse((ctx, request) -> {
            throw new RefusedRequestException(
                    Code.NOT_FOUND, "nothing is served here; docs/reference/admin.md lists what is");
        }));
    }
}
