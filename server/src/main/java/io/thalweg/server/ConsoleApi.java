package io.thalweg.server;

import com.fasterxml.jackson.core.JsonGenerator;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.kernel.hex.TilePlaces;
import io.thalweg.kernel.hex.TilePlaces.Point;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** What the console needs besides the routes of the feature port: where views have rows, and the shapes of tiles. */
final class ConsoleApi {
    private static final int RESOLUTION_MAX = 15;

    private final FeatureReader reader;
    private final OnlineStore store;
    private final TileReader tiles;
    private final Readers readers;
    private final IntSupplier servingPort;

    /**
     * A console of a server.
     *
     * @param servingPort where features are served; asked once the server listens
     */
    ConsoleApi(FeatureReader reader, OnlineStore store, TileReader tiles, Readers readers, IntSupplier servingPort) {
        this.reader = reader;
        this.store = store;
        this.tiles = tiles;
        this.readers = readers;
        this.servingPort = servingPort;
    }

    void addTo(ServerBuilder server) {
        server.route().get("/v1/console/shapes/{resolution}").build((ctx, request) -> shape(ctx));
        server.route()
                .get("/v1/console/views/{name}")
                .build((ctx, request) -> HttpResponse.of(readers.submit(() -> places(name(ctx)), ctx::isCancelled)
                        .thenApply(body -> HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, HttpData.wrap(body)))));
    }

    private static String name(ServiceRequestContext ctx) {
        return String.valueOf(ctx.pathParam("name"));
    }

    /** The same for all tiles, for ever. */
    private HttpResponse shape(ServiceRequestContext ctx) {
        String resolution = String.valueOf(ctx.pathParam("resolution"));
        if (!resolution.matches("\\d{1,2}") || Integer.parseInt(resolution) > RESOLUTION_MAX) {
            throw new Refusal(
                    Refusal.Code.NOT_FOUND,
                    "a shape is named by its resolution, 0 to " + RESOLUTION_MAX + ", was " + resolution);
        }
        TilePlaces places = tiles.fits(Integer.parseInt(resolution)).places();
        ResponseHeaders headers = ResponseHeaders.builder(HttpStatus.OK)
                .contentType(MediaType.OCTET_STREAM)
                .set(HttpHeaderNames.CACHE_CONTROL, "private, max-age=31536000, immutable")
                .build();
        return HttpResponse.of(headers, HttpData.wrap(TilesAnswer.shape(places)));
    }

    /** Where a view has rows; empty lists where the store does not know. */
    private byte[] places(String name) {
        FeatureView view = reader.view(name);
        ScanRequest.requireCells(view);
        List<Coverage> coverage = store.coverage(view).orElse(List.of());
        Map<List<Object>, long[]> groups = new LinkedHashMap<>();
        for (Coverage place : coverage) {
            long[] group = groups.computeIfAbsent(place.group(), each -> new long[] {0, Long.MIN_VALUE});
            group[0]++;
            group[1] = Math.max(group[1], place.lastEndMs());
        }
        return JsonAnswers.object(out -> {
            out.writeStringField("name", view.qualifiedName());
            out.writeNumberField("port", servingPort.getAsInt());
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
        Point centre = TilePlaces.centre(tile);
        out.writeStartObject();
        out.writeStringField("tile", CellText.format(tile));
        out.writeNumberField("lat", centre.latDeg());
        out.writeNumberField("lng", centre.lngDeg());
        out.writeEndObject();
    }
}
