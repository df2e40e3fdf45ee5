package io.thalweg.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.util.SafeCloseable;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.server.feast.FeastJson;
import io.thalweg.server.feast.FeastReader;
import io.thalweg.server.feast.FeastRequest;
import io.thalweg.server.health.Readiness;
import io.thalweg.server.http.AcceptedType;
import io.thalweg.server.http.Columns;
import io.thalweg.server.http.HttpErrors;
import io.thalweg.server.read.ColumnAnswers;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.JsonAnswers;
import io.thalweg.server.read.JsonRequests;
import io.thalweg.server.read.ReadAnswer;
import io.thalweg.server.read.Readers;
import io.thalweg.server.region.JsonScans;
import io.thalweg.server.region.RegionReader;
import io.thalweg.server.region.ScanForm;
import io.thalweg.server.region.TileReader;
import io.thalweg.server.region.TilesAnswer;
import io.thalweg.server.telemetry.Metrics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of the HTTP/JSON API. */
final class HttpApi {
    private static final MediaType TEXT = MediaType.PLAIN_TEXT_UTF_8;
    private static final MediaType PROMETHEUS = MediaType.parse(Metrics.CONTENT_TYPE);
    private static final String PAGE = """
            Thalweg feature server

            POST /v1/views/NAME:read   read features: {"entities":[{"cell":"892a1008003ffff", ...}],"features":["k5_8m"]}
            POST /v1/views/NAME:scan   read a region: {"region":{"bbox":[-74.05,40.68,-73.90,40.82]},"top":{"n":20,"by":"k5_8m"}}
            POST /v1/views/NAME:history  read the latest window ends of one key: {"entities":[{...}],"features":["k5_8m"],"last":60}
            POST /get-online-features  as Feast's feature server: {"features":["demand:k5_8m"],"entities":{"cell":[...], ...}}
            GET  /v1/views             the views: entities, features, watermark
            GET  /v1/views/NAME        one view
            GET  /livez                whether the process works
            GET  /readyz               whether reads get current values, with the reason for each view; also /healthz
            GET  /metrics              metrics for Prometheus
            gRPC thalweg.v1.ServingService and feast.serving.ServingService on the same port, with reflection
            """;

    static final String ALIVE = "{\"status\":\"OK\"}\n";
    private static final String READ = "^/v1/views/(?<name>[^/]+):read$";
    private static final String SCAN = "^/v1/views/(?<name>[^/]+):scan$";
    private static final String HISTORY = "^/v1/views/(?<name>[^/]+):history$";
    private static final String VIEW = "^/v1/views/(?<name>[^/:]+)$";
    private static final String VIEWS = "/v1/views";
    private static final String FEAST = "/get-online-features";
    /** The routes of reads, by their patterns in {@code docs/reference/http.md}. */
    private static final Map<String, String> ENDPOINTS = Map.of(
            READ,
            "POST /v1/views/NAME:read",
            SCAN,
            "POST /v1/views/NAME:scan",
            HISTORY,
            "POST /v1/views/NAME:history",
            TilesAnswer.ROUTE,
            "GET /v1/console/views/NAME/tiles",
            VIEW,
            "GET /v1/views/NAME",
            VIEWS,
            "GET /v1/views",
            FEAST,
            "POST /get-online-features");

    private final FeatureReader reader;
    private final RegionReader regions;
    private final TileReader tiles;
    private final FeastReader feast;
    private final Readers readers;
    private final Readiness readiness;
    private final Metrics metrics;

    HttpApi(
            FeatureReader reader,
            RegionReader regions,
            TileReader tiles,
            FeastReader feast,
            Readers readers,
            Readiness readiness,
            Metrics metrics) {
        this.reader = reader;
        this.regions = regions;
        this.tiles = tiles;
        this.feast = feast;
        this.readers = readers;
        this.readiness = readiness;
        this.metrics = metrics;
    }

