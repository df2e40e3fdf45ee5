package io.thalweg.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import io.thalweg.model.row.CellText;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.Readers;
import io.thalweg.server.region.JsonScans;
import io.thalweg.server.region.TileReader;
import io.thalweg.server.region.TilesAnswer;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Routes of the console besides those of the feature port: where views have rows, and the shapes of tiles. */
public final class ConsoleApi {
    private static final int EXAMPLE_KEYS = 20;
    private static final int RESOLUTION_MAX = 15;
    private static final int ETAG_BYTES = 16;

    private final FeatureReader reader;
    private final OnlineStore store;
    private final TileReader tiles;
    private final Readers readers;
    private final ObjectNode basemap;
    private final IntSupplier servingPort;

    /** Identifies this server for browsers that have seen another one at the same address. */
    private final String run = UUID.randomUUID().toString();

    /**
     * Creates the routes.
     *
     * @param basemap as returned by {@link Basemap#read}
     * @param servingPort of the feature port; called once the server listens
     */
    public ConsoleApi(
            FeatureReader reader,
            OnlineStore store,
            TileReader tiles,
            Readers readers,
            ObjectNode basemap,
            IntSupplier servingPort) {
        this.reader = reader;
        this.store = store;
        this.tiles = tiles;
        this.readers = readers;
        this.basemap = basemap;
        this.servingPort = servingPort;
    }

