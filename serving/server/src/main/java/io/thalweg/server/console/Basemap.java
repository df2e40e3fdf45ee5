package io.thalweg.server.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.model.problem.JsonFault;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.ServerStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lines and areas that the map of the console draws below its hexagons, read from a GeoJSON file (RFC 7946). Points and
 * properties are skipped.
 *
 * <p><b>Threads.</b> Not safe; used while the server starts.
 */
public final class Basemap {
    static final long BYTES_MAX = 8 << 20;
    static final int POINTS_MAX = 200_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode shapes = AnswerJson.object();
    private final ArrayNode lines = shapes.putArray("lines");
    private final ArrayNode areas = shapes.putArray("areas");
    private int points;

    private Basemap() {}

    /** Signals a structure that is not valid GeoJSON. */
    private static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /**
     * Reads a file.
     *
     * @param file null = draw nothing
     * @return {@code lines}, each of alternating longitudes and latitudes, and {@code areas}, each of rings of such
     * @throws ServerStartException if it cannot be read, or is too large
     */
    public static ObjectNode read(@Nullable Path file) {
        Basemap map = new Basemap();
        if (file == null) {
            return map.shapes;
        }
        try {
            long bytes = Files.size(file);
            if (bytes > BYTES_MAX) {
                throw new Malformed(
                        "has %,d bytes; at most %,d are drawn: simplify it, or cut it to the area of the views"
                                .formatted(bytes, BYTES_MAX));
            }
            map.add(JSON.readTree(Files.readAllBytes(file)));
            return map.shapes;
        } catch (JsonProcessingException e) {
            throw refused(file, "is not JSON: " + JsonFault.wordsAndPlace(e), e);
        } catch (Malformed e) {
            throw refused(file, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw refused(file, "cannot be read: " + e.getMessage(), e);
        }
    }

    private static ServerStartException refused(Path file, String why, Exception cause) {
        return new ServerStartException("server.basemap: " + file + " " + why, cause);
    }

    private void add(JsonNode node) {
        JsonNode coordinates = node.path("coordinates");
        switch (node.path("type").asText()) {
            case "FeatureCollection" -> each(node, "features", this::add);
            case "GeometryCollection" -> each(node, "geometries", this::add);
            case "Feature" -> {
                if (!node.path("geometry").isNull()) {
                    add(node.path("geometry"));
                }
            }
            case "LineString" -> lines.add(line(coordinates, 2));
            case "MultiLineString" -> coordinates.forEach(line -> lines.add(line(line, 2)));
            case "Polygon" -> areas.add(rings(coordinates));
            case "MultiPolygon" -> coordinates.forEach(polygon -> areas.add(rings(polygon)));
            case "Point", "MultiPoint" -> {}
            default ->
                throw new Malformed(
                        "is not GeoJSON: a type must be FeatureCollection, Feature or that of a geometry, was "
                                + node.path("type"));
        }
    }

    private static void each(JsonNode node, String list, Consumer<JsonNode> take) {
        if (!node.path(list).isArray()) {
            throw new Malformed("is not GeoJSON: %s without a list of %s".formatted(node.path("type"), list));
        }
        node.path(list).forEach(take);
    }

    private ArrayNode rings(JsonNode polygon) {
        ArrayNode rings = JSON.createArrayNode();
        polygon.forEach(ring -> rings.add(line(ring, 4)));
        return rings;
    }

    private ArrayNode line(JsonNode positions, int least) {
        if (!positions.isArray() || positions.size() < least) {
            throw new Malformed("is not GeoJSON: a line must have at least %d positions, was %s"
                    .formatted(least, shown(positions)));
        }
        points += positions.size();
        if (points > POINTS_MAX) {
            throw new Malformed("has more than %,d positions; simplify it, or cut it to the area of the views"
                    .formatted(POINTS_MAX));
        }
        ArrayNode line = JSON.createArrayNode();
        for (JsonNode position : positions) {
            line.add(degrees(position, 0, 180)).add(degrees(position, 1, 90));
        }
        return line;
    }

    private static double degrees(JsonNode position, int at, double most) {
        JsonNode value = position.path(at);
        if (!value.isNumber() || Math.abs(value.doubleValue()) > most) {
            throw new Malformed(
                    "is not GeoJSON: a position must be [longitude, latitude] in degrees, was " + shown(position));
        }
        return value.doubleValue();
    }

    private static String shown(JsonNode node) {
        String text = node.toString();
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }
}
