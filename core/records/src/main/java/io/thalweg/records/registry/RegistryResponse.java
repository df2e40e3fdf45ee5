package io.thalweg.records.registry;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The response of a registry: an object, or a list of numbers. */
record RegistryResponse(Object value) {
    private static final JsonFactory JSON = new JsonFactory();

    /** Parses a response; returns null if it is not JSON. */
    static @Nullable RegistryResponse of(String body) {
        try (JsonParser json = JSON.createParser(body)) {
            json.nextToken();
            Object value = value(json);
            return value == null ? null : new RegistryResponse(value);
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> members = new LinkedHashMap<>();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                Object value = value(json);
                if (value != null) {
                    members.put(name, value);
                }
            }
            return members;
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> elements = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                Object value = value(json);
                if (value != null) {
                    elements.add(value);
                }
            }
            return elements;
        }
        if (token == JsonToken.VALUE_NUMBER_INT) {
            return json.getLongValue();
        }
        return token == JsonToken.VALUE_STRING ? json.getText() : null;
    }

    private @Nullable Object member(String name) {
        return value instanceof Map<?, ?> members ? members.get(name) : null;
    }

    String textOr(String name, String standard) {
        return member(name) instanceof String text ? text : standard;
    }

    String text(String name) {
        if (member(name) instanceof String text) {
            return text;
        }
        throw new SchemaException("the answer of the registry has no text '" + name + "'");
    }

    long numberOr(String name, long standard) {
        return member(name) instanceof Long number ? number : standard;
    }

    int integer(String name) {
        if (member(name) instanceof Long number && number == number.intValue()) {
            return number.intValue();
        }
        throw new SchemaException("the answer of the registry has no number '" + name + "'");
    }

    /** Returns the objects of a list; empty if there is no such list. */
    List<RegistryResponse> elements(String name) {
        return member(name) instanceof List<?> list
                ? list.stream().map(RegistryResponse::new).toList()
                : List.of();
    }

    /** Returns the numbers of a response that is a list. */
    List<Integer> integers() {
        List<Integer> numbers = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object element : list) {
                if (element instanceof Long number) {
                    numbers.add(number.intValue());
                }
            }
        }
        return numbers;
    }
}
