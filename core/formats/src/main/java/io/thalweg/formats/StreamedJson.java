package io.thalweg.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.thalweg.model.problem.JsonFault;
import io.thalweg.records.Utf8;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON with Jackson's streaming parser. The wanted paths form a tree that is traversed in parallel with the document;
 * values outside the tree are skipped, but still tokenised, so that the whole document is checked.
 */
final class StreamedJson {
    /**
     * No interning, because an attacker may choose the names of a document. No failure on symbol hash collisions,
     * because whether an event is well-formed must not depend on earlier names.
     */
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(EventDecoder.MAX_DEPTH)
                    .maxNumberLength(EventDecoder.MAX_RECORD_BYTES)
                    .maxStringLength(EventDecoder.MAX_RECORD_BYTES)
                    .maxNameLength(EventDecoder.MAX_RECORD_BYTES)
                    .build())
            .build();

    private final JsonField wanted;

    StreamedJson(JsonField wanted) {
        this.wanted = wanted;
    }

    /** Fills the last event of {@code into}; returns what is wrong with the document, or null. */
    @Nullable
    String read(byte[] data, int offset, int length, EventColumns into) {
        int malformed = Utf8.firstMalformed(data, offset, length);
        if (malformed >= 0) {
            return "not UTF-8 at byte " + (malformed - offset);
        }
        if (looksLikeUtf16(data, offset, length)) {
            return "not JSON: a zero byte at the beginning";
        }
        try (JsonParser parser = JSON.createParser(data, offset, length)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                return first == null ? "empty: a JSON object is needed" : "not a JSON object but " + name(first);
            }
            object(parser, wanted, into);
            JsonToken behind = parser.nextToken();
            return behind == null ? null : "more than one JSON value: behind the object begins " + name(behind);
        } catch (JsonProcessingException e) {
            return detail(e);
        } catch (IOException e) {
            return "not JSON: " + e.getMessage();
        }
    }

    /** Returns whether Jackson would mistake the bytes for UTF-16 or UTF-32; in UTF-8, JSON never contains a zero byte. */
    private static boolean looksLikeUtf16(byte[] data, int offset, int length) {
        for (int at = offset; at < offset + Math.min(4, length); at++) {
            if (data[at] == 0) {
                return true;
            }
        }
        return false;
    }

    private static void object(JsonParser parser, JsonField field, EventColumns into) throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken token = parser.nextToken();
            JsonField child = field.child(name);
            if (child == null) {
                parser.skipChildren();
            } else {
                value(parser, token, child, into);
            }
        }
    }

    private static void value(JsonParser parser, JsonToken token, JsonField field, EventColumns into)
            throws IOException {
        clearBelow(field, into);
        if (field.column() >= 0) {
            scalar(parser, token, field.column(), into);
        }
        if (token == JsonToken.START_OBJECT && !field.isLeaf()) {
            object(parser, field, into);
        } else if (token == JsonToken.START_ARRAY && field.lastElement() >= 0) {
            array(parser, field, into);
        } else {
            parser.skipChildren();
        }
    }

    private static void array(JsonParser parser, JsonField field, EventColumns into) throws IOException {
        int index = 0;
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            JsonField child = field.element(index++);
            if (child == null) {
                parser.skipChildren();
            } else {
                value(parser, token, child, into);
            }
        }
    }

    /** Clears the values of an earlier key of the same name below this field. */
    private static void clearBelow(JsonField field, EventColumns into) {
        if (field.isLeaf()) {
            return;
        }
        for (JsonField child : field.children()) {
            if (child.column() >= 0) {
                into.put(child.column(), FieldKind.MISSING);
            }
            clearBelow(child, into);
        }
    }

    private static void scalar(JsonParser parser, JsonToken token, int column, EventColumns into) throws IOException {
        switch (token) {
            case VALUE_STRING ->
                into.putChars(column, parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                into.putNumber(
                        column,
                        parser.getTextCharacters(),
                        parser.getTextOffset(),
                        parser.getTextLength(),
                        token == JsonToken.VALUE_NUMBER_INT);
            case VALUE_TRUE -> into.putBool(column, true);
            case VALUE_FALSE -> into.putBool(column, false);
            case VALUE_NULL -> into.put(column, FieldKind.NULL);
            default -> into.put(column, FieldKind.OTHER);
        }
    }

    private static String detail(JsonProcessingException e) {
        return "not JSON: " + JsonFault.words(e)
                + (e.getLocation() == null ? "" : ", at byte " + e.getLocation().getByteOffset());
    }

    private static String name(JsonToken token) {
        return switch (token) {
            case START_ARRAY -> "an array";
            case START_OBJECT -> "an object";
            case VALUE_STRING -> "text";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            default -> token.asString();
        };
    }
}
