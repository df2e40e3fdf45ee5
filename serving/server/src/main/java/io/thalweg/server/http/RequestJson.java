package io.thalweg.server.http;

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
import java.util.List;

/** The JSON bodies of requests: limited in size, and text in UTF-8. */
public final class RequestJson {
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

    private RequestJson() {}

    /** Parses a body, which must be an object. */
    public static JsonNode tree(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(text(body));
            if (tree.isObject()) {
                RequestProblems problems = new RequestProblems();
                requireUnicode("", tree, problems);
                problems.throwIfAny();
                return tree;
            }
            throw RefusedRequestException.invalid("the body must be a JSON object such as {\"entities\":[{…}]}");
        } catch (StreamConstraintsException e) {
            throw RefusedRequestException.invalid("the body is too large to read: at most " + TOKENS_MAX
                    + " keys and values, 20 levels and names of 1,000 characters; send several requests");
        } catch (JsonProcessingException e) {
            throw RefusedRequestException.invalid("the body is not JSON: " + JsonFault.wordsAndPlace(e));
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
            throw RefusedRequestException.invalid("the body is not UTF-8");
        }
    }

    /** Reports text with half of a surrogate pair: no key has such text, and UTF-8 cannot represent it. */
    private static void requireUnicode(String path, JsonNode node, RequestProblems problems) {
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

    /**
     * Reports keys that an object may not have.
     *
     * @param path of the object, followed by a dot; empty for the body
     */
    public static void requireKnown(
            JsonNode object, String path, String what, List<String> keys, RequestProblems problems) {
        object.fieldNames().forEachRemaining(key -> {
            if (!keys.contains(key)) {
                problems.add(path + key, () -> "is not a key of " + what + "; " + Suggestion.hint(key, keys));
            }
        });
    }
}
