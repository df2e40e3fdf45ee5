package io.thalweg.server.read;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestJson;
import io.thalweg.server.http.RequestProblems;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON body of a read; one {@link RefusedRequestException} names all that is wrong with its form. */
public final class JsonRequests {
    private static final List<String> KEYS = List.of("entities", "features", "as_of", "read_from");
    private static final List<String> HISTORY_KEYS = List.of("entities", "features", "as_of", "last");

    private final RequestProblems problems = new RequestProblems();

    private JsonRequests() {}

    public static ReadRequest parse(String view, byte[] body) {
        return new JsonRequests().request(view, RequestJson.tree(body));
    }

    public static HistoryRequest parseHistory(String view, byte[] body) {
        return new JsonRequests().history(view, RequestJson.tree(body));
    }

    private HistoryRequest history(String view, JsonNode body) {
        RequestJson.requireKnown(body, "", "a read of history", HISTORY_KEYS, problems);
        HistoryRequest request = new HistoryRequest(
                view,
                entities(body.get("entities")),
                features(body.get("features"), problems),
                asOf(body.get("as_of"), problems),
                last(body.get("last")));
        problems.throwIfAny();
        return request;
    }

    private int last(@Nullable JsonNode node) {
        if (node == null || node.isNull()) {
            return HistoryRequest.LAST_MAX;
        }
        if (node.isIntegralNumber()
                && node.canConvertToInt()
                && node.intValue() >= 1
                && node.intValue() <= HistoryRequest.LAST_MAX) {
            return node.intValue();
        }
        problems.add("last", "must be a whole number from 1 to " + HistoryRequest.LAST_MAX + ", was " + node);
        return HistoryRequest.LAST_MAX;
    }

    private ReadRequest request(String view, JsonNode body) {
        RequestJson.requireKnown(body, "", "a read", KEYS, problems);
        ReadRequest request = new ReadRequest(
                view,
                entities(body.get("entities")),
                features(body.get("features"), problems),
                asOf(body.get("as_of"), problems),
                readFrom(body.get("read_from")));
        problems.throwIfAny();
        return request;
    }

    private List<Map<String, Object>> entities(@Nullable JsonNode node) {
        List<Map<String, Object>> entities = new ArrayList<>();
        if (node == null || !node.isArray()) {
            problems.add("entities", "must be a list of keys");
            return entities;
        }
        for (JsonNode key : node) {
            if (!key.isObject()) {
                problems.add("entities[" + entities.size() + "]", "must be an object, entity to value");
            }
            Map<String, Object> values = new LinkedHashMap<>();
            key.properties().forEach(field -> {
                if (!field.getValue().isNull()) {
                    values.put(field.getKey(), value(field.getValue()));
                }
            });
            entities.add(values);
        }
        return entities;
    }

    public static Object value(JsonNode node) {
        if (node.isTextual()) {
            return node.textValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        return new ReadRequest.Other(node.toString());
    }

    public static List<String> features(@Nullable JsonNode node, RequestProblems problems) {
        List<String> features = new ArrayList<>();
        if (node == null || node.isNull()) {
            return features;
        }
        if (!node.isArray() || node.isEmpty()) {
            problems.add("features", "must be a list of names; leave it out for all");
        }
        for (JsonNode name : node) {
            if (!name.isTextual()) {
                problems.add("features[" + features.size() + "]", () -> "must be a name, was " + name);
            }
            features.add(name.asText());
        }
        return features;
    }

    public static @Nullable Instant asOf(@Nullable JsonNode node, RequestProblems problems) {
        if (node == null || node.isNull()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(node.isTextual() ? node.textValue() : "")
                    .toInstant();
        } catch (DateTimeException e) {
            problems.add("as_of", () -> "must be a time such as \"2026-01-01T18:00:00Z\", was " + node);
            return null;
        }
    }

    private ReadRequest.ReadFrom readFrom(@Nullable JsonNode node) {
        if (node == null || node.isNull()) {
            return ReadRequest.ReadFrom.STORE;
        }
        for (ReadRequest.ReadFrom each : ReadRequest.ReadFrom.values()) {
            if (each.name().equals(node.textValue())) {
                return each;
            }
        }
        problems.add("read_from", "must be STORE, LIVE or BOTH, was " + node);
        return ReadRequest.ReadFrom.STORE;
    }
}
