package io.thalweg.server;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.Nearest;
import io.thalweg.server.Refusal.Problem;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON body of a read; one {@link Refusal} names all that is wrong with its form. */
final class JsonRequests {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final List<String> KEYS = List.of("entities", "features", "as_of", "read_from");

    private final List<Problem> problems = new ArrayList<>();

    private JsonRequests() {}

    static ReadRequest parse(String view, byte[] body) {
        return new JsonRequests().request(view, tree(body));
    }

    /** The object that a body is. */
    static JsonNode tree(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(body);
            if (tree.isObject()) {
                return tree;
            }
            throw Refusal.invalid("the body must be a JSON object such as {\"entities\":[{…}]}");
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw Refusal.invalid("the body is not JSON: "
                    + e.getOriginalMessage().lines().findFirst().orElse("") + place);
        } catch (IOException e) {
            throw Refusal.invalid("the body is not JSON in UTF-8");
        }
    }

    private ReadRequest request(String view, JsonNode body) {
        body.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                problems.add(new Problem(key, "is no key of a read; " + Nearest.hint(key, KEYS)));
            }
        });
        ReadRequest request = new ReadRequest(
                view,
                entities(body.get("entities")),
                features(body.get("features")),
                asOf(body.get("as_of")),
                readFrom(body.get("read_from")));
        if (!problems.isEmpty()) {
            throw Refusal.of(problems);
        }
        return request;
    }

    private List<Map<String, Object>> entities(@Nullable JsonNode node) {
        List<Map<String, Object>> entities = new ArrayList<>();
        if (node == null || !node.isArray()) {
            problems.add(new Problem("entities", "must be a list of keys"));
            return entities;
        }
        for (JsonNode key : node) {
            if (!key.isObject()) {
                problems.add(new Problem("entities[" + entities.size() + "]", "must be an object, entity to value"));
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

    static Object value(JsonNode node) {
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

    private List<String> features(@Nullable JsonNode node) {
        List<String> features = new ArrayList<>();
        if (node == null || node.isNull()) {
            return features;
        }
        if (!node.isArray() || node.isEmpty()) {
            problems.add(new Problem("features", "must be a list of names; leave it out for all"));
        }
        for (JsonNode name : node) {
            if (!name.isTextual()) {
                problems.add(new Problem("features[" + features.size() + "]", "must be a name, was " + name));
            }
            features.add(name.asText());
        }
        return features;
    }

    private @Nullable Instant asOf(@Nullable JsonNode node) {
        if (node == null || node.isNull()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(node.isTextual() ? node.textValue() : "")
                    .toInstant();
        } catch (DateTimeException e) {
            problems.add(new Problem("as_of", "must be a time such as \"2026-01-01T18:00:00Z\", was " + node));
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
        problems.add(new Problem("read_from", "must be STORE, LIVE or BOTH, was " + node));
        return ReadRequest.ReadFrom.STORE;
    }
}
