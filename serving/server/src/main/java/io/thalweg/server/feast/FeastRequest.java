package io.thalweg.server.feast;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestJson;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.JsonRequests;
import io.thalweg.server.read.ReadRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request of a Feast client, over either protocol.
 *
 * @param features {@code view:feature}
 * @param entities the values of each join key, all equally many, in the order given: {@code String}, {@code Long},
 *     {@code Boolean} or, for anything else, {@link ReadRequest.Other}
 * @param fullNames whether features are answered as {@code view__feature}
 */
public record FeastRequest(List<String> features, Map<String, List<Object>> entities, boolean fullNames) {
    private static final List<String> KEYS = List.of(
            "features", "entities", "full_feature_names", "feature_service", "include_feature_view_version_metadata");

    /** Reads the body of {@code POST /get-online-features}; one {@link RefusedRequestException} names all that is wrong with its form. */
    public static FeastRequest parse(byte[] body) {
        JsonNode tree = RequestJson.tree(body);
        JsonNode service = tree.get("feature_service");
        if (service != null && !service.isNull()) {
            throw FeatureReader.noService(service.asText());
        }
        RequestProblems problems = new RequestProblems();
        tree.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                problems.add(key, () -> "is not a key of a read; " + Suggestion.hint(key, KEYS));
            }
        });
        FeastRequest request = new FeastRequest(
                features(tree.path("features"), problems),
                entities(tree.path("entities"), problems),
                tree.path("full_feature_names").asBoolean());
        problems.throwIfAny();
        return request;
    }

    private static List<String> features(JsonNode node, RequestProblems problems) {
        List<String> features = new ArrayList<>();
        for (JsonNode feature : node) {
            if (!feature.isTextual()) {
                problems.add(
                        "features[" + features.size() + "]",
                        () -> "must be text such as \"demand:k5_8m\", was " + feature);
            }
            features.add(feature.asText());
        }
        if (!node.isArray()) {
            problems.add("features", "must be a list such as [\"demand:k5_8m\"]");
        }
        return features;
    }

    private static Map<String, List<Object>> entities(JsonNode node, RequestProblems problems) {
        Map<String, List<Object>> entities = new LinkedHashMap<>();
        if (!node.isObject()) {
            problems.add("entities", "must be an object, join key to list of values");
        }
        node.properties().forEach(column -> {
            List<Object> values = new ArrayList<>();
            if (!column.getValue().isArray()) {
                problems.add("entities." + column.getKey(), "must be a list of values");
            }
            column.getValue().forEach(value -> values.add(JsonRequests.value(value)));
            entities.put(column.getKey(), values);
        });
        return entities;
    }
}
