package io.thalweg.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.problem.JsonFault;
import io.thalweg.model.problem.Suggestion;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
    /** Enough for 1,000 keys and all features of any view; a longer body is refused before it takes memory. */
    private static final int TOKENS_MAX = 50_000;

    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxTokenCount(TOKENS_MAX)
                            .maxNestingDepth(20)
                            .maxNameLength(1_000)
                            .maxNumberLength(1_000)
                            .build())
                    .build())
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final List<String> KEYS = List.of("entities", "features", "as_of", "read_from");
    private static final List<String> HISTORY_KEYS = List.of("entities", "features", "as_of", "last");

    private final Problems problems = new Problems();

    private JsonRequests() {}

    static ReadRequest parse(String view, byte[] body) {
        return new JsonRequests().request(view, tree(body));
    }

    /** Parses a body, which must be an object. */
    static JsonNode tree(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(text(body));
            if (tree.isObject()) {
                Problems problems = new Problems();
                requireUnicode("", tree, problems);
                problems.throwIfAny();
                return tree;
            }
            throw Refusal.invalid("the body must be a JSON object such as {\"entities\":[{…}]}");
        } catch (StreamConstraintsException e) {
            throw Refusal.invalid("the body is too large to read: at most " + TOKENS_MAX
                    + " keys and values, 20 levels and names of 1,000 characters; send several requests");
        } catch (JsonProcessingException e) {
            throw Refusal.invalid("the body is not JSON: " + JsonFault.wordsAndPlace(e));
        }
    }

    /** Decodes a body; Jackson would also accept UTF-16 and UTF-32, and some bytes that are not text. */
    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Refusal.invalid("the body is not UTF-8");
        }
    }

    /** Reports text with half of a surrogate pair: no key has such text, and UTF-8 cannot represent it. */
    private static void requireUnicode(String path, JsonNode node, Problems problems) {
        if (node.isTextual()) {
            if (!JsonText.isUnicode(node.textValue())) {
                problems.add(path, "must be valid Unicode text, was text with half of a surrogate pair");
            }
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                requireUnicode(path + "[" + i + "]", node.get(i), problems);
            }
        } else {
            String prefix = path.isEmpty() ? "" : path + ".";
            node.properties().forEach(field -> requireUnicode(prefix + field.getKey(), field.getValue(), problems));
        }
    }

    static HistoryRequest parseHistory(String view, byte[] body) {
        return new JsonRequests().history(view, tree(body));
    }

    private HistoryRequest history(String view, JsonNode body) {
        requireKnown(body, "", "a read of history", HISTORY_KEYS, problems);
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
        requireKnown(body, "", "a read", KEYS, problems);
        ReadRequest request = new ReadRequest(
                view,
                entities(body.get("entities")),
                features(body.get("features"), problems),
                asOf(body.get("as_of"), problems),
                readFrom(body.get("read_from")));
        problems.throwIfAny();
        return request;
    }

    /**
     * Reports keys that an object may not have.
     *
     * @param path of the object, followed by a dot; empty for the body
     */
    static void requireKnown(JsonNode object, String path, String what, List<String> keys, Problems problems) {
        object.fieldNames().forEachRemaining(key -> {
            if (!keys.contains(key)) {
                problems.add(path + key, () -> "is not a key of " + what + "; " + Suggestion.hint(key, keys));
            }
        });
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

    static List<String> features(@Nullable JsonNode node, Problems problems) {
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

    static @Nullable Instant asOf(@Nullable JsonNode node, Problems problems) {
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
