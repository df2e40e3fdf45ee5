package io.thalweg.records.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small JSON text as a tree. */
sealed interface JsonTree {
    /** An object, in the order of its text. */
    record Obj(Map<String, JsonTree> members) implements JsonTree {
        boolean has(String name) {
            return members.containsKey(name);
        }

        @Nullable
        JsonTree get(String name) {
            return members.get(name);
        }
    }

    /** An array. */
    record Arr(List<JsonTree> elements) implements JsonTree {}

    /** A string. */
    record Text(String value) implements JsonTree {}

    /** A number, as written. */
    record Num(String text) implements JsonTree {}

    /** A boolean. */
    record Bool(boolean value) implements JsonTree {}

    /** Null. */
    record Null() implements JsonTree {}

    /** Deeper texts are refused. */
    int MAX_DEPTH = 200;

    JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    /**
     * Parses a text.
     *
     * @param source for error messages
     * @throws SchemaException if it is not JSON
     */
    static JsonTree parse(String json, String source) {
        String text = json.startsWith("\uFEFF") ? json.substring(1) : json;
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                throw new SchemaException("cannot read " + source + ": it is empty");
            }
            JsonTree tree = read(parser);
            if (parser.nextToken() != null) {
                throw new SchemaException("cannot read " + source + ": text follows the JSON value at line "
                        + parser.currentTokenLocation().getLineNr());
            }
            return tree;
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            boolean twice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw new SchemaException(
                    "cannot read " + source + ": it is not JSON" + place + (twice ? ": a key is there twice" : ""), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the value whose first token is the current one. */
    private static JsonTree read(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, JsonTree> members = new LinkedHashMap<>();
                for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    members.put(name, read(parser));
                }
                yield new Obj(members);
            }
            case START_ARRAY -> {
                List<JsonTree> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(read(parser));
                }
                yield new Arr(elements);
            }
            case VALUE_STRING -> new Text(parser.getText());
            case VALUE_TRUE, VALUE_FALSE -> new Bool(parser.getBooleanValue());
            case VALUE_NULL -> new Null();
            default -> new Num(parser.getText());
        };
    }
}