    void addTo(ServerBuilder server) {
        addReads(server);
        server.route()
                .get("/livez")
                .build((ctx, request) -> HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, ALIVE));
        server.route().get("/metrics").build((ctx, request) -> metrics(ctx));
        server.route().get("/").build((ctx, request) -> HttpResponse.of(HttpStatus.OK, TEXT, PAGE));
        server.errorHandler(new HttpErrors());
    }

    /** Adds the routes of reads, which the admin port has as well. */
    void addReads(ServerBuilder server) {
        server.route().post("regex:" + READ).build((ctx, request) -> {
            String name = name(ctx);
            return HttpResponse.of(request.aggregate()
                    .thenCompose(whole -> read(ctx, whole, body -> read(name, body))));
        });
        server.route().post("regex:" + SCAN).build((ctx, request) -> {
            String name = name(ctx);
            return HttpResponse.of(request.aggregate().thenCompose(whole -> scan(ctx, name, whole)));
        });
        server.route().post("regex:" + HISTORY).build((ctx, request) -> {
            String name = name(ctx);
            return HttpResponse.of(request.aggregate()
                    .thenCompose(whole -> read(ctx, whole, body -> history(name, body))));
        });
        server.route().post("regex:^/v1/services/(?<name>[^/]+):read$").build((ctx, request) -> {
            throw FeatureReader.noService(name(ctx));
        });
        server.route()
                .post(FEAST)
                .build((ctx, request) -> HttpResponse.of(request.aggregate()
                        .thenCompose(whole -> json(
                                ctx,
                                () -> FeastJson.answer(feast.read(
                                        FeastRequest.parse(whole.content().array())))))));
        server.route()
                .get(VIEWS)
                .build((ctx, request) -> HttpResponse.of(json(ctx, () -> JsonAnswers.views(reader.views(), reader))));
        server.route().get("regex:" + VIEW).build((ctx, request) -> HttpResponse.of(json(ctx, () -> view(name(ctx)))));
        for (String path : List.of("/readyz", "/healthz")) {
            server.route().get(path).build((ctx, request) -> HttpResponse.of(readiness(ctx)));
        }
    }

    /** Returns the endpoint of a route, whose pattern may begin with its kind; null for routes that load management lets pass. */
    static @Nullable String endpoint(String pattern) {
        return ENDPOINTS.get(pattern.startsWith("regex:") ? pattern.substring("regex:".length()) : pattern);
    }

    private static String name(ServiceRequestContext ctx) {
        return String.valueOf(ctx.pathParam("name"));
    }

    private ReadAnswer read(String view, byte[] body) {
        reader.view(view);
        return reader.read(JsonRequests.parse(view, body));
    }

    private ReadAnswer history(String view, byte[] body) {
        reader.view(view);
        return reader.history(JsonRequests.parseHistory(view, body));
    }

    /** Answers a read in the form that the caller accepts. */
    private CompletableFuture<HttpResponse> read(
            ServiceRequestContext ctx, AggregatedHttpRequest request, Function<byte[], ReadAnswer> read) {
        MediaType type = AcceptedType.of(request.headers(), List.of(MediaType.JSON_UTF_8, Columns.TYPE));
        return answer(ctx, type, () -> {
            ReadAnswer answer = read.apply(request.content().array());
            return type.equals(Columns.TYPE) ? ColumnAnswers.answer(answer) : JsonAnswers.answer(answer);
        });
    }

    private CompletableFuture<HttpResponse> scan(
            ServiceRequestContext ctx, String view, AggregatedHttpRequest request) {
        if (TilesAnswer.isAccepted(request.headers())) {
            return answer(
                    ctx,
                    TilesAnswer.TYPE,
                    () -> tiles.read(JsonScans.parse(
                                    reader.view(view), request.content().array()))
                            .bytes());
        }
        ScanForm form = ScanForm.of(request.headers());
        return answer(
                ctx,
                form.type(),
                () -> form.bytes(regions.scan(
                        JsonScans.parse(reader.view(view), request.content().array()), form.mostRows(), form.name())));
    }

    private byte[] view(String name) {
        var view = reader.view(name);
        return JsonAnswers.view(view, reader.watermark(view));
    }

    /**
     * Runs off the event loop, because a gauge may query the store, and apart from the reads, which would otherwise delay their
     * own figures.
     */
    private HttpResponse metrics(ServiceRequestContext ctx) {
        return HttpResponse.of(CompletableFuture.supplyAsync(metrics::expose, ctx.blockingTaskExecutor())
                .thenApply(text -> HttpResponse.of(HttpStatus.OK, PROMETHEUS, HttpData.wrap(text))));
    }

    private CompletableFuture<HttpResponse> readiness(ServiceRequestContext ctx) {
        return submit(ctx, readiness::look)
                .thenApply(report -> HttpResponse.of(
                        report.isReady() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
                        MediaType.JSON_UTF_8,
                        HttpData.wrap(report.json())));
    }

    private CompletableFuture<HttpResponse> json(ServiceRequestContext ctx, Supplier<byte[]> body) {
        return answer(ctx, MediaType.JSON_UTF_8, body);
    }

    private CompletableFuture<HttpResponse> answer(ServiceRequestContext ctx, MediaType type, Supplier<byte[]> body) {
        return submit(ctx, body).thenApply(bytes -> HttpResponse.of(HttpStatus.OK, type, HttpData.wrap(bytes)));
    }

    /** Submits a read with its context, because a body arrives on a thread without one. */
    private <T> CompletableFuture<T> submit(ServiceRequestContext ctx, Supplier<T> read) {
        SafeCloseable known = ctx.push();
        try {
            return readers.submit(read, ctx::isCancelled);
        } finally {
            known.close();
        }
    }
}
