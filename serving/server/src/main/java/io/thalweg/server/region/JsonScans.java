package io.thalweg.server.region;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestJson;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.JsonRequests;
import io.thalweg.server.region.ScanRequest.Aggregate;
import io.thalweg.server.region.ScanRequest.By;
import io.thalweg.server.region.ScanRequest.Top;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON body of a scan; one {@link RefusedRequestException} names all that is wrong with it. */
public final class JsonScans {
    private static final List<String> KEYS = List.of("region", "where", "features", "top", "aggregate", "as_of");
    private static final List<String> REGIONS = List.of("bbox", "polygon", "disk", "parent");
    private static final double[] NONE = {};

    private final FeatureView view;
    private final int resolution;
    private final RequestProblems problems = new RequestProblems();

    private JsonScans(FeatureView view) {
        this.view = view;
        this.resolution = view.cell().resolution();
    }

    public static ScanRequest parse(FeatureView view, byte[] body) {
        return new JsonScans(FeatureReader.requireCells(view)).request(RequestJson.tree(body));
    }

    private ScanRequest request(JsonNode body) {
        RequestJson.requireKnown(body, "", "a scan", KEYS, problems);
        ScanRequest request = new ScanRequest(
                view,
                region(present(body, "region")),
                ScanRequest.where(view, where(present(body, "where")), problems),
                JsonRequests.features(body.get("features"), problems),
                top(present(body, "top")),
                aggregate(present(body, "aggregate")),
                JsonRequests.asOf(body.get("as_of"), problems));
        problems.throwIfAny();
        return request;
    }

    private static @Nullable JsonNode present(JsonNode object, String key) {
        JsonNode value = object.get(key);
        return value == null || value.isNull() ? null : value;
    }

    private @Nullable Region region(@Nullable JsonNode node) {
        if (node == null) {
            return null;
        }
        if (!isObject(node, "region", "such as {\"bbox\":[-74.05,40.68,-73.90,40.82]}")) {
            return null;
        }
        RequestJson.requireKnown(node, "region.", "a region", REGIONS, problems);
        List<String> given = REGIONS.stream().filter(node::has).toList();
        if (given.size() != 1) {
            problems.add(
                    "region",
                    "must have one of bbox, polygon, disk and parent, had "
                            + (given.isEmpty() ? "none" : String.join(" and ", given)));
            return null;
        }
        String kind = given.get(0);
        String path = "region." + kind;
        JsonNode value = node.get(kind);
        return switch (kind) {
            case "bbox" -> bbox(path, value);
            case "polygon" -> polygon(path, value);
            case "disk" -> disk(path, value);
            default -> {
                String text = text(path, value);
                yield text == null ? null : Region.parent(path, text, resolution, problems);
            }
        };
    }

    private @Nullable Region bbox(String path, JsonNode value) {
        double[] edges = numbers(value);
        if (edges == null) {
            problems.add(path, () -> "must be 4 numbers, west, south, east, north, was " + value);
            return null;
        }
        return Region.bbox(path, edges, problems);
    }

    private @Nullable Region polygon(String path, JsonNode value) {
        if (!value.isArray()) {
            problems.add(path, () -> "must be a list of points [longitude, latitude], was " + value);
            return null;
        }
        double[] lat = new double[value.size()];
        double[] lng = new double[value.size()];
        for (int i = 0; i < lat.length; i++) {
            double[] point = numbers(value.get(i));
            if (point == null || point.length != 2) {
                JsonNode wrong = value.get(i);
                problems.add(path + "[" + i + "]", () -> "must be a point [longitude, latitude], was " + wrong);
                return null;
            }
            lng[i] = point[0];
            lat[i] = point[1];
        }
        return Region.polygon(path, lat, lng, problems);
    }

    private @Nullable Region disk(String path, JsonNode value) {
        if (!isObject(value, path, "such as {\"cell\":\"892a1008003ffff\",\"ring\":5}")) {
            return null;
        }
        RequestJson.requireKnown(value, path + ".", "a disk", List.of("cell", "ring"), problems);
        String cell = text(path + ".cell", value.path("cell"));
        Long ring = whole(path + ".ring", value.path("ring"));
        return cell == null || ring == null ? null : Region.disk(path, cell, ring, resolution, problems);
    }

    private Map<String, List<Object>> where(@Nullable JsonNode node) {
        Map<String, List<Object>> where = new LinkedHashMap<>();
        if (node == null || !isObject(node, "where", "entity to value, or to a list of values")) {
            return where;
        }
        node.properties().forEach(field -> {
            List<Object> values = new ArrayList<>();
            JsonNode given = field.getValue();
            if (given.isArray()) {
                given.forEach(value -> values.add(JsonRequests.value(value)));
            } else {
                values.add(JsonRequests.value(given));
            }
            if (values.isEmpty()) {
                problems.add("where." + field.getKey(), "must have a value; leave it out for all");
            }
            where.put(field.getKey(), values);
        });
        return where;
    }

    private @Nullable Top top(@Nullable JsonNode node) {
        if (node == null || !isObject(node, "top", "such as {\"n\":100,\"by\":\"k5_8m\"}")) {
            return null;
        }
        RequestJson.requireKnown(node, "top.", "top", List.of("n", "by"), problems);
        Long n = whole("top.n", node.path("n"));
        String by = text("top.by", node.path("by"));
        return n == null || by == null ? null : Top.of(n, by, view, problems);
    }

    private @Nullable Aggregate aggregate(@Nullable JsonNode node) {
        if (node == null || !isObject(node, "aggregate", "such as {\"resolution\":7,\"by\":\"mean\"}")) {
            return null;
        }
        RequestJson.requireKnown(node, "aggregate.", "aggregate", List.of("resolution", "by"), problems);
        Long coarser = whole("aggregate.resolution", node.path("resolution"));
        By by = by(node.path("by"));
        return coarser == null ? null : Aggregate.of(coarser, by, resolution, problems);
    }

    private @Nullable By by(JsonNode node) {
        for (By by : By.values()) {
            if (by.text().equals(node.textValue())) {
                return by;
            }
        }
        problems.add("aggregate.by", () -> "must be mean, max or sum, was " + shown(node));
        return null;
    }

    private boolean isObject(JsonNode node, String path, String such) {
        if (!node.isObject()) {
            problems.add(path, "must be an object, " + such);
        }
        return node.isObject();
    }

    private @Nullable String text(String path, JsonNode node) {
        if (!node.isTextual()) {
            problems.add(path, () -> "must be text, was " + shown(node));
        }
        return node.textValue();
    }

    private @Nullable Long whole(String path, JsonNode node) {
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        problems.add(path, () -> "must be a whole number, was " + shown(node));
        return null;
    }

    private static String shown(JsonNode node) {
        return node.isMissingNode() ? "missing" : node.toString();
    }

    /** Returns a list of numbers; null if the node is not one. */
    private static double @Nullable [] numbers(JsonNode node) {
        double[] numbers = node.isArray() ? new double[node.size()] : NONE;
        for (int i = 0; i < numbers.length; i++) {
            if (!node.get(i).isNumber()) {
                return null;
            }
            numbers[i] = node.get(i).doubleValue();
        }
        return node.isArray() ? numbers : null;
    }
}