    public void addTo(ServerBuilder server) {
        server.route().get("/v1/console/basemap").build((ctx, request) -> AnswerJson.response(basemap));
        server.route().get("/v1/console/shapes/{resolution}").build((ctx, request) -> shape(ctx));
        server.route()
                .get("regex:" + TilesAnswer.ROUTE)
                .build((ctx, request) -> HttpResponse.of(tiles(ctx, request.headers())));
        server.route()
                .get("/v1/console/views/{name}/keys")
                .build((ctx, request) -> HttpResponse.of(
                        readers.submit(() -> keys(name(ctx), ctx.queryParam("prefix")), ctx::isCancelled)
                                .thenApply(AnswerJson::response)));
        server.route()
                .get("/v1/console/views/{name}")
                .build((ctx, request) -> HttpResponse.of(readers.submit(() -> places(name(ctx)), ctx::isCancelled)
                        .thenApply(body -> HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, HttpData.wrap(body)))));
    }

    private static String name(ServiceRequestContext ctx) {
        return String.valueOf(ctx.pathParam("name"));
    }

    /** The answer is the same for all tiles and never changes. */
    private HttpResponse shape(ServiceRequestContext ctx) {
        String resolution = String.valueOf(ctx.pathParam("resolution"));
        if (!resolution.matches("\\d{1,2}") || Integer.parseInt(resolution) > RESOLUTION_MAX) {
            throw new RefusedRequestException(
                    RefusedRequestException.Code.NOT_FOUND,
                    "a shape is named by its resolution, 0 to " + RESOLUTION_MAX + ", was " + resolution);
        }
        TilePositions places = tiles.places(Integer.parseInt(resolution));
        ResponseHeaders headers = ResponseHeaders.builder(HttpStatus.OK)
                .contentType(MediaType.OCTET_STREAM)
                .set(HttpHeaderNames.CACHE_CONTROL, "private, max-age=31536000, immutable")
                .build();
        return HttpResponse.of(headers, HttpData.wrap(TilesAnswer.shape(places)));
    }

    private CompletableFuture<HttpResponse> tiles(ServiceRequestContext ctx, RequestHeaders headers) {
        FeatureView view = reader.view(name(ctx));
        return readers.submit(() -> tiles.read(JsonScans.parse(view, query(ctx))), ctx::isCancelled)
                .thenApply(found -> response(found, headers, run.equals(ctx.queryParam("run"))));
    }

    /** Returns the body of a scan, which a GET carries in its query. */
    private static byte[] query(ServiceRequestContext ctx) {
        String query = ctx.queryParam("q");
        if (query == null) {
            throw RefusedRequestException.invalid(
                    "q: is missing; it is the body of a scan, such as {\"features\":[\"k5_8m\"]}");
        }
        requireUtf8(ctx.query());
        return query.getBytes(StandardCharsets.UTF_8);
    }

    /** Refuses bytes that are not UTF-8: the parameters of a query have U+FFFD instead, so another key would be read. */
    private static void requireUtf8(@Nullable String query) {
        try {
            String bytes = URLDecoder.decode(String.valueOf(query), StandardCharsets.ISO_8859_1);
            var unused = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (CharacterCodingException e) {
            throw RefusedRequestException.invalid("q: must be UTF-8 in percent-encoding, was bytes that are not");
        } catch (IllegalArgumentException e) {
            throw RefusedRequestException.invalid("q: must be percent-encoded, had a % without two hex digits");
        }
    }

    /**
     * Marks tiles as cacheable only if they cannot change.
     *
     * @param own whether the address names this server; otherwise a cached answer would also be used for the next server at the
     *     same address
     */
    private static HttpResponse response(TileReader.Tiles found, RequestHeaders headers, boolean own) {
        if (found.finalForMs().isEmpty()) {
            ResponseHeaders changing = ResponseHeaders.builder(HttpStatus.OK)
                    .contentType(TilesAnswer.TYPE)
                    .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                    .build();
            return HttpResponse.of(changing, HttpData.wrap(found.bytes()));
        }
        long seconds = found.finalForMs().getAsLong() / 1_000;
        String etag = etag(found.bytes());
        boolean known = etag.equals(headers.get(HttpHeaderNames.IF_NONE_MATCH));
        ResponseHeaders lasting = ResponseHeaders.builder(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
                .contentType(TilesAnswer.TYPE)
                .set(HttpHeaderNames.ETAG, etag)
                .set(
                        HttpHeaderNames.CACHE_CONTROL,
                        own ? "private, max-age=" + seconds + ", immutable" : "private, no-cache")
                .build();
        return known ? HttpResponse.of(lasting) : HttpResponse.of(lasting, HttpData.wrap(found.bytes()));
    }

    /** Returns a weak tag, because the bytes are compressed for some callers. */
    private static String etag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "W/\"" + HexFormat.of().formatHex(digest, 0, ETAG_BYTES) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns some keys of a keyed view. */
    private ObjectNode keys(String name, @Nullable String prefix) {
        FeatureView view = reader.view(name);
        if (!view.isKeyed()) {
            throw RefusedRequestException.invalid(
                    view.qualifiedName() + " is a view of hexagons, whose keys a scan lists: POST /v1/views/NAME:scan");
        }
        ObjectNode answer = AnswerJson.object();
        ArrayNode keys = answer.putArray("keys");
        for (List<Object> key : store.exampleKeys(view, prefix == null ? "" : prefix, EXAMPLE_KEYS)) {
            ObjectNode entities = keys.addObject();
            for (int i = 0; i < key.size(); i++) {
                entities.put(view.group().get(i).name(), String.valueOf(key.get(i)));
            }
        }
        return answer;
    }

    /** Where a view has rows. */
    private byte[] places(String name) {
        FeatureView view = reader.view(name);
        FeatureReader.requireCells(view);
        List<Coverage> coverage = store.coverage(view);
        Map<List<Object>, long[]> groups = new LinkedHashMap<>();
        for (Coverage place : coverage) {
            long[] group = groups.computeIfAbsent(place.group(), each -> new long[] {0, Long.MIN_VALUE});
            group[0]++;
            group[1] = Math.max(group[1], place.lastEndMs());
        }
        return AnswerJson.bytes(out -> {
            out.writeStringField("name", view.qualifiedName());
            out.writeNumberField("port", servingPort.getAsInt());
            out.writeStringField("run", run);
            out.writeStringField(
                    "counts",
                    view.measure() instanceof Measure.CountDistinct distinct
                            ? distinct.field().column()
                            : null);
            out.writeNumberField("every_ms", view.clock().everyMs());
            DurationText history = view.online().history();
            out.writeNumberField("history_ms", history == null ? 0 : history.millis());
            out.writeStringField("live", reader.liveFeature(view).orElse(null));
            out.writeArrayFieldStart("groups");
            for (Map.Entry<List<Object>, long[]> group : groups.entrySet()) {
                write(out, view, group.getKey(), group.getValue());
            }
            out.writeEndArray();
            out.writeArrayFieldStart("tiles");
            for (long tile :
                    coverage.stream().mapToLong(Coverage::tile).distinct().toArray()) {
                write(out, tile);
            }
            out.writeEndArray();
        });
    }

    private static void write(JsonGenerator out, FeatureView view, List<Object> group, long[] tilesAndLastEnd)
            throws IOException {
        out.writeStartObject();
        out.writeObjectFieldStart("entities");
        int at = 0;
        for (Entity.Field entity : view.group()) {
            out.writeStringField(entity.name(), String.valueOf(group.get(at++)));
        }
        out.writeEndObject();
        out.writeNumberField("tiles", tilesAndLastEnd[0]);
        out.writeStringField(
                "last_end", Instant.ofEpochMilli(tilesAndLastEnd[1]).toString());
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, long tile) throws IOException {
        Point centre = TilePositions.centre(tile);
        out.writeStartObject();
        out.writeStringField("tile", CellText.format(tile));
        out.writeNumberField("lat", centre.latDeg());
        out.writeNumberField("lng", centre.lngDeg());
        out.writeEndObject();
    }
}
